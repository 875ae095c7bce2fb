"""The `solvent reproduce` commands: each runs an experiment of one paper and writes its page.

`papers.py` solves games; `agents.py` trains and matches hold'em agents. The experiments themselves are in
`solvent.experiments`.
"""
