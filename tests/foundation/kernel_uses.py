"""Kernels that an edit has compiled again, counted and named.

python tests/foundation/kernel_uses.py                    # by module, and over all functions and constants
python tests/foundation/kernel_uses.py matching.share_of  # the kernels that use one of them
"""

from __future__ import annotations

import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from numba.core.dispatcher import Dispatcher

import solvent
from solvent.foundation.kernels.stamps import Stamps

SOURCE = Path(solvent.__file__).parent


def kernels() -> dict[str, Any]:
    """Every compiled function of the package, by the module and the name of its function."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if "kernels.compiling import" in path.read_text():
            module = import_module(".".join(("solvent", *path.relative_to(SOURCE).with_suffix("").parts)))
            for value in vars(module).values():
                if isinstance(value, Dispatcher) and value.py_func.__module__ == module.__name__:
                    found[f"{module.__name__}.{value.py_func.__qualname__}"] = value
    return found


def uses() -> dict[str, set[str]]:
    """The kernels that are compiled again when a function, a class or a constant of the package changes."""
    stamps, found = Stamps(), defaultdict(set)
    for kernel, dispatcher in kernels().items():
        found[kernel].add(kernel)
        for use in stamps.reached(dispatcher):
            if (name := _home(use.namespace, use.name)) is not None:
                found[name].add(kernel)
    return dict(found)


def _home(namespace: Any, name: str) -> str | None:
    """The place in the package where a name's value is written, or None."""
    value = namespace[name]
    value = getattr(value, "py_func", None) or getattr(value, "_defn", value)
    module, written = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(written, str):
        module, written = namespace["__name__"], name
    return f"{module}.{written}" if module.partition(".")[0] == "solvent" else None


def main(asked: list[str]) -> None:
    found = uses()
    for name in asked:
        for at in sorted(at for at in found if at.endswith(name)):
            print(f"{at}: {len(found[at])}", *sorted(found[at]), sep="\n  ")
    if asked:
        return
    modules: dict[str, list[str]] = defaultdict(list)
    for name in found:
        modules[name.rpartition(".")[0]].append(name)
    print("module: functions and constants; kernels by an edit of one (median, most), of all")
    for module, names in sorted(modules.items()):
        counts = [len(found[name]) for name in names]
        every = set.union(*(found[name] for name in names))
        print(f"{module}: {len(names)}; {median(counts):.0f}, {max(counts)}, {len(every)}")
    counts = [len(kernels) for kernels in found.values()]
    print(
        f"{len(kernels())} kernels; {len(counts)} things that they use, each by {median(counts):.0f} (median)"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
