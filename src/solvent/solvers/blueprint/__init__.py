"""Training a no-limit hold'em blueprint by Monte Carlo CFR.

`training.py` is the verb, `train`: it begins or resumes a run and has the session of `solvent.solvers.session`
drive it. `solver.py` runs iterations on the tables of a `solvent.strategy.blueprint.Blueprint`, by the kernels in
`kernels.py`; `initial_weights.py` sets what a training starts from, `discounting.py` applies rules that discount,
`row_locks.py` makes threads wait for one another. Start with `training.py`.
"""
