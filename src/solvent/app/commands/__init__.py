"""One module for each command, or for each group of commands: options in, a document or a view out.

Commands import views and the library, and never each other; what several need stands one folder up. Start with
`games.py`, the smallest, or with `show.py`.
"""
