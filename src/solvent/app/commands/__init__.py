"""One module for each command, in the folders of the help's panels: `games`, `agents`, `runs` and `tools`.

A command reads options and prints a document or a view of it. Commands import views and the library, and never each
other; what several need stands one folder up. Start with `games/games.py`, the smallest, or with `runs/show.py`.
"""
