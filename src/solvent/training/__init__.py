"""The verb `train`: blueprints by Monte Carlo CFR on hold'em's betting tree times buckets.

`train` is a training in a run's folder, with the options of `settings`, and `work` what its session drives.
`solver` runs iterations, on threads if wanted; `kernels` deal cards and call the traversal, which is
`engines/sampled/kernels`; `boards/` has public sampling, which walks many hands of a board at once; `discounting`
scales whole tables and `initial_weights` sets a prior; `cards` makes card abstractions and `facts` sums a training
up in words. `distributed/` trains on several processes or machines. The tables themselves are a strategy,
`solvent.strategy.agents.blueprint`. Start with `solver`.
"""
