"""The command line.

`main.py` is where the process begins and `command_line.py` lists the commands. Each command reads its options in
`commands/`, calls the library, and hands what it found to `views/`, which draws tables, charts and pages.
`outcomes.py` turns every error into a sentence and an exit code, `watching.py` shows progress, `terminal.py`
prints, `output.py` writes files, `agent_options.py` is what commands on agents share, `playing/` seats a person
at the table, and `spot/` has the subcommands of `solvent spot`. This room may import every other; nothing
imports it but commands of other distributions. Start with `command_line.py`.
"""
