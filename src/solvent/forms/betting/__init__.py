"""Betting trees of hold'em without cards, for Monte Carlo CFR and for agents.

`tree` builds a tree from rules and bet sizes (`BettingTree`), `kernels` walk it, and `raising_histories` lets nodes
with the same raises share rows. Start with `tree`.
"""
