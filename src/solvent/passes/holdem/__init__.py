"""Passes over the public form of hold'em: down with reach, across the terminals, up with values.

`layout` lays a game out for the kernels, `kernels` has the pass, `node_code` and `row_kernels` what is done at
decisions, `sweep_code` and `terminals` what hands win at terminals, `holdem_pass` runs passes on threads.
`translated` writes a strategy of a small tree into a table of a larger one. Imports from `forms`, `abstraction` and
`passes`. Begin with `kernels`.
"""
