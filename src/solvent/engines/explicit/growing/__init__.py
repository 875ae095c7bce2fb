"""Growing games: actions are added to an abstraction while it is being solved (Brown and Sandholm 2015, "SAEF").

`discounts.py`, `proposition.py` and `additions.py` are the theory, which knows no engine: by how much earlier
iterations are discounted, when an action is worth adding, and the log of what was added. The other modules grow
games on the explicit public tree (`forms/explicit`), and `pruning/` keeps them within a memory budget. Start
reading at `solver.py`.
"""
