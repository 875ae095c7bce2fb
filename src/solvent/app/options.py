"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
RunFolder = Annotated[Path, typer.Argument(help="A run's folder, or a saved strategy's.")]
