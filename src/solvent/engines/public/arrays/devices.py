"""Array libraries and where they compute: NumPy, PyTorch, CuPy and JAX behind one face."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError

Array = Any
"""An array of whatever library computes."""

DEVICES = {
    "numpy": "NumPy",
    "torch": 'PyTorch: pip install "solvent[gpu]"',
    "cupy": "CuPy: pip install cupy-cuda12x, or the build for your CUDA",
    "jax": "JAX: pip install jax",
}
"""The installation that each device needs. `torch:cuda` or `jax:gpu` say where to compute."""
REFERENCE = "array_api_strict"
"""The reference of the array API: a device for tests, which shows what the plan relies on."""


@dataclass(frozen=True)
class Namespace:
    """An array library on one device, with one face for the functions that libraries name differently."""

    xp: Any
    asarray: Callable[[NDArray[Any]], Array]
    to_numpy: Callable[[Array], NDArray[Any]]
    take: Callable[[Array, Array, int], Array]
    """Rows by number along an axis."""
    cast: Callable[[Array, Any], Array]
    concatenate: Callable[[list[Array], int], Array]
    swapaxes: Callable[[Array, int, int], Array]
    compile: Callable[[Callable[..., Any], tuple[int, ...]], Callable[..., Any]]
    """Make a pure function faster, where the library can; given are its parameters that are no arrays."""
    settings: Callable[[], AbstractContextManager[Any]]
    """The settings that must be in force while the device computes."""
    cached: bool
    """Whether arrays should be small enough for a processor's cache."""


def array_namespace(device: str = "numpy") -> Namespace:
    """Open the array library of a device: numpy, torch, torch:cuda, cupy, jax or jax:gpu.

    >>> array_namespace("numpy").xp.__name__
    'numpy'
    """
    name, _, place = device.partition(":")
    if name not in (*DEVICES, REFERENCE) or (place and name not in ("torch", "jax")):
        raise InputError(
            f"there is no device {device!r}; choose from cpu, {', '.join(DEVICES)} or torch:cuda"
        )
    try:
        library = import_module(name)
    except ImportError as error:
        raise InputError(f"device {name} needs {DEVICES.get(name, name)}") from error
    if name == "torch":
        return _torch(library, device, place or "cpu")
    if name == "jax":
        return _jax(library, device, place)
    if name == REFERENCE:
        return _standard(library)
    to_numpy = np.asarray if name == "numpy" else library.asnumpy
    return _like_numpy(library, asarray=library.asarray, to_numpy=to_numpy, cached=name == "numpy")


def _like_numpy(library: Any, **differences: Any) -> Namespace:
    """Make a namespace of a library whose functions have NumPy's names, apart from `differences`."""
    like: dict[str, Any] = {
        "take": lambda x, rows, axis: library.take(x, rows, axis=axis),
        "cast": lambda x, dtype: x.astype(dtype),
        "concatenate": getattr(library, "concatenate", None),
        "swapaxes": getattr(library, "swapaxes", None),
        "compile": lambda function, constant: function,
        "settings": nullcontext,
    }
    return Namespace(xp=library, **like | differences)


def _standard(library: Any) -> Namespace:
    """Make a namespace with the functions of the array API's standard alone: it shows what the plan relies on."""

    def swapaxes(x: Array, first: int, second: int) -> Array:
        axes = list(range(x.ndim))
        axes[first], axes[second] = axes[second], axes[first]
        return library.permute_dims(x, tuple(axes))

    return _like_numpy(
        library,
        asarray=lambda x: library.asarray(np.asarray(x)),
        to_numpy=np.from_dlpack,
        cast=library.astype,
        concatenate=lambda arrays, axis: library.concat(arrays, axis=axis),
        swapaxes=swapaxes,
        cached=True,
    )


def _torch(torch: Any, device: str, place: str) -> Namespace:
    try:
        where = torch.device(place)
        torch.zeros(1, device=where)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"device {device} cannot be used: {str(error).splitlines()[0]}") from error
    return _like_numpy(
        torch,
        asarray=lambda x: torch.asarray(x, device=where),
        to_numpy=lambda x: x.cpu().numpy(),
        take=lambda x, rows, axis: torch.index_select(x, axis, rows),
        cast=lambda x, dtype: x.to(dtype),
        settings=torch.inference_mode,
        cached=where.type == "cpu",
    )


def _jax(jax: Any, device: str, place: str) -> Namespace:
    try:
        where = jax.devices(place or None)[0]
    except RuntimeError as error:
        raise InputError(f"device {device} cannot be used: {str(error).splitlines()[0]}") from error
    # The first is its place since JAX 0.8, the second that before.
    enable_x64 = (jax if hasattr(jax, "enable_x64") else import_module("jax.experimental")).enable_x64

    @contextmanager
    def settings() -> Iterator[None]:
        # Else JAX makes float32 of float64, and on some devices multiplies matrices with fewer bits.
        with enable_x64(True), jax.default_matmul_precision("highest"):
            yield

    return _like_numpy(
        jax.numpy,
        asarray=lambda x: jax.device_put(x, where),
        to_numpy=np.asarray,
        take=lambda x, rows, axis: jax.numpy.take(x, rows, axis=axis, mode="clip"),
        compile=lambda function, constant: jax.jit(function, static_argnums=constant),
        settings=settings,
        cached=False,  # it compiles every part anew
    )
