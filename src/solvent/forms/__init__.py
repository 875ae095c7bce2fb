"""The compiled shapes of a game on which engines run.

`history` lists every history as a row of arrays, and `sequence` gives its sequence form. `public/` keeps a
betting tree, boards and hands apart and multiplies them only when values are computed; `holdem/` does the same
for ranges of two players in hold'em. `explicit/` has every betting history on every board as a node of its own,
to which actions can be added. `betting/` and `sampled` are for Monte Carlo CFR, where cards are drawn. `numbering`
puts the betting trees of two forms in order. This room may import `games`, `cards` and `foundation`. Start with
`history`.
"""
