"""The hold'em form: spots and no-limit games on small decks, with ranges of two players.

`layout` lays a game out for the kernels, `kernels` has the pass, `node_code` and `row_kernels` the arithmetic at
decisions, `sweep_code` and `terminals` that at terminals, and `holdem_pass` runs passes on threads. `solver`
applies a regret rule (`HoldemSolver`) to tables that `table_views` reads by decision, and `response` measures it;
`carry_over` starts it from other tables, `best_average` keeps the best averages of int16, and `gadget` solves
behind a gadget. `translated/` measures a strategy in a larger tree, `growing/` adds bet sizes while a spot is
solved. Start with `solver`.
"""
