"""Functions that only compiled functions call: no machine code of their own, and the cache of the disk has them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

KERNELS = """
from solvent.foundation.kernels.compiling import compiled, internal, internal_compiled


@internal
def half(x):
    return x / 2


@internal_compiled
def checked(x):
    if x < 0:
        raise ValueError("below zero", x)
    return half(x)


@compiled
def one_more(x):
    return checked(x) + 1


@compiled
def one_less(x):
    return checked(x) - 1
"""

ONE = """
import kernels
import pytest
from numba.core import event

made = []

class Listener(event.Listener):
    def on_start(self, event):
        made.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
caller = kernels.{caller}
assert caller(3.0) == {value}
with pytest.raises(ValueError, match="below zero") as caught:
    caller(-2.0)
assert caught.value.args == ("below zero", -2.0)

def in_machine_code(name):
    (found,) = getattr(kernels, name).overloads.values()
    return found.fndesc.llvm_func_name.encode() in found.library._get_compiled_object()

print(*((name, in_machine_code(name)) for name in made))
"""


@pytest.mark.slow
def test_the_callers_alone_become_machine_code_and_the_cache_has_what_they_call(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    here = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(caller: str, value: float) -> str:
        program = [sys.executable, "-c", ONE.format(caller=caller, value=value)]
        return subprocess.run(
            program, cwd=tmp_path, env=here, check=True, capture_output=True, text=True
        ).stdout

    assert run("one_more", 2.5) == "('one_more', True) ('checked', False) ('half', False)\n"
    assert run("one_less", 0.5) == "('one_less', True)\n"
    assert run("one_less", 0.5) == "\n"
