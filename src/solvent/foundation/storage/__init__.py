"""Files and folders that survive kills.

`files` writes a file whole or not at all; `bundle` is a folder of tables that are compared with their checksums
when they are opened; `run` is the folder of everything that takes long, with its configuration, checkpoints and
metrics; `pack` makes one file of a run. `reading` reads texts from elsewhere within bounds. It imports the rest
of `foundation` alone. Start with `run`.
"""
