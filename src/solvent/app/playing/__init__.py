"""A person at the table, for `solvent play`.

`session` deals hands, shows them and asks; start reading there. `answers` reads what is typed, and `watched_agent`
keeps what the agent thought. This folder imports the library, `app.terminal` and views, and no command.
"""
