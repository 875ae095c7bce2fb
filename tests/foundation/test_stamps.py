"""Stamps of compiled functions: they change with all that the compiler reads, and with nothing else."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from kernel_uses import SOURCE, kernels, uses
from numba import float64, int64, types

from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.stamps import Stamps, UnstampedError

FILES = {
    "deep": """
        SCALE = 2.0
        WEIGHTS = np.arange(3.0)

        def instruction(builder, x):
            return builder.fmul(x, x)

        class Writer:
            factor = 3
            def __init__(self, builder): self.builder = builder
            @property
            def count(self): return self.factor + 1
            def write(self, x): return instruction(self.builder, x)
    """,
    "middle": """
        import deep
        from deep import SCALE, WEIGHTS, Writer

        class Pair(NamedTuple):
            first: float
            second: float

        @intrinsic
        def square(typing, x):
            def generate(context, builder, signature, arguments):
                return Writer(builder).write(arguments[0])
            return types.float64(types.float64), generate

        def made(factor):
            def write(x): return x * factor
            return inlined(write)

        twice, thrice = made(2), made(3)

        @inlined
        def scaled(x):
            return SCALE * x

        @inlined
        def unused(x):
            return x + 1
    """,
    "top": """
        import middle
        from middle import Pair, scaled, twice

        @kernel
        def constant(x): return middle.scaled(x)

        @kernel
        def array(x): return scaled(x) + middle.WEIGHTS[0]

        @kernel
        def squared(x): return middle.square(x)

        @kernel
        def paired(x): return Pair(x, 2.0).first

        @kernel
        def doubled(x): return twice(x)

        @compiled
        def alone(x):
            '''Nothing else.'''
            return x
    """,
}
IMPORTS = """
from typing import NamedTuple
import numpy as np
from numba import types
from numba.extending import intrinsic
from solvent.foundation.kernels.compiling import compiled, inlined, kernel
"""
KERNELS = ("constant", "array", "squared", "paired", "doubled", "alone")

Stamped = Callable[..., dict[str, bytes]]


@pytest.fixture
def stamped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stamped]:
    """Stamps of the kernels in `top` after an edit: a file, what stands there, and what shall."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two edits in one second look alike to Python

    def stamps(file: str = "top", old: str = "", new: str = "") -> dict[str, bytes]:
        for name, content in FILES.items():
            text = IMPORTS + re.sub("^ {8}", "", content, flags=re.MULTILINE)
            assert name != file or old in text
            (tmp_path / f"{name}.py").write_text(text.replace(old, new, 1) if name == file else text)
            sys.modules.pop(name, None)
        top = import_module("top")
        return {name: Stamps().of(getattr(top, name)) for name in KERNELS}

    yield stamps
    for name in FILES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        ("deep", "SCALE = 2.0", "SCALE = 3.0", "constant array"),
        ("deep", "SCALE = 2.0", "SCALE = 2", "constant array"),
        ("deep", "np.arange(3.0)", "np.arange(3.0) + 1", "array"),
        ("deep", "builder.fmul", "builder.fadd", "squared"),
        ("deep", "factor = 3", "factor = 4", "squared"),
        ("deep", "self.factor + 1", "self.factor + 2", "squared"),
        ("middle", "SCALE * x", "SCALE + x", "constant array"),
        ("middle", "SCALE * x", "SCALE * x  # a comment", ""),
        ("middle", "arguments[0]", "arguments[-1]", "squared"),
        ("middle", "first: float\n    second", "second: float\n    first", "paired"),
        ("middle", "made(2), made(3)", "made(3), made(2)", "doubled"),
        ("middle", "@inlined\ndef scaled", "@inlined(fastmath=True)\ndef scaled", "constant array"),
        ("middle", "return x + 1", "return x + 2", ""),
        ("top", "import middle", "\n\n\nimport middle", ""),
        ("top", "Nothing else", "Nothing more", ""),
        ("top", "@compiled", "@kernel", "alone"),
        ("top", "return x\n", "return -x\n", "alone"),
    ],
)
def test_an_edit_changes_the_stamps_of_what_uses_it(
    stamped: Stamped, file: str, old: str, new: str, changed: str
) -> None:
    before, after = stamped(), stamped(file, old, new)
    assert [name for name in KERNELS if before[name] != after[name]] == changed.split()


def test_functions_passed_in_and_fields_of_tuples_are_in_the_stamp_of_arguments(stamped: Stamped) -> None:
    def described(*edit: str) -> bytes:
        stamped(*edit)
        top = import_module("top")
        pair = types.NamedTuple((float64, float64), top.Pair)
        return Stamps().of(types.Dispatcher(top.constant), pair, types.Tuple((int64, float64[:])))

    plain = described()
    assert described() == plain
    assert described("deep", "SCALE = 2.0", "SCALE = 3.0") != plain
    assert described("middle", "first: float\n    second", "second: float\n    first") != plain
    assert described("middle", "return x + 1", "return x + 2") == plain
    assert Stamps().of(int64, float64) != Stamps().of(float64, int64)


def test_what_cannot_be_described_is_refused() -> None:
    state = np.array([object()], dtype=object)

    @kernel
    def reads(x):
        return state, x

    @kernel
    def imports(x):
        import math

        return math.sqrt(x)

    with pytest.raises(UnstampedError, match="an array of object"):
        Stamps().of(reads)
    with pytest.raises(UnstampedError, match="import"):
        Stamps().of(imports)
    with pytest.raises(UnstampedError, match="argument"):
        Stamps().of(types.List(types.NamedTuple((int64,), type("Own", (), {"_fields": ("a",)}))))


def test_a_value_that_was_replaced_changes_the_stamp(
    stamped: Stamped, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamped()
    stamps, top = Stamps(), import_module("top")
    before = stamps.of(top.constant)
    monkeypatch.setattr(import_module("middle"), "SCALE", 5.0)
    assert stamps.of(top.constant) != before


def test_every_kernel_of_the_package_has_a_stamp() -> None:
    stamps = Stamps()
    found = {name: stamps.of(dispatcher) for name, dispatcher in kernels().items()}
    assert len(found) > 500
    assert {name: Stamps().of(kernels()[name]) for name in list(found)[::40]} == dict(
        list(found.items())[::40]
    )


def test_an_edit_of_a_helper_compiles_few_kernels() -> None:
    found = uses()
    assert "solvent.foundation.errors.InputError" not in found
    assert 10 < len(found["solvent.engines.vectors.matching.share_of"]) < 40
    assert median(len(kernels) for kernels in found.values()) < 10


def test_nothing_is_compiled_that_no_name_leads_to() -> None:
    """Implementations by the types of arguments are found by the compiler alone: no stamp would see their edits."""
    registered = (
        r"overload\w*|register_jitable|lower_\w+|type_callable|typeof_impl|infer\w*|jitclass|structref"
    )
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        assert not re.search(rf"(numba\S* import .*|extending\.|register\.)\b({registered})\b", text), path
        assert path.stem == "compiling" or not re.search(r"\bnumba import .*\bn?jit\b", text), path
