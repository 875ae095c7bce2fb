"""The command line: commands, and views of what the library found.

`main.py` is where the process begins and `command_line.py` lists the commands. Each command reads its options in
`commands/`, calls the library, and hands the result to `views/`, which draws tables, charts and pages. `options.py`
and `agent_options.py` have options that commands share, `settings_options.py` makes options from settings,
`terminal.py` prints and shows progress, `output.py` writes files, `outcomes.py` turns every error into a sentence
and an exit code, and `playing.py` seats a person at the table. Whatever computes stands in other rooms. This room
may import all of them; nothing imports it but commands of other distributions. Start with `command_line.py`.
"""
