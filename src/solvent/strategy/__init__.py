"""Strategies: how often each action is played, by infoset or by bucket of hands.

`strategy.py` is the protocol that answers "which probabilities here?". `tables.py` (with `infosets.py` and
`public_infosets.py`) implements it for solved games and `trained.py` (with `blueprint.py` and
`betting_line.py`) for trained agents; `policies.py` makes tables from dicts and functions; `opening.py` opens
either from a run. Arenas, post-processing, ensembles and priors stand here too. The room may import forms,
abstractions and everything left of them. Start with `strategy.py`.
"""
