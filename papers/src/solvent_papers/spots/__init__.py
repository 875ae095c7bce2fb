"""Spots solved and timed: `solvent bench spots`, `bench sizes` and `bench flops`.

`named` has the spots of `bench spots`, which `measured` declares, with its measurements of values and regret rules;
`speed` measures seconds, bytes and memory, and `peer_command` asks another solver for its own. `found_sizes`
compares bet sizes that the solver finds with others, and `flop_subsets` asks how well a few flops stand for all.
"""
