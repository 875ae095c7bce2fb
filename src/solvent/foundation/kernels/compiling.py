"""Decorators for compiled functions, so that all of them are compiled alike.

Every one of them is kept on the disk (`caching`) and releases the interpreter's lock while it runs. Numba counts
references wherever a function may keep an array. A kernel that only reads and writes the arrays that it is given
keeps none: telling Numba so (`_nrt=False`) doubles its speed, and Numba refuses to compile it if it allocates after
all.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numba import njit

from solvent.foundation.kernels.caching import keep_on_disk
from solvent.foundation.kernels.linking import LinkedOnly


def compiled(function: Any = None, /, **options: Any) -> Any:
    """Decorator for compiled functions that may allocate arrays; `options` are Numba's.

    Without `forceinline=False` a function would take the setting over from whichever caller has it compiled first.
    The wrapper that Numba would add for calls from C is for functions in variables, and there are none.
    """
    if function is None:
        return partial(compiled, **options)
    made: Any = njit(**{"nogil": True, "forceinline": False, "no_cfunc_wrapper": True} | options)(function)
    if hasattr(made, "py_func"):  # unless Numba was told to compile nothing
        keep_on_disk(made)
    return made


kernel: Any = partial(compiled, error_model="numpy", _nrt=False)
"""Decorator for kernels: compiled functions that allocate nothing."""
inlined: Any = partial(kernel, inline="always")
"""Decorator for helper functions that Numba inlines into kernels."""
internal: Any = partial(kernel, no_cpython_wrapper=True, pipeline_class=LinkedOnly)
"""Decorator for kernels that only compiled functions call: without a wrapper for Python and without machine code of
their own they compile sooner."""
internal_compiled: Any = partial(compiled, no_cpython_wrapper=True, pipeline_class=LinkedOnly)
"""Decorator for functions that may allocate and that only compiled functions call."""
joined: Any = partial(internal, forceinline=True)
"""Decorator for helper functions that LLVM always inlines into their callers.

It compiles sooner than `inlined` where there are many calls. Numba passes each array as seven or more separate
numbers, so a call with large tuples of arrays may take longer than the work of the helper.
"""
