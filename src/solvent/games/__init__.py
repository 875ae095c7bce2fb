"""Rules of games: who acts, what is legal, what it pays. No solving and no compiler.

This room may import `cards` and `foundation`, and never numba. `game` is the protocol that every game
implements; `public_rules` is the base of games whose hands are dealt first and whose actions are public
(Kuhn, Leduc, Bluff, hold'em). `holdem` has limit and no-limit hold'em and spots, and `betting`
their no-limit betting. `openspiel` and `efg` bring in games from elsewhere; `catalogue` loads any game by its name,
`own` those of one's own. Start with `game`, then `kuhn`.
"""
