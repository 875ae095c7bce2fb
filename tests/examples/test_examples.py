"""Every example runs, on small games."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import solvent

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_own_game() -> None:
    game = example("rock_paper_scissors").RockPaperScissors()
    result = solvent.solve(game, iterations=500)
    assert result.strategy[0, "your throw"] == pytest.approx(
        dict.fromkeys(("rock", "paper", "scissors"), 1 / 3), abs=0.01
    )


def test_public_game() -> None:
    result = example("public_game").main(ranks=3)
    assert result.exploitability < 1e-3


def test_own_rule() -> None:
    found = example("own_rule").main("kuhn", iterations=200)
    assert all(exploitability < 0.05 for exploitability in found.values())


def test_local_update() -> None:
    found = example("local_update").main("kuhn", iterations=200)
    assert all(exploitability < 0.02 for exploitability in found.values())


def test_own_policy(capsys: pytest.CaptureFixture[str]) -> None:
    assert example("own_policy").main() > 0
    assert "best response wins" in capsys.readouterr().out


def test_own_agent() -> None:
    assert example("own_agent").main(hands=40, response_hands=8) == pytest.approx(0, abs=1e5)


def test_sweep(tmp_path: Path) -> None:
    found = example("sweep").main(str(tmp_path / "x.png"), ("kuhn",), ("cfr", "dcfr+"), 50)
    assert found["kuhn", "dcfr+"] < found["kuhn", "cfr"]
    assert (tmp_path / "x.png").stat().st_size > 1000


def test_there_is_a_test_for_each_example() -> None:
    text = Path(__file__).read_text()
    assert all(f'"{path.stem}"' in text for path in EXAMPLES.glob("*.py"))


def test_names_load_on_first_use() -> None:
    """Importing the package and its facades loads no compiler."""
    code = (
        "import sys, solvent\nfrom solvent import cards, holdem, play\n"
        "assert 'numba' not in sys.modules and 'numpy' not in sys.modules\n"
        "for package in (solvent, cards, holdem, play):\n"
        "    assert all(getattr(package, name) is not None for name in dir(package))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
