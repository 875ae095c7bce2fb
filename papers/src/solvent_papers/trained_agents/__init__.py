"""How good the agents are that users train: the one of `make run`, and one of an hour.

`measured_agents` has the parts of `solvent reproduce agents`, an agent each, and what is asked of them;
`agents_page` writes the results page. Start with `measured_agents`.
"""
