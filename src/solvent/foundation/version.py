"""The version of this package, which runs and results note."""

from __future__ import annotations

__version__ = "0.1.0"
