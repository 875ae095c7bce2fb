"""Abstraction of bets: which bet of the abstract game stands for one that it does not have.

`translation` maps an opponent's bet to one of two neighbouring sizes at random; `tree_translation` says which nodes
of a small tree the nodes of a larger tree may be taken for. This folder imports from `forms`, `games` and
`foundation`. Start with `translation`.
"""
