"""External, outcome and chance sampling on the history form of any game.

`layout` lays a game out for random walks, `kernels` walks it, `solver` is the solver that a session runs. Start
with `solver`.
"""
