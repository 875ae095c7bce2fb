"""Total pruning of growing games, and the memory budget that additions and pruning share.

`pruner.py` has the budget, and lets actions go and return, by (public node, action) with a vector over hands; its
compiled steps are in `prune_kernels.py`. Start reading at `pruner.py`.
"""
