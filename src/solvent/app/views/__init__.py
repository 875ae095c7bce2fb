"""What commands show: tables, charts, pictures and HTML pages, made from what the library found.

Views import the library and `app.terminal`, and no command. Start with `strategies.py`; `report.py` is the page
of a training, and `action_colours.py` the one palette of actions.
"""
