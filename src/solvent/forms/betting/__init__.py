"""Betting trees of hold'em without cards, for Monte Carlo CFR and for agents.

`tree` builds a tree from rules and bet sizes (`BettingTree`), in which nodes with the same raises may share rows,
and `kernels` walk it. Start with `tree`.
"""
