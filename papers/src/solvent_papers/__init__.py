"""What `solvent bench` and `solvent reproduce` run: the tables and figures of the papers, at this machine's
scale.

One room per paper: `tartanian7`, `saef`, `aggregation`, `laptop_mccfr`, `total_rbp`; and `spots`, which measures
how hold'em spots are solved. In each room a module measures, a module of the same name with `_page` writes the
results page, and `figures` names the figures that go beside it; `ledger` judges the papers' claims by these.
Shared by all: `page` (Markdown, CSV, plots and where a result comes from), `confidence` (intervals over seeds),
`steps` (progress), `parts` (experiments in parts that are kept and go on), `kept` and `kept_tables` (what is kept),
and `card_speed`, which belongs to no paper. `commands` are the commands themselves. Experiments may import every
room of `solvent` except `app`, which is for `commands`. Start with `total_rbp.pruning`.
"""
