"""Strategies: how often each action is played, by infoset or by bucket of hands.

`strategy.py` is the protocol that answers "which probabilities here?" and where to start reading. `solved/`
implements it for solved games, `agents/` for trained agents; `opening.py` opens either from a run. Arenas,
post-processing and ensembles stand here too. The room may import forms, abstractions and everything left of
them.
"""
