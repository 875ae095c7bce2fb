"""The SAEF paper's experiment: continuous Leduc in fixed abstractions and in abstractions that grow.

`figure_one.py` runs every line of Figure 1, `budget.py` runs under a memory budget, and `saef.py` declares the
experiment, with the figures that compare lines, and its picture.
"""
