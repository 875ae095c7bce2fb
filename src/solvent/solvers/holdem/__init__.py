"""Solving hold'em games in public form: spots, and no-limit games on small decks.

`solver` runs a regret rule (`HoldemSolver`). Imports from `passes.holdem` and `forms.holdem`. Begin with `solver`.
"""
