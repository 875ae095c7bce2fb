"""Experiments of the Total RBP paper: what regret-based pruning stores, visits and saves.

`pruning` compares partial, interval and total pruning on Leduc games, `larger_game` weighs memory and
time on a game of 18 million infoset-actions, each run in a process of its own (`larger_run`). Start with `pruning`.
"""
