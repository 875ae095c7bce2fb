"""Choices of the engines where nothing is said, and the names that options may take."""

from __future__ import annotations

UPDATES = ("alternating", "simultaneous")
"""Update modes: one player after the other, or both from the same strategies."""
DTYPES = ("auto", "float64", "float32")
"""Numbers of tables of general games."""
DEFAULT_RULE = "dcfr"
HOLDEM_RULE = "dcfr(1.5,0,3)"
"""The rule of spots and of no-limit games on the hold'em form."""
HOLDEM_DTYPES = ("float32", "float64", "int16")
"""Numbers of tables on the hold'em form. Those of int16 have a scale for each decision on each board, and passes
over them are in float32."""
