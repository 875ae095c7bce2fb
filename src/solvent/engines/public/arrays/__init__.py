"""The aggregated plan of the public form as operations on whole arrays, on a CPU or a GPU.

`layout` orders a game for batched operations, `plan` runs an iteration with them, and `devices` names the libraries
that offer them. Start with `plan`.
"""
