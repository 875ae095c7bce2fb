"""Texts that nobody meant: random ones, mutations of valid ones, digits of other scripts, very long ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from solvent.foundation.errors import LONGEST, InputError

DIGITS = "²٣९①𝟗½Ⅷ၈\N{KELVIN SIGN}ſ"
"""Characters that Python takes for digits, numbers or, where case counts not, for ASCII letters."""
PIECES = (
    *DIGITS, "", " ", "\0", "\n", "\t", "-", "--", "+", "=", ",", ";", ":", ":0.5", ":²", "|", "/", "\\", "#", "%",
    "50%", "²%", "x", "2.5x", "e", "3e", "a", "bb", "0", "-0", "1.5", "1e5", "1e999", "-1", "inf",
    "0x10", "9" * 19, "9" * 400, "30.5", "bet 30.5", "raise ²", "(", ")", "()", "[", "]", "[[[[", "{", "}",
    "'", '"', "''", "*", "?", "As", "AsAs", "1s", "AA", "AK+", "22-", "\ud800", "\u202e", "é", "ß", "İ", "true",
    "None", "auto", "@", "nan", "1_0",
)  # fmt: skip
LONG = 100_000
"""Letters that a command line can bring; files and lines of protocols may bring more."""
SECONDS = 2.0


@st.composite
def mutations(draw: st.DrawFn, valid: Sequence[str]) -> str:
    """A valid text in which one to three pieces are inserted, replaced, taken out or repeated."""
    text = draw(st.sampled_from(valid))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        stop = draw(st.integers(start, min(len(text), start + 6)))
        text = text[:start] + draw(st.sampled_from(PIECES)) + text[stop if draw(st.booleans()) else start :]
    return text


@st.composite
def long_texts(draw: st.DrawFn, valid: Sequence[str]) -> str:
    """A piece repeated until the text is long, alone or somewhere in a valid text."""
    text, piece = draw(st.sampled_from(valid)), draw(st.sampled_from([*PIECES, *valid])) or "a"
    at = draw(st.integers(0, len(text)))
    many = (piece + draw(st.sampled_from(("", "", ",", ";", " ", "\n")))) * (LONG // len(piece))
    return text[:at] + many[:LONG] + text[at:]


def any_text(valid: Sequence[str]) -> st.SearchStrategy[str]:
    """Random text, mutations of valid texts, and long texts."""
    return st.one_of(
        st.text(max_size=30), st.text("0123456789.%xeabcAKs+-,:;=() " + DIGITS, max_size=30), mutations(valid),
        mutations(valid), long_texts(valid),
    )  # fmt: skip


def check_read(read: Callable[[str], Any], text: str) -> None:
    """Fail unless the text is read, or refused in a sentence of bounded length, within `SECONDS`."""
    begun = time.process_time()
    try:
        read(text)
    except InputError as refusal:
        assert str(refusal).strip()
        assert len(str(refusal)) <= LONGEST + 100
    assert time.process_time() - begun < SECONDS
