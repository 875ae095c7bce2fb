"""Algorithm 4 at this machine's scale: `solvent reproduce tartanian7`, in parts that can be run one by one.

The parts are `figure_one`, `table_one`, `cost` (with the formulas in `cost_model` and the measurements in
`cost_measures`), `resumed` and `staleness`; `training` trains the agents that they compare. Start with
`experiment`.
"""
