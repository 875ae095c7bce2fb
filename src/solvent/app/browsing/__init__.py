"""Looking into runs of spots: what `solvent show`, `export` and `compare` do with them.

`shown` reads the options of `show` and makes its document, which `node_tables` lays out; `exported` writes nodes
as JSON, CSV, range text, HTML and pictures; `compared` says where two runs of a spot differ. Imports from
everything but `app.commands`. Begin with `shown`.
"""
