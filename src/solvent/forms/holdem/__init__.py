"""The public form of hold'em from any board on: a betting tree x boards x the hands of each player.

`game` puts the form together (`holdem_game`), from the betting tree (`tree`), the boards of each street with those
that differ only in the names of suits joined (`boards`), and where each player's hands stand on them (`hands`).
Imports from `games` and `cards`. Begin with `game`.
"""
