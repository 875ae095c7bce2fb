"""Algorithm 4 at this machine's scale: `solvent reproduce tartanian7`, in parts that can be run one by one.

`experiment` has Figure 1, Table 1 and the page; other parts are `cost` (with the measurements in `cost_measures`),
`resumed` and `staleness`. `training` trains the agents that they compare. Start with `experiment`.
"""
