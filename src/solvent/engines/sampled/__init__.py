"""External sampling on the sampled form: a betting tree, and rows of numbers for buckets.

`kernels` has the traversal that blueprints are trained by and the keys of its draws; `public` runs it on public
games that are small enough to measure. Start with `kernels`.
"""
