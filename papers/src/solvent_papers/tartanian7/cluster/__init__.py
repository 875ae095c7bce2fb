"""Algorithm 4 at this machine's scale: `solvent reproduce tartanian7`, in parts that can be run one by one.

`experiment` has the list of parts and keeps what each found; `part` says what a part is. The parts are
`figure_one`, `table_one`, `cost` (with the formulas in `cost_model` and the measurements in `cost_measures`),
`resumed` and `staleness`; `training` trains what they compare, and `cluster_page` writes the page. Start with
`experiment`.
"""
