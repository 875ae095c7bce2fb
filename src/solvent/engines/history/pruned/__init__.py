"""Interval and total pruning on the history form, action by action.

`solver.py` is the solver, `kernels.py` the passes and best responses, `prune_kernels.py` when each
mode begins and ends, `forest_layout.py` the game in the order of each player's own moves. Start with
`kernels.py`.
"""
