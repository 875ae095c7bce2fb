"""The hold'em form: spots and no-limit games on small decks, with ranges of two players.

`layout` lays a game out for the kernels, `kernels` has the pass, `node_code` and `row_kernels` what is done at
decisions, `sweep_code` and `terminals` what hands win at terminals, and `holdem_pass` runs passes on threads.
`solver` applies a regret rule (`HoldemSolver`) and `response` measures it; `gadget` solves behind a gadget,
`gadget_play` is what the opponent learns there. `translated/` measures a strategy in a larger tree, `growing/`
adds bet sizes while a spot is solved. Start with `solver`.
"""
