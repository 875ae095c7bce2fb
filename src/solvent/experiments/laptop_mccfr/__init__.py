"""Experiments of the laptop MCCFR paper: Monte Carlo CFR, its options, and agents trained in minutes.

`bots` trains and matches agents (Figures 1, 5, 7 and 8), `sampling_options` measures what each sampling
option does to exact exploitability, `sampling_speed` and `training_speed` measure iterations and rows per
second. Start with `bots`.
"""
