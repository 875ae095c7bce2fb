"""Experiments of the laptop MCCFR paper: Monte Carlo CFR, its options, and agents trained in minutes.

`experiment` declares `solvent reproduce laptop-mccfr`: comparisons of the `bots` that it trains with
changed versions of themselves (Figures 1, 7 and 8) and with others (Figure 5). `sampling_options` measures what
each sampling option does to exact exploitability. `sampling_speed` and `training_speed`
measure iterations and rows per second. Start with `bots`.
"""
