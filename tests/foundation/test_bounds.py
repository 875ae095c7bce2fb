"""Bounds on what comes from outside: names, numbers, files, lines, and how much of it a message repeats."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import time
from pathlib import Path

import pytest

import solvent
from solvent.foundation.errors import LONGEST, InputError, shortened
from solvent.foundation.names import did_you_mean
from solvent.foundation.storage.reading import parse_toml, read_line, read_text
from solvent.foundation.units import parse_decimal, parse_share, parse_whole
from solvent.games.catalogue import load_game
from solvent.solving.solve import solve
from solvent.strategy.solved.tables import LONGEST_PATTERN, matching_rows
from solvent.strategy.strategy import NoSuchInfosetError


def test_a_message_repeats_only_the_ends_of_what_was_given() -> None:
    with pytest.raises(InputError) as refused:
        load_game("a" * 100_000)
    said = str(refused.value)
    assert said.startswith("there is no game 'aaaa")
    assert "letters left out]aaaa" in said
    assert said.endswith("file.py:Class")
    assert len(said) < 600
    assert len(str(InputError("AA, " * 100_000))) <= LONGEST
    assert len(str(InputError(f"no {'AA, ' * 100_000!r} here; write AK"))) < 300


@pytest.mark.parametrize("text", ["", "short", "a" * 250, "it's " + "of one's own " * 100, "a 'b c' " * 100])
def test_what_is_not_long_is_not_shortened(text: str) -> None:
    assert str(InputError(text)) == text


def test_shortening_twice_changes_nothing_more() -> None:
    for text in (
        "a" * 5_000,
        "a b " * 5_000,
        f"{'a b' * 5_000!r} and {'c' * 5_000}",
        "'" * 5_000,
        "é" * 99_999,
    ):
        once = shortened(text)
        assert shortened(once) == once
        assert len(once) <= LONGEST


def test_errors_keep_what_errors_do() -> None:
    error = InputError("wrong " + "a" * 5_000)
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == error.args[0]
    assert str(NoSuchInfosetError("K|")) == "K|"
    assert str(InputError()) == ""


def test_names_of_any_length_are_compared_at_once() -> None:
    begun = time.process_time()
    assert did_you_mean("a" * 20_000_000, ["aaa", "b"]) == ""
    assert did_you_mean("kuhn", ["k" * 20_000_000, "kuhm"]) == "; did you mean kuhm?"
    assert time.process_time() - begun < 2


def test_numbers_are_ascii_and_bounded() -> None:
    for text in ("²", "٣", "①", "𝟗", "1_0", "0x10", "", " ", "+", "--1", "9" * 5_000, "1.", "one"):
        assert parse_whole(text) is None, text
    for text in ("²", "٣.٥", "1_0", "nan", "inf", "1e999", "1e-9999999999", ".", "1.2.3", "9" * 5_000 + "x"):
        assert parse_decimal(text) is None, text
        assert parse_share(text) is None, text
    assert parse_whole(" +18446744073709551615 ") == 2**64 - 1
    assert parse_decimal("-1.5e3") == -1500


def test_files_pipes_and_devices_are_read_up_to_a_bound(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"a" * 101)
    (tmp_path / "latin").write_bytes(b"\xe9")
    for name, sentence in {
        "/dev/zero": "is too large: at most 100 B are read",
        "pipe": "it is a pipe that nobody writes to",
        ".": "it is a folder, not a file",
        "none": "there is no file",
        "large": "is too large: at most 100 B are read",
        "latin": "it is no text in UTF-8",
        "nu\0l": "cannot read",
        "a" * 5_000: "File name too long",
    }.items():
        with pytest.raises(InputError, match=sentence):
            read_text(tmp_path / name, 100)
    (tmp_path / "large").write_bytes(b"\xef\xbb\xbfa")
    assert read_text(tmp_path / "large", 100) == "a"
    assert read_text("/dev/null", 100) == ""


@pytest.mark.parametrize("commands", ["printf AA,KK", "sleep 1.3; printf AA,; printf KK"])
def test_what_another_command_writes_is_read(commands: str) -> None:
    with subprocess.Popen(["sh", "-c", commands], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert read_text(f"/dev/fd/{writer.stdout.fileno()}", 100) == "AA,KK"


@pytest.mark.parametrize(
    "text",
    [
        f"a = {'9' * 5_000}",
        f"a = {'[' * 5_000}",
        "a = \0",
        "a",
        f"{'a.' * 30_000}a = 1",
        f"[a{'.a' * 30_000}]",
    ],
)
def test_toml_of_any_kind_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(InputError, match="it is not TOML"):
        parse_toml(text, "it")


def test_lines_are_read_with_a_bound() -> None:
    stream = io.BytesIO(b"one\n" + b"a" * 1_000 + b"\ntwo\n" + b"b" * 20 + b"\nlast")
    found = [read_line(stream, 20) for _ in range(6)]
    assert found == [b"one\n", b"a" * 21, b"two\n", b"b" * 20 + b"\n", b"last", b""]


def test_an_option_is_named_by_the_nearest() -> None:
    spot = solvent.Spot("Td9d6hQc2s", "QQ,76s", "JJ,T9s", pot=200, stack=900, bets="a")
    with pytest.raises((InputError, TypeError), match=r"iteratons.*did you mean iterations"):
        spot.solve(iteratons=3)  # type: ignore[call-arg]
    with pytest.raises((InputError, TypeError), match="iteratons"):
        solve("leduc", iteratons=3)  # type: ignore[call-arg]


def test_a_pattern_that_would_take_long_is_refused() -> None:
    """Brackets without an end take the square of their number to read: 30,000 of them took 16 seconds."""
    strategy = solve("kuhn", iterations=1).strategy
    with pytest.raises(InputError, match="a pattern has at most 4,000 letters, not 30,001"):
        matching_rows(strategy, "[" * 30_000 + "*", None, 5)
    began = time.process_time()
    assert matching_rows(strategy, "[" * (LONGEST_PATTERN - 1) + "*", None, 5) == ([], 0)
    assert time.process_time() - began < 2
