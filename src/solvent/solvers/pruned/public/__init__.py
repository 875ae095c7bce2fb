"""Partial, interval and total pruning on the public form, block by block.

`solver.py` is partial pruning and the base of the others, `skipping_base.py` what interval and total pruning share,
`interval.py` and `total.py` the two; each has a file of kernels. `block_layout.py` says what lies behind a block.
Start with `solver.py`.
"""
