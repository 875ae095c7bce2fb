"""Experiments of the laptop MCCFR paper: Monte Carlo CFR, its options, and agents trained in minutes.

`experiment` lists the parts that train and match agents: `style_figures` (Figures 1, 7 and 8), `reward_figure`
(Figure 5), `bucket_comparison` and `prior_comparison`, with the `bots` that they train; `bots_page` is their page.
`sampling_options` measures what each sampling option does to exact exploitability, `sampling_speed` and
`training_speed` measure iterations and rows per second. Start with `bots`.
"""
