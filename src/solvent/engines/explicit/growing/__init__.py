"""Growing games: actions are added to an abstraction while it is being solved (Brown and Sandholm 2015, "SAEF").

`discounts.py`, `proposition.py` and `additions.py` are the theory, which knows no engine: the discount of earlier
iterations, when an action is worth adding, and the log of additions. The other modules grow games on the explicit
public tree (`forms/explicit`): `game.py` runs CFR between additions, `looking.py` finds them, `recovery.py` and
`transfer.py` make them. `pruning/` keeps a game within a memory budget. Start reading at `solver.py`.
"""
