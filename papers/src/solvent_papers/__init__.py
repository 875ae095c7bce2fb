"""Experiments behind `solvent reproduce` and `solvent bench`: tables and figures at the scale of one machine.

One room for each paper: `tartanian7`, `saef`, `aggregation`, `laptop_mccfr` and `total_rbp`; beside them `spots`,
`public_sampling` and `trained_agents`. `experiments` lists all by the names of their commands, `frame` declares,
runs, judges and writes them, and `ledger` judges the papers' claims by the figures that stand beside the pages.
`confidence`, `interleaved` and `kept_tables` are shared by several; `card_speed`, `cluster_speed` and `peers` are
benchmarks of one module. `commands` are the commands themselves. Experiments may import every room of `solvent`
except `app`, which is for `commands`. Start with `frame.experiment`, then `trained_agents.measured_agents`.
"""
