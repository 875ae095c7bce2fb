"""Passes over the public form of hold'em: down with reach, across the terminals, up with values.

`layout` lays a game out for the kernels, `kernels` has the pass, `node_code` the arithmetic at decisions,
`sweep_code` and `terminals` what hands win at terminals, `holdem_pass` runs passes on threads. Imports from `forms`
and `passes`. Begin with `kernels`.
"""
