"""Experiments of the laptop MCCFR paper: Monte Carlo CFR, its options, and agents trained in minutes.

`experiment` declares `solvent reproduce laptop-mccfr`: the `bots` that it trains, `styles` (Figures 1, 7 and 8),
and `comparisons` of rewards (Figure 5), buckets and initial weights. `sampling_options` measures what each sampling
option does to exact exploitability, `option_tables` has its figures and tables. `sampling_speed` and
`training_speed` measure iterations and rows per second. Start with `bots`.
"""
