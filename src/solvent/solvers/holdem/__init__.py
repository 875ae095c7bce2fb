"""Solving hold'em games in public form: spots, and no-limit games on small decks.

`solver` runs a regret rule (`HoldemSolver`), `gadget` does so behind a gadget (`GadgetSolver`); `gadget_play` is
what the opponent learns there. `spot_run` solves a spot to a target (`solve_spot`) and resumes runs
(`resume_spot`), with the options of `spot_settings`, the costs of `spot_cost` and locks as text of `lock_text`;
`spot_work` is a solve as a session drives it, `spot_folder` a run's folder, `carry_over` a start from the tables of
another run, and `spot_result` what is reached. Imports from `passes.holdem`, `forms`, `games` and `cards`. Begin
with `solver`.
"""
