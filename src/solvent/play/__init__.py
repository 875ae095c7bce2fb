"""Playing hold'em: agents, matches between them, and statistics of the results.

`contract` says what an agent is; start reading there. `agents` reads agents' names and loads them. `table_agent`,
`table_kernels` and `table_hand` play from the tables of a training, compiled; `styles` changes their strategies.
`matches` plays hands, `expected` and `asked` average over all hands that agents may play, and `statistics` says how
sure a result is. This room imports solvers and everything below them.
"""
