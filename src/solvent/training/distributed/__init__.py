"""Algorithm 4 of Brown, Ganzfried and Sandholm (2015): a blueprint from a head and one child per public cluster.

The head has the tables of the first street, a child those of everything below for flops of its cluster; no two
share a table. `solver` is the algorithm's loop, `head` its two passes, `child` what a child does with a batch of
continuations; `branch` is a child that is itself a head, with children of its own. `flops` counts the flops that
hands leave to a cluster, `deals` draws cards, and `turns` has clusters of turns inside those of flops. `batches`
has the messages and the protocol of whatever runs the children. `engines` runs them in this process; `processes`
and `ray_engine` are `workers`, of which `recovering` makes children that survive the loss of a worker. This folder
imports from `training`, `engines/sampled` and the rooms left of `solvers`. Start with `solver`.
"""
