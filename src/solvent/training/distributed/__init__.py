"""Algorithm 4 of Brown, Ganzfried and Sandholm (2015): a blueprint from a head and one child per public cluster.

The head has the tables of the first street, a child those of everything below for flops of its cluster; no two
share a table. `solver` is the algorithm's loop, `head` its two passes, `child` what a child does with a batch of
continuations, and `kernels` has the walks of both. `deals` draws cards and counts the flops that hands leave to a
cluster. `batches` has the messages and the protocol of engines, which run the children. `engines` runs them in this
process; `processes` and `ray_engine` are `workers`, of which `recovering` makes children that survive the loss of a
worker. This folder imports from `training` and the rooms left of it. Start with `solver`.
"""
