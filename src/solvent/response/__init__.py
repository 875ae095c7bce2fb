"""Best responses, exploitability and the value of one strategy against another, exact, on every form.

May import `passes` and what lies below it; knows no solver. Start with `measure`, which takes strategies of any
form; `history`, `public` and `holdem` do the work on theirs. `translated` measures a strategy of a small tree of a
spot in a larger one.
"""
