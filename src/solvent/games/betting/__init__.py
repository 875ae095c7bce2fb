"""Heads-up hold'em betting without cards: the rules, bet sizes as players write them, betting trees of games.

Nothing is compiled here. `rules` says who acts, what is legal and what it pays, no-limit and limit; it is the
Python twin of the compiled rules in `solvent.forms.betting.kernels`. `sizes` reads bet sizes and the betting
abstractions of training, and holds the presets. `tree_sizes` reads the sizes of a game's tree by player, street and
kind of bet, and `tree` builds the tree; `action_words` reads the actions of lines. This folder imports from
`foundation` and from the rest of `games`. Start with `rules`, then `sizes`.
"""
