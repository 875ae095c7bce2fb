"""Solving and browsing spots over UPI, the text protocol of PioSOLVER that its viewers and scripts speak.

`session.py` takes lines and says answers, `setup.py` collects the commands that describe a tree, `nodes.py` names
nodes as the protocol does (`r:0:b100:c:8h`), `numbers.py` reads and writes the protocol's 1,326 numbers, and
`solving.py` solves on a thread of its own. The numbers of a node come from `spots`. This folder may import all
rooms left of it; only its command imports it. Start with `session.py`.
"""
