"""Total pruning of growing games, and the memory budget that additions and pruning share.

`pruner.py` has the budget, and decides what is let go and what returns, by (public node, action) with a vector over
hands; its compiled steps are in `prune_kernels.py`. Start reading at `pruner.py`. May import what
`engines.explicit.growing` may, and is used by its solver alone.
"""
