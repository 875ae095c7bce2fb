"""Partial and total pruning on the public form, action by action and hand by hand, without stored histories.

`solver.py` runs iterations; `walk_kernels.py` has the depth-first walk, `average_kernels.py` the averages,
`total_kernels.py` what begins to be pruned, what returns and what is forgotten, `response_kernels.py` best
responses and `store_kernels.py` what they store again. `hand_blocks.py` holds the tables, `ground.py` the game as
the walks read it, `coarse_start.py` (with `coarse_kernels.py`) the start from a coarser game. Start with
`walk_kernels.py`.
"""
