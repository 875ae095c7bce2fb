"""What commands show: tables, charts, pictures and HTML pages, made from what the library found.

Views import the library and `app.terminal`, and no command. Start with `strategies.py`, which shows solved
games; `agent_strategies.py` shows a trained agent at one hand or as a grid of all hands in the terminal.
`evaluation/` shows what was measured of an agent, `spots/` what a spot is worth. `report.py` is the page of a
training. All draw with `charts/`, which has the one palette of actions.
"""
