"""Exploitability in games where any bet in a range of pot fractions may be made, without a grid of sizes.

The strategy under test knows only the sizes of its abstraction and takes every other bet for one of them by the
randomised pseudo-harmonic mapping (Brown and Sandholm 2015, section 4). The exploiter's bets are real numbers.
Start with `measure`; `size_tree` has the layout, `informed_kernels` the closed form for an exploiter who sees which
size a bet was taken for, `uninformed_kernels` branch and bound for one who does not.
"""
