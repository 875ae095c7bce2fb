"""Spots solved and timed: `solvent bench spots`, `bench sizes` and `bench flops`.

`named` has the spots of `bench spots`, which `measured` declares; three modules measure them: `speed` (seconds,
bytes and memory), `values` (exploitability, equities and EVs) and `rule_choice` (regret rules at equal iterations).
`peer_command` asks another solver for its figures. `found_sizes` compares bet sizes that the solver finds with
others, and `flop_subsets` asks how well a few flops stand for all.
"""
