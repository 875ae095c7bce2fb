"""What commands show: tables, charts, pictures and HTML pages, made from what the library found.

Views import the library and `app.terminal`, and no command. Start with `strategies.py`, which shows solved
games; `agent_strategies.py` shows a trained agent at one hand or as a grid of all hands in the terminal.
`evaluation_summary.py` is the table that `solvent evaluate` ends in, `evaluation_tables.py` has all of its tables.
`report.py` is the page of a training, with the charts of `html_chart.py`, and `action_colours.py` the one
palette of actions.
"""
