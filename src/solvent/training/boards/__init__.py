"""Public sampling: draw a board, and walk the betting tree once for many hands of both players.

`street_trees` divides a betting tree into the betting of each street; `dealing` draws a board, sorts its hands and
finds their buckets; `lane_code` has the vector instructions; `kernels` is the walk; `solver` runs it on threads.
The tables are those of external sampling, number for number. This folder imports from `engines/sampled` and from
every room left of `training`. Start with `kernels`.
"""
