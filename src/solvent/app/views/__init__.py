"""Tables, charts, pictures and HTML pages of what commands found.

Views import the library and `app.terminal`, and no command. Start with `strategies.py`, which shows solved games,
and a trained agent at one hand or as a chart of all hands. `comparison.py` sets two of them side by side,
`evaluation.py` shows measurements of an agent, `abstraction.py` its cards, and `report.py` writes the page of its
training. `spots/` shows spots. All draw with `charts/`.
"""
