"""The machine and the code that a result was made with, and the memory that work takes."""

from __future__ import annotations

import gc
import mmap
import os
import platform
import subprocess
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import solvent
from solvent.foundation.kernels.memory import give_back_memory, new_area
from solvent.foundation.machine import memory_gib

Made = TypeVar("Made")


def describe_machine() -> str:
    """Processor, cores and memory in a few words."""
    return f"{processor()}, {os.cpu_count()} cores, {memory_gib():.0f} GiB"


def describe_software() -> str:
    """The versions of solvent, Python and Numba, and the commit, in a few words."""
    python = f"Python {platform.python_version()}, Numba {version('numba')}"
    return f"solvent {solvent.__version__} at commit {commit()}, {python}"


def processor() -> str:
    """The processor's name as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def commit() -> str:
    """The commit that the code is at, with a + where files have been changed since; "unknown" outside git."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + ("+" if changed else "")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(str(solvent.__file__)).parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def with_peak_memory(work: Callable[[], Made]) -> tuple[Made, int | None]:
    """The result of `work`, and the bytes by which the process grew at most meanwhile; None where unknown."""
    gc.collect()
    give_back_memory()
    before = status("VmRSS") if reset_peak() else None
    made = work()
    peak = status("VmHWM")
    return made, None if before is None or peak is None else max(0, peak - before)


def reset_peak() -> bool:
    """Reset the high-water mark of resident memory; False where the system cannot."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def status(key: str, process: int | None = None) -> int | None:
    """The bytes that Linux reports under `key`, such as VmRSS, for this or another process; None elsewhere."""
    try:
        lines = Path(f"/proc/{process or 'self'}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":")), None)


def zeros_in_pages(count: int, huge: bool) -> NDArray[Any]:
    """float32[count] zeros in pages of 2 MB (`huge`) or 4 KB, as far as the system grants them.

    Every page is touched, so that later writes cause no page faults.
    """
    area = new_area(4 * count)
    area.madvise(mmap.MADV_HUGEPAGE if huge else mmap.MADV_NOHUGEPAGE)
    zeros = np.frombuffer(area, dtype=np.float32)
    zeros[:: mmap.PAGESIZE // 4] = 0
    return zeros
