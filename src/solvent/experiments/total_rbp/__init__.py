"""Experiments of the Total RBP paper: what regret-based pruning stores, visits and saves.

`pruning` compares partial, interval and total pruning on Leduc games, `larger_game` watches memory fall on a
game of 42 million histories. Start with `pruning`.
"""
