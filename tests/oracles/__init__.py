"""Slow, obvious answers against which the fast code is checked, and random games and cards to check it on.

`trees`, `replays`, `holdem` and `table_agent` are plain Python twins of compiled code: they recompute values,
CFR iterations, betting and an agent's play one history at a time. `random_games`, `random_public` and
`random_cards` make inputs from a seed; `blueprints` makes a small stand-in for a card abstraction. Oracles
import the package under test only for its data (rules, trees, tables), never for the code that they check.
"""
