"""The machine and the code that a result was made with."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from solvent.foundation.version import __version__


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def describe_machine() -> str:
    """Processor, cores and memory in a few words."""
    return f"{processor()}, {os.cpu_count()} cores, {memory_gib():.0f} GiB"


def describe_software() -> str:
    """The versions of solvent, Python and Numba, and the commit, in a few words."""
    python = f"Python {platform.python_version()}, Numba {version('numba')}"
    return f"solvent {__version__} at commit {commit()}, {python}"


def processor() -> str:
    """The processor's name as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def memory_gib() -> float:
    """The machine's memory in GiB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def commit() -> str:
    """The commit that this code is at, with a + where files have been changed since; "unknown" outside git."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + ("+" if changed else "")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
