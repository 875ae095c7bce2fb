"""Decorators for compiled functions: all of them are compiled with the same settings.

Compiled functions are kept on the disk (`caching`) and release the interpreter's lock while they run. Numba counts
references wherever a function may keep an array. A kernel that only reads and writes the arrays that it is given
keeps none: telling Numba so (`_nrt=False`) doubles its speed, and Numba refuses to compile it if it allocates after
all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from numba import njit

from solvent.foundation.kernels.caching import keep_on_disk

binding: Any = import_module("llvmlite.binding")
cgutils: Any = import_module("numba.core.cgutils")
codegen: Any = import_module("numba.core.codegen")
compiler: Any = import_module("numba.core.compiler")

ENVIRONMENT = "_ZN08NumbaEnv"
"""Prefix of global variables that hold a function's environment, which error messages need."""


class LinkedLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Intermediate code of one function for callers to link, with machine code for its global variables alone."""

    _final_module: Any

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        linked = self._final_module
        self._final_module = self._variables(linked)
        super()._finalize_final_module()
        self._final_module = linked

    def _variables(self, module: Any) -> Any:
        """A module with the environments that `module` names: Numba fills them in when a function is ready."""
        variables = self._codegen._create_empty_module(self.name)
        for variable in module.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                environment = cgutils.add_global_variable(variables, cgutils.voidptr_t, variable.name)
                environment.linkage = "common"
                environment.initializer = cgutils.get_null_value(cgutils.voidptr_t)
        return binding.parse_assembly(str(variables))


class LinkedOnly(compiler.Compiler):  # type: ignore[misc]
    """Numba's compiler for functions that only other compiled functions call.

    Numba turns every compiled function into machine code, and links the optimized intermediate code (LLVM's) of
    those that it calls into its caller, which then becomes machine code with its own copies of them. The machine
    code of a function that Python never calls is therefore never run. Such a function ends here as intermediate
    code, in memory and in the cache on the disk.
    """

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.library = LinkedLibrary(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


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
