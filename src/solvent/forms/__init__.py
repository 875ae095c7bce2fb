"""The compiled shapes of a game on which solvers run.

`history` lists every history as a row of arrays; `public` keeps a betting tree, boards and hands apart and
multiplies them only when values are computed, with boards that differ in suits alone solved once; `sampled` and
`betting` are for Monte Carlo CFR, where cards are drawn, and `raising_histories` lets nodes of a betting tree share
rows. `sequence` and `public_sequences` give the sequence
form of either; `explicit` has every betting history on every board as a node of its own, to which actions can be
added; `unroll` turns the public form into histories; `public_size` counts a public form before it is
built. This room may import `games`, `cards` and `foundation`. Start with `history`.
"""
