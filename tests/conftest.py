from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

from oracles.ray_blades import blades  # noqa: F401 (a fixture, made once)
from solvent.forms.history import GameTree, compile_tree
from solvent.foundation.kernels.caching import KernelCache
from solvent.games.catalogue import load_game
from solvent.solving.solve import solve

# What a script starts in the background ignores Ctrl-C and hangups, and so would the commands that tests interrupt.
if threading.current_thread() is threading.main_thread():
    for each, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(each) is signal.SIG_IGN:
            signal.signal(each, handler)

# The same examples each time, so that a change is judged by itself; `make test-all` draws new ones.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

AGENTS_FIRST = ("app/test_evaluate", "abstraction", "evaluate", "app/test_play", "play", "app/test_agents")
AGENTS_FIRST += ("papers/test_agent", "app/test_cards", "cards")
"""Tests of agents and cards, those that compile most kernels first: folders, or the beginnings of files' paths."""
SOLVERS_FIRST = ("app", "papers", "solving", "spots", "engines", "strategy", "forms")
"""Tests of solvers, which share few kernels with those; the last ones find most kernels compiled."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-kernels",
        action="store_true",
        help="skip tests when they ask for a kernel or for another process",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make `--no-kernels` end each test where it asks for its first kernel, or for a process that may."""
    if not config.getoption("--no-kernels"):
        return

    def skip(*arguments: object, **options: object) -> None:
        if threading.current_thread() is not threading.main_thread():  # for which the test may be waiting
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
        pytest.skip("needs a kernel or another process")

    signal.signal(signal.SIGUSR1, skip)
    KernelCache.load_overload = skip  # type: ignore[method-assign, assignment]
    subprocess.Popen.__init__ = skip  # type: ignore[method-assign, assignment]


@cache
def compiled(name: str) -> GameTree:
    """A compiled game, once per test process."""
    return compile_tree(load_game(name))


@pytest.fixture(scope="module")
def kuhn_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of Kuhn poker after 20 iterations. Tests that change it take a copy."""
    run = tmp_path_factory.mktemp("runs") / "kuhn"
    solve("kuhn", iterations=20, out=run)
    return run


@pytest.hookimpl(trylast=True)  # after slow tests were left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let two workers begin with different families of kernels, so that no kernel is compiled twice.

    xdist gives each of two workers half of the tests, in their order, and lets the one that is done first take over
    from the end of the other's. Most of the time of a first run is compiling; a kernel that one worker has
    compiled is read from Numba's cache by the other, unless both ask for it at the same time.
    """
    here = Path(__file__).parent
    families: dict[int, list[pytest.Item]] = {0: [], 1: [], 2: []}
    for item in items:
        path = item.path.relative_to(here).as_posix() if here in item.path.parents else ""
        agents = _place(path, AGENTS_FIRST)
        solvers = _place(path, SOLVERS_FIRST)
        families[0 if agents is not None else 1 if solvers is not None else 2].append(item)

    def order(item: pytest.Item) -> int:
        path = item.path.relative_to(here).as_posix()
        place = _place(path, AGENTS_FIRST)
        return place if place is not None else _place(path, SOLVERS_FIRST) or 0

    agents, solvers, others = (families[key] for key in (0, 1, 2))
    agents.sort(key=order)
    solvers.sort(key=order)
    filling = max(0, len(items) // 2 - len(agents) - len(others))
    split = len(solvers) - filling
    items[:] = [*agents, *others, *solvers[split:], *solvers[:split]]


def _place(path: str, prefixes: tuple[str, ...]) -> int | None:
    return next((k for k, prefix in enumerate(prefixes) if path.startswith(prefix)), None)
