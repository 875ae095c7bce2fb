"""Solving hold'em games in public form: spots, and no-limit games on small decks.

`solver` runs a regret rule (`HoldemSolver`), `gadget` does so behind a gadget (`GadgetSolver`); `gadget_play` is
what the opponent learns there. Imports from `passes.holdem` and `forms`. Begin with `solver`.
"""
