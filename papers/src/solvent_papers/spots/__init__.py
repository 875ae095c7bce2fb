"""Spots solved and timed: what `solvent bench spots` runs.

`named` states the spots. Three modules measure them: `values` (exploitability, equities and EVs), `speed` (seconds,
bytes and memory, beside the machine's `bandwidth`) and `rule_choice` (regret rules at equal iterations).
`peer_command` asks another solver for its figures. `measured` runs the parts, `measured_tables` shows them and
`measured_page` writes the page. `flop_subsets` asks how well a few flops stand for all (`solvent bench flops`).
Imports from `engines.holdem` and what that imports. Begin with `named` and `measured`.
"""
