"""Views of what was measured of an agent.

`summary` is the table that `solvent evaluate` ends in, `tables` has every figure, and `section` is the part of the
report that says them.
"""
