"""External sampling on the sampled form: a betting tree, and rows of numbers for buckets.

`kernels` has the traversal that blueprints are trained by, `head_walk` the first street's part of it, `keys` what
every draw depends on; `public` and `public_deals` run it on public games
that are small enough to measure. This folder imports from `engines/sampled`, `engines/public` and the rooms left
of `solvers`. Start with `kernels`.
"""
