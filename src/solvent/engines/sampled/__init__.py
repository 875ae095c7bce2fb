"""External sampling on the sampled form: a betting tree, and rows of numbers for buckets.

`kernels` has the traversal that blueprints are trained by, `keys` what every draw depends on; `public` and
`public_deals` run it on public games that are small enough to measure. Start with `kernels`.
"""
