"""The public form of hold'em from any board on: a betting tree x boards x the hands of each player.

`game` puts the form together (`holdem_game`), from the betting tree (`tree`), the boards of each street with
those that differ only in the names of suits joined (`boards`), and where each player's hands stand on them
(`hand_kernels`). `sizing` counts all that before it is built, `locks` fixes decisions, and `gadget` describes a
choice of the opponent at the root. Imports from `games` and `cards`. Begin with `game`.
"""
