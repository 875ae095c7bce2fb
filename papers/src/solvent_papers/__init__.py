"""Experiments behind `solvent reproduce` and `solvent bench`: tables and figures at the scale of one machine.

Each paper has a room, `tartanian7`, `aggregation`, `laptop_mccfr` and `total_rbp`, or a module, `saef`; beside them
are the room `spots` and the experiments `public_sampling` and `trained_agents`. `card_speed`, `cluster_speed` and
`peers` are benchmarks. `experiments` lists all by the names of their commands, `frame` declares, runs, judges and
writes them, and `ledger` judges the papers' claims by the figures that stand beside the pages. `confidence` and
`interleaved` are shared by several. `commands` are the commands themselves. Experiments may import every room of
`solvent` except `app`, which is for `commands`. Start with `frame.experiment`, then `trained_agents`.
"""
