"""Solvers with regret-based pruning: they leave out what cannot matter for a while, and total pruning stores less.

`pruning.py` has the options and what they can be combined with. `history/` prunes action by action on stored
histories, `public/` for all hands of a board together on the public form; partial pruning on
histories is a plan of `solvers.history`. Start with `history/kernels.py`, whose first page has the papers'
conditions. May import the rules, `passes`, `response` and the solver rooms of both forms.
"""
