"""How kernels that allocate nothing are compiled: no references to arrays are counted, which doubles their speed.

Numba counts references wherever a function may keep an array. A kernel that only reads and writes arrays it was
given keeps none, and `_nrt=False` tells Numba so; one that allocates after all is refused when it is compiled.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numba import njit

kernel: Any = partial(njit, cache=True, nogil=True, error_model="numpy", _nrt=False)
"""The decorator of a kernel that allocates nothing."""
step: Any = partial(kernel, inline="always")
"""Of a part of kernels that is compiled into them."""
part: Any = partial(kernel, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Of a part that only kernels call: nothing is compiled to call it from Python, as would take long."""
