"""Own code by name: from files and modules, and what is said where it cannot be used."""

from __future__ import annotations

import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.own_code import call_own, explained, load_own

SOURCE = """
from dataclasses import dataclass

class Plain:
    value = 7

@dataclass
class Asking:
    value: int

def made():
    return Plain()

def fails():
    return 1 / 0

def leaves():
    raise SystemExit("enough")

here = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "own_things.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("x = 1\ny = unknown\n")
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "torn.py").write_text("class X(:\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_classes_functions_and_objects_are_found(folder) -> None:
    assert load_own("own_things.py:Plain").value == 7
    assert call_own(f"{folder}/own_things.py:Plain", "agent").value == 7
    assert call_own("own_things:made", "agent").value == 7
    assert call_own("own_things.py:here", "agent") == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("own_things.py:Plane", "own_things.py has no agent 'Plane'; did you mean Plain"),
        ("nowhere.py:Plain", "there is no file nowhere.py"),
        ("nowhere_at_all:Plain", "there is no module 'nowhere_at_all'"),
        ("own_things.py:Asking", r"cannot be made without arguments: TypeError.*value"),
        ("own_things.py:fails", r"ZeroDivisionError: division by zero \(own_things.py, line 15\)"),
        ("broken.py:X", r"broken.py cannot be imported: NameError: .*unknown.*\(broken.py, line 2\)"),
        ("own_things.py:leaves", r"SystemExit: enough \(own_things.py, line 18\)"),
        ("leaving.py:X", r"leaving.py cannot be imported: SystemExit: 3 \(leaving.py, line 2\)"),
        ("leaving:X", r"leaving cannot be imported: SystemExit: 3 \(leaving.py, line 2\)"),
        ("torn:X", r"torn cannot be imported: SyntaxError: .*\(torn.py, line 1\)"),
        ("own things", "written module:Class or file.py:Class"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(folder, text, said) -> None:
    with pytest.raises(InputError, match=said) as refused:
        call_own(text, "agent")
    assert "\n" not in str(refused.value)


def test_errors_of_own_code_are_explained_and_others_are_not(folder) -> None:
    fails = load_own("own_things.py:fails")
    with pytest.raises(InputError, match=r"ZeroDivisionError.*\(own_things.py, line 15\)"), explained():
        fails()
    leaves = load_own("own_things.py:leaves")
    with pytest.raises(InputError, match=r"SystemExit: enough \(own_things.py, line 18\)"), explained():
        leaves()
    with pytest.raises(SystemExit), explained():
        raise SystemExit
    with pytest.raises(ZeroDivisionError), explained():
        _ = 1 / 0


def test_a_method_that_own_code_lacks_is_named_and_one_of_ours_is_not(folder) -> None:
    with (
        pytest.raises(
            InputError, match="own code failed: AttributeError: 'Plain' object has no attribute 'payoffs'"
        ),
        explained(),
    ):
        call_own("own_things.py:Plain", "game").payoffs()
    with pytest.raises(AttributeError), explained():
        folder.payoffs()
