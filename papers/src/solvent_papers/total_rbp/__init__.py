"""Experiments of the Total RBP paper: numbers stored, nodes visited and seconds with regret-based pruning.

`pruning` measures partial, interval and total pruning on Leduc games; `total_rbp` declares that experiment, with
the figures that compare them. `larger_game` weighs memory and time on a game of 18 million infoset-actions, each
run in a process of its own (`larger_run`).
"""
