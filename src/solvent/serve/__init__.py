"""Protocols and pages over spots, play and solving.

`upi/` speaks the protocol of other solvers' viewers and scripts. This room imports every room left of it and is
imported by `app` alone.
"""
