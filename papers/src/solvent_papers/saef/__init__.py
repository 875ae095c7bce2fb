"""The SAEF paper's experiment: continuous Leduc in fixed abstractions and in abstractions that grow.

`figure_one.py` runs every line of Figure 1, `curves.py` compares lines, `saef_figures.py` names what the ledger
reads, `saef_page.py` and `saef_picture.py` write the results. May import what `experiments` may.
"""
