"""Compiling functions that only other compiled functions call.

Numba turns every compiled function into machine code, and links the optimized intermediate code (LLVM's) of those
that it calls into its caller, which then becomes machine code with its own copies of them. The machine code of a
function that Python never calls is therefore never run. `LinkedOnly` leaves it out: such a function ends as
intermediate code, in memory and in the cache on the disk.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

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
    """Numba's compiler for functions that no Python code calls (`pipeline_class` of Numba's decorators)."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.library = LinkedLibrary(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)
