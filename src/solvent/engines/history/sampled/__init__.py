"""External, outcome and chance sampling on the history form of any game.

`layout` lays a game out for random walks, `kernels` walks it, `solver` is the solver that a session runs. This
folder imports from `engines/sampled`, `engines/history` and the rooms left of `engines`. Start with `solver`.
"""
