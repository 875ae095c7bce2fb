"""Stamps of compiled functions: digests of all the code and all the constants that a kernel is made of.

The compiler takes the functions that a kernel calls and the constants that it reads from whichever modules they
stand in, and copies them into the kernel. A stamp is read where the compiler reads: from the function's bytecode
and the values of the global names in it, from the bytecode of those that are functions, and so on. Python functions
that write instructions for kernels (intrinsics) are followed in the same way, with the classes and modules that
they name. So a stamp changes with every edit that can change the compiled code, whichever file it is in, and with
constants that are computed when a module is imported. It does not change with comments, docstrings and line
numbers, or where code is edited that the kernel never reaches.

What no name leads to is not seen: implementations that Numba finds by the types of arguments (`overload` and its
like). The package has none, and a test keeps it so.
"""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib import import_module
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

dispatchers: Any = import_module("numba.core.dispatcher")
extending: Any = import_module("numba.core.extending")
types: Any = import_module("numba.core.types")

FOREIGN = frozenset(sys.stdlib_module_names) | {"numba", "numpy", "llvmlite"}
"""Packages whose code is described by its name alone: their versions are in the key of a cache."""
IMPORT = dis.opmap["IMPORT_NAME"]
PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
SIMPLE_TYPES = (
    *(types.Number, types.Boolean, types.Array, types.Record, types.NoneType, types.Literal),
    *(types.UnicodeType, types.NumberClass, types.DType, types.Omitted),
)
"""Types of the compiler whose names say all about them."""


UNREAD = frozenset(vars(NamedTuple("_Empty", []))) - {"_fields", "_field_defaults"} | frozenset(
    "__module__ __qualname__ __doc__ __dict__ __weakref__ __annotations__ __annotate__ __annotate_func__ "  # noqa: SIM905
    "__firstlineno__ __static_attributes__ __abstractmethods__ _abc_impl __parameters__ __orig_bases__ "
    "__dataclass_fields__ __dataclass_params__".split()
)
"""Attributes of classes that say nothing about what their methods do."""


class UnstampedError(Exception):
    """Something that a compiled function uses cannot be described, so that what is compiled must not be kept."""


class Use(NamedTuple):
    """A global name that code uses, in the namespace of its module."""

    namespace: Mapping[str, Any]
    name: str


class Stamps:
    """Stamps of functions, with what has been described already.

    Names are looked up anew each time, as they may have got other values. What a value is made of is described
    once: a new `Stamps` sees arrays that were changed in place.
    """

    def __init__(self) -> None:
        self._described: dict[int, tuple[object, bytes, tuple[Use, ...]]] = {}

    def of(self, *values: Any) -> bytes:
        """The stamp of functions, or of the compiler's types of arguments."""
        whole = sha256(b"".join(self._describe(value)[0] for value in values))
        reached = [
            (str(use.namespace.get("__name__")), use.name, self._describe(use.namespace.get(use.name))[0])
            for use in self.reached(*values)
        ]
        for module, name, digest in sorted(reached):
            whole.update(f"{module} {name} ".encode() + digest)
        return whole.digest()

    def reached(self, *values: Any) -> Iterator[Use]:
        """The global names whose values count, each once in each module that has it."""
        found: set[tuple[int, str]] = set()
        todo = [use for value in values for use in self._describe(value)[1]]
        while todo:
            use = todo.pop()
            at = id(use.namespace), use.name
            if at not in found:
                found.add(at)
                yield use
                todo.extend(self._describe(use.namespace.get(use.name))[1])

    def _describe(self, value: Any) -> tuple[bytes, tuple[Use, ...]]:
        known = self._described.get(id(value))
        if known is None:
            described = _Description()
            try:
                described.add(value)
            except UnstampedError:
                raise
            except Exception as error:  # whatever happens when somebody's constants are read
                raise UnstampedError(f"a value of the type {type(value)}") from error
            known = value, described.hash.digest(), tuple(described.uses)
            self._described[id(value)] = known
        return known[1], known[2]


class _Description:
    """The digest of a value with all that it holds, and the global names that functions in it use."""

    def __init__(self) -> None:
        self.hash = sha256()
        self.uses: list[Use] = []
        self.open: list[int] = []

    def put(self, *words: object) -> None:
        for word in words:
            content = word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogatepass")
            self.hash.update(len(content).to_bytes(8, "little") + content)

    def add(self, value: Any) -> None:
        """Describe a value; one that holds itself is described once."""
        if type(value) in PLAIN:
            self.put(type(value).__name__, repr(value))
        elif id(value) in self.open:
            self.put("above", self.open.index(id(value)))
        else:
            describe = EXACT.get(type(value)) or next(
                (describe for kind, describe in KINDS if isinstance(value, kind)), _Description.instance
            )
            self.open.append(id(value))
            describe(self, value)
            self.open.pop()

    def all(self, values: Any) -> None:
        self.put(type(values).__name__, len(values))
        for value in values:
            self.add(value)

    def unordered(self, values: Any) -> None:
        digests = []
        for value in values:
            one = _Description()
            one.add(value)
            digests.append(one.hash.digest())
            self.uses.extend(one.uses)
        self.put(type(values).__name__, len(digests), *sorted(digests))

    def mapping(self, values: Any) -> None:
        self.put(type(values).__name__)
        self.all(tuple(values.items()))

    def dispatcher(self, dispatcher: Any) -> None:
        """A compiled function: its Python function, and the options with which it is compiled."""
        self.put("compiled")
        self.add(dispatcher.py_func)
        self.add(dict(sorted(dispatcher.targetoptions.items())))
        self.add(dispatcher.locals)
        self.add(dispatcher._compiler.pipeline_class)

    def intrinsic(self, intrinsic: Any) -> None:
        self.put("intrinsic", intrinsic._prefer_literal)
        self.add(intrinsic._defn)

    def function(self, function: FunctionType) -> None:
        module, name = function.__module__, function.__qualname__
        self.put("function", name)
        if _foreign(module):
            self.put(module)
            if "<locals>" not in name:
                return
        self.code(function.__code__, function.__doc__)
        self.add(function.__defaults__)
        self.add(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:
                self.put("nothing yet")
        self._use(function.__globals__, set(_names(function.__code__)))

    def _use(self, namespace: dict[str, Any], names: set[str]) -> None:
        """Use the names that code may look up in a namespace, and in modules that it finds there."""
        todo, seen = [namespace], {id(namespace)}
        while todo:
            place = todo.pop()
            for name in sorted(names & place.keys()):
                self.uses.append(Use(place, name))
                value = place[name]
                if isinstance(value, ModuleType) and not _foreign(value.__name__):
                    todo += [] if id(vars(value)) in seen else [vars(value)]
                    seen.add(id(vars(value)))

    def code(self, code: CodeType, docstring: str | None = None) -> None:
        if IMPORT in code.co_code[::2]:
            raise UnstampedError(f"an import in {code.co_name}")
        constants = code.co_consts
        if docstring is not None and constants and constants[0] == docstring:
            constants = (None, *constants[1:])
        self.put(code.co_name, code.co_flags, code.co_code, code.co_exceptiontable)
        self.put(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        for names in (code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars):
            self.put(len(names), *names)
        self.all(constants)

    def kind(self, kind: type) -> None:
        self.put("class", kind.__module__, kind.__qualname__)
        if _foreign(kind.__module__):
            return
        self.add(type(kind))
        self.all(kind.__bases__)
        for name, value in vars(kind).items():
            if name not in UNREAD:
                self.put(name)
                self.add(value)

    def array(self, array: Any) -> None:
        if array.dtype.hasobject:
            raise UnstampedError(f"an array of {array.dtype}")
        self.put("array", repr(array.dtype), array.shape, np.ascontiguousarray(array).tobytes())

    def compiler_type(self, kind: Any) -> None:
        """A type of the compiler's, as of an argument."""
        self.put(type(kind).__name__)
        if isinstance(kind, types.Dispatcher):
            self.add(kind.dispatcher)
        elif isinstance(kind, types.BaseTuple):
            if isinstance(kind, types.BaseNamedTuple):
                made = kind.instance_class
                self.put(made.__module__, made.__qualname__, len(made._fields), *made._fields)
            self.all(tuple(kind))
        elif isinstance(kind, SIMPLE_TYPES) and isinstance(
            getattr(kind, "dtype", kind), (*SIMPLE_TYPES, np.dtype)
        ):
            self.put(str(kind))
        else:
            raise UnstampedError(f"an argument of the type {kind}")

    def wrapped(self, value: Any) -> None:
        """A method, a property, or what else a decorator has made of functions."""
        self.put(type(value).__name__)
        for name in ("fget", "fset", "fdel", "func", "__func__", "__self__", "__wrapped__"):
            if hasattr(value, name):
                self.put(name)
                self.add(getattr(value, name))

    def instance(self, value: Any) -> None:
        """Describe any other value by its name or by the parts from which Python would copy it."""
        name = getattr(value, "__qualname__", None)
        if hasattr(value, "__wrapped__") and not isinstance(value, ModuleType):
            self.wrapped(value)
            return
        if isinstance(name, str) and _foreign(type(value).__module__):
            self.put(type(value).__name__, getattr(value, "__module__", None), name)
            owner = getattr(value, "__self__", None)
            if type(owner) in EXACT or not _foreign(type(owner).__module__):
                self.add(owner)
            return
        parts = value.__reduce_ex__(4)
        if isinstance(parts, str):
            self.put("named", type(value).__name__, parts)
            return
        for part in parts:
            self.add(list(part) if hasattr(part, "__next__") else part)


def _foreign(module: str | None) -> bool:
    return (module or "").partition(".")[0] in FOREIGN


def _names(code: CodeType) -> Iterator[str]:
    """The names in code and in the functions that it makes: of globals, and of attributes."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


EXACT: dict[type, Any] = {
    tuple: _Description.all,
    list: _Description.all,
    dict: _Description.mapping,
    set: _Description.unordered,
    frozenset: _Description.unordered,
}
KINDS: tuple[tuple[Any, Any], ...] = (
    (FunctionType, _Description.function),
    (CodeType, _Description.code),
    (dispatchers.Dispatcher, _Description.dispatcher),
    (extending._Intrinsic, _Description.intrinsic),
    (ModuleType, lambda self, module: self.put("module", module.__name__)),
    (types.Type, _Description.compiler_type),
    (type, _Description.kind),
    ((np.ndarray, np.generic), _Description.array),
    (np.dtype, lambda self, dtype: self.put("dtype", repr(dtype))),
    ((property, staticmethod, classmethod, functools.cached_property, MethodType), _Description.wrapped),
)
