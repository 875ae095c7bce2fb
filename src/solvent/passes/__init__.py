"""Passes: compiled code that walks a form of a game and returns values, for solvers and best responses alike.

May import `strategy`, `forms` and what lies below them; knows no solver and no rule.

Start with `matching`, which has regret matching and the regret update for loops of every shape, then
`public_kernels` (one player's pass over the public form: down, across the terminals, back up) and `public_pass`
(such passes on any number of threads). `terminals` and `swept` evaluate terminals, `elementwise` and
`sweep_instructions` are the vector instructions that these are made of, `sequence_sweeps` works on the sequence
form, and `schedule` names the columns of a rule's weights.
"""
