from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from solvent.forms.history import GameTree, compile_tree
from solvent.games.catalogue import load_game


@cache
def compiled(name: str) -> GameTree:
    """A compiled game, once per test process."""
    return compile_tree(load_game(name))
