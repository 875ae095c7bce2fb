"""The verb `solve`: from a game and settings to a strategy.

`solve` lets `choose` make a solver from a game and `settings`, in which every option stands once, and has `session`
drive it to its limits. `measure` has best responses and exploitability for strategies of any form; `curves`,
`run_game` and `result_views` read what a run has kept, and `own_solvers` registers solvers of one's own. Imports
engines and what lies below them. Start with `solve`.
"""
