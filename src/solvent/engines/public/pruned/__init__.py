"""Partial and total pruning on the public form, action by action and hand by hand, without stored histories.

`solver.py` runs iterations. `walk_kernels.py` has the depth-first walks, `total_kernels.py` what begins to be
pruned, what returns and what is forgotten, `response_kernels.py` best responses and `store_kernels.py` what they
store again. `hand_blocks.py` holds the tables, `layout.py` the game as the walks read it, and `coarse_start.py`
starts from a coarser game. Start with `walk_kernels.py`.
"""
