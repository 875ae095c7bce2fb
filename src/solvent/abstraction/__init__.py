"""Abstraction of large games: hands in buckets, public states in clusters, bets by the nearest size.

`cards/` builds and reads card abstractions, `clustering/` and `hierarchical/` are the algorithms behind them, and
`betting/` translates bets. It imports from `forms` and what is left of it. Start reading with
`cards/buckets.py`, which says what a bucket is and how it is looked up.
"""
