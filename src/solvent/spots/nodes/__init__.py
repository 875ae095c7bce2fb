"""Nodes of a solved spot: strategy, EVs, equities and weights by hand.

`solution` answers for a line of play (`SpotSolution.at`) with a `node` (`SpotNode`). `lines` reads lines and
finds the board that stands for the cards in them, `showdowns` counts how pairs of hands fare on the boards to
come, `answers` keeps what the solver says of nodes, by a `branch` where one board is enough, and `grid` draws a
strategy. Start with `solution`.
"""
