"""Strategies of solved games: one number for each action of each infoset.

`tables` is the strategy, with the infosets of a tree (`infosets`) or of a public form (`public_infosets`).
`policies` makes tables from dicts and functions, `openspiel` from and to OpenSpiel's policies, and `locks`
names infosets where a given strategy is played. It imports `strategy/strategy.py` and forms. Start with
`tables`.
"""
