"""The agents that users train: the one of `make run`, and one of an hour, and how good they are.

`measured_agents` has `solvent reproduce agents`: each agent is trained by one part and measured by another.
"""
