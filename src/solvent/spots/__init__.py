"""The verb `spot`: hold'em situations from options to nodes, without a terminal.

`spot` is the front for Python (`solvent.Spot`). `run` solves a spot to a target (`solve_spot`) and resumes runs
(`resume_spot`), with the options of `settings`, the costs of `cost` and locks as text of `lock_text`; `work` and
`growing_work` are a solve as a session drives it, `folder` is a run's folder, `result` what was reached, and
`exploit` an answer to one player's strategy. `opening` opens a run (`open_spot`), and `locking` locks a node of
it. `nodes/` answers for lines of play, `files/` reads spots from files, `flops/` solves a spot on many flops.
Start with `run`.
"""
