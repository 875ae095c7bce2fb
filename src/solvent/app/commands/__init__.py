"""One module for each command, in the folders of the panels of the help: options in, a document or a view out.

Commands import views and the library, and never each other; what several need stands one folder up. Start with
`games/games.py`, the smallest, or with `runs/show.py`.
"""
