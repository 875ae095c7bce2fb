"""Heads-up hold'em betting without cards: the rules, and bet sizes as players write them. Nothing is compiled.

`rules` says who acts, what is legal and what it pays, no-limit and limit; it is the Python twin of the compiled
rules in `solvent.forms.betting_kernels`. `sizes` reads bet sizes and betting abstractions and holds the presets.
This folder imports from `foundation` and from the rest of `games`. Start with `rules`.
"""
