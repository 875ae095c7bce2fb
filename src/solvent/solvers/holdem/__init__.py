"""Solving hold'em games in public form: spots, and no-limit games on small decks.

`solver` runs a regret rule (`HoldemSolver`), `gadget` does so behind a gadget (`GadgetSolver`); `gadget_play` is
what the opponent learns there. `spot_run` solves a spot to a target (`solve_spot`), with the options of
`spot_settings`, the costs of `spot_cost` and locks as text of `lock_text`. Imports from `passes.holdem`, `forms`,
`games` and `cards`. Begin with `solver`.
"""
