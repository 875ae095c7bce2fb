"""The explicit public tree: every pair of a betting history and a board is a node of its own.

The public form multiplies one betting tree with all boards, so an action is there on every board or on none. Here
a bet size can be added at one betting history on one board, which is what growing games do. May import what `forms`
may. All of it is in `tree`.
"""
