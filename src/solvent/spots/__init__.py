"""The verb `spot`: hold'em situations from options to nodes, without a terminal.

`spot` is the front for Python (`solvent.Spot`). `run` solves a spot to a target (`solve_spot`) and resumes runs
(`resume_spot`), with the options of `settings`, the costs of `cost` and the `locks` of decisions; `work` and
`growing_work` are a solve as a session drives it, `folder` is a run's folder, and `exploit` measures a run against
a larger tree. `files` reads spots from files, and `requests` puts them together with options and runs to start
from. `nodes/` answers for lines of play and opens runs (`open_spot`), `flops/` solves a spot on many flops. Start
with `run`.
"""
