"""Experiments of the Tartanian7 paper: hierarchical card abstraction, training on a cluster, post-processing.

`abstraction` compares card abstractions (Algorithms 1 to 3) by `abstraction_quality`, with the measures of
`bucket_quality` on the hands of `abstraction_hands`; `sampled_buckets` solves a small game on such buckets and
measures the strategies against real cards; `cluster` is Algorithm 4, Table 1 and Figure 1; `post_processing` is
Table 2; `clustering_speed` times k-means and k-medians. Start with `abstraction`.
"""
