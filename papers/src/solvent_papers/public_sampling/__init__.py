"""Public sampling beside external sampling, which belongs to no one paper.

`sampled_agents` has the agents of `solvent reproduce public-sampling`: each is trained in its way for as long as
the others, and what responses win from it is measured; in `head_to_head` they meet; `comparison_page` puts all into
one table. Start with `sampled_agents`.
"""
