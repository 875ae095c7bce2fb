"""Card abstractions: which bucket a hand is played by on every street.

`presets` says what can be asked for, `build` makes it from `features`, and `buckets` opens the tables
(`foundation/storage/bundle` compares them with their checksums) for kernels to read by `lookup`. `find` finds the
tables of a run, `examine` and `win_rates` look into them. `rule_buckets` says what a hand is by rules instead of
clusters. It imports from `forms` and what is left of it, `clustering` and
`hierarchical`. Start reading with `buckets`.
"""
