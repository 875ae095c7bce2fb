"""Strategies of a small hold'em tree measured in a larger one.

`response` writes a strategy of the small tree into a table of the larger one, with `kernels`, and finds what the
best response wins there. Start with `response`.
"""
