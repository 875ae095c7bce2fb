"""Public sampling beside external sampling, which belongs to no one paper.

`sampled_agents` has the agents of `solvent reproduce public-sampling`: each is trained in its way for as long as
the others, and what responses win from it is measured. In `experiment` they meet and are compared. Start with
`sampled_agents`.
"""
