"""Claims that the ledger calls not built: the command is refused, and no code speaks of them."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from solvent.app.command_line import run as run_here
from solvent_papers.frame.judging import Verdict
from solvent_papers.ledger.ledger import Absent, Claim, papers

SOURCE = Path(__file__).parents[2] / "src" / "solvent"
CLAIMS = [claim for paper in papers() for claim in paper.claims]
DENIED = [
    claim for claim in CLAIMS if claim.missing is not None and claim.missing.verdict is Verdict.NOT_BUILT
]
DENIES = re.compile(r"\b(not (yet )?(built|implemented|supported)|stays? in memory)\b|\byet\b")
"""Words of a row that deny something."""


@cache
def code() -> str:
    """The text of the whole product, to which the experiments and their ledger do not belong."""
    return "\n".join(each.read_text() for each in sorted(SOURCE.rglob("*.py")))


def is_named(absent: Absent) -> bool:
    """Whether the code speaks of it."""
    return re.search(absent.words, code(), re.IGNORECASE) is not None


def named(claim: Claim) -> str:
    return f"{claim.place}: {claim.states[:40]}"


@pytest.mark.parametrize("claim", DENIED, ids=named)
def test_what_is_not_built_is_refused_and_stands_nowhere(
    claim: Claim, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert claim.missing is not None
    absent = claim.missing.absent
    assert absent is not None
    program, *words = shlex.split(absent.command)
    assert program == "solvent"
    assert run_here([*words, "--out", str(tmp_path / "run")]) == 2
    said = capfd.readouterr().err
    assert any(word in said for word in words[-2:]), f"refused for another reason: {said}"
    assert not is_named(absent), f"there is code about it: {absent.words}"


def test_what_was_built_since_would_be_found() -> None:
    """A row that had become false: SAEF."""
    assert is_named(Absent("solvent solve continuous_leduc --grow recovery", "saef"))


def test_nothing_else_in_the_ledger_says_that_something_is_missing() -> None:
    for claim in CLAIMS:
        assert not DENIES.search(claim.ours), named(claim)
        if claim.missing is not None and claim not in DENIED and claim.criterion is None:
            assert not DENIES.search(claim.missing.reason), named(claim)
