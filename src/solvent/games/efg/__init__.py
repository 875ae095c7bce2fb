"""Gambit's extensive-form files (`.efg`), read and written.

The format (https://gambitproject.readthedocs.io, "Game representation formats") lists a tree in preorder, one
node per entry: `c` is a chance node, `p` a player's decision, `t` the end of a history. Infosets and outcomes are
numbered, and described where they are first mentioned. An outcome may stand at any node; a history pays the sum of
the outcomes on its way.

Gambit allows only printable ASCII in labels, with no space at either end and no two spaces in a row. Any other
character is written as a character reference, `&#10;` for a new line, and restored when the file is read.

Start with `reading.read_efg` and `writing.write_efg`; `labels` quotes labels and tells them apart. This folder
imports from `games` and `foundation` only.
"""
