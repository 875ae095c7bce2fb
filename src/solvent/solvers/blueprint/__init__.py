"""Training of blueprints: Monte Carlo CFR on hold'em's betting tree times buckets.

`training` is a training in a run's folder; `solver` runs iterations, on threads if wanted; `kernels` deals
cards and calls the traversal, which is `solvers/sampled/tables/kernels`; `boards` has public sampling, which walks
many hands of a board at once; `row_locks` has the locked variants that results compare with; `discounting` scales
whole tables; `initial_weights` sets a prior. The tables themselves are a strategy,
`solvent.strategy.agents.blueprint`. This folder imports from `solvers/sampled` and from
every room left of `solvers`. Start with `solver`.
"""
