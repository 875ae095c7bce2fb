"""Explicit trees: every betting history on every board is a node of its own, to which actions can be added.

`kernels` pass over such a tree and `response` finds best responses. `growing/` solves trees that grow;
`continuous/` measures a strategy against every real bet size. Start with `growing`.
"""
