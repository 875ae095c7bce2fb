"""The `solvent compare` command: two strategies side by side and against each other."""

from __future__ import annotations

from solvent.app.options import Json, RunFolder
from solvent.app.terminal import print_json, terminal


def compare(a: RunFolder, b: RunFolder, as_json: Json = False) -> None:
    """How two strategies of one game differ, and what each wins against the other."""
    from solvent.app.views.display import comparison_table
    from solvent.app.views.head_to_head import head_to_head

    document = head_to_head(a, b)
    if as_json:
        print_json(document)
    else:
        terminal().print(comparison_table(document))
