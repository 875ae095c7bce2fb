"""Solvers: from a game and settings to a strategy.

`solve.py` is the verb: it lets `choose.py` make a solver from a game and `settings.py`, in which every option
stands once, and has `session.py` drive it to its limits. `solver.py` says what a solver is, `rules.py` what an
iteration does to regrets, `local_update.py` and `own_solvers.py` how to bring one's own, `warm_start.py` how to
begin with a strategy. The solvers themselves live in rooms: `history/` and `public/` by the form of the game,
`pruned/` and `sampled/` for those that skip or draw, `blueprint/` for trained hold'em agents. Solvers import
forms, strategies, passes and responses, and know no agents. Start with `solve.py`.
"""
