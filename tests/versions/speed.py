"""Speed of one version of solvent beside another: ratios above 1 say that the newer one is faster.

python tests/versions/speed.py OLD . --kernels OLD_KERNELS KERNELS --cards made/cards  # OLD: an older checkout

A worker process for each checkout stays alive, and both are asked in turn to time one job, which they have done
before: neither starting nor compiling is measured. A ratio is that of the lower quartiles of the times; one below
`LEAST` is measured once more. Then the processor time of first uses is measured, from an empty folder of kernels.
`--cards` is a card abstraction's folder, such as `command_lines.py run OLD --keep made` leaves; without it one is
made, which takes a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from typing import Any

INPUTS = Path(__file__).parent / "inputs"

LEAST = 0.97
"""The least ratio that passes."""
RUNS, MORE_RUNS = 31, 61
"""Runs of a job, and of one whose ratio is too small."""

BETTING = "preset=fcpa; preflop=100%,200%,a"
RIVER = {
    "board": "Td9d6hQc2s",
    "oop": "22+,A2s+,K9s+,Q9s+,J8s+,T8s+,97s+,86s+,ATo+,KJo+",
    "ip": "22+,A2s+,K9s+,Q9s+,J8s+,T8s+,97s+,86s+,ATo+,KJo+",
    "pot": 200,
    "stack": 900,
    "bets": "33%,75%,a",
    "raises": "100%,a",
}
TURN = RIVER | {
    "board": "Td9d6hQc",
    "bets": "75%",
    "raises": "a",
    "oop": "66+,A8s+,AJo+,KQs",
    "ip": "QQ-22,AQs-A2s",
}

Job = Callable[[], float]
"""A job does its work once, and returns the seconds that it took."""
Prepare = Callable[[Path, Path], Job]
"""Prepares a job with the cards in a folder, and a folder for its files."""


def timed(work: Callable[[], object]) -> Job:
    """A job that takes the time of all its work."""

    def job() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return job


# A prepared job of the worker. Only public names of `solvent` stand here: where they live differs between versions.


def training(sampling: str, iterations: int) -> Prepare:
    def prepare(cards: Path, folder: Path) -> Job:
        import solvent

        def train() -> float:
            """Train in a new folder; files that are written before and after do not count."""
            out = folder / "trained"
            shutil.rmtree(out, ignore_errors=True)
            options: dict[str, Any] = {"sampling": sampling, "iterations": iterations, "betting": BETTING}
            return solvent.train(cards, out=out, threads=1, **options).seconds

        return train

    return prepare


def match(cards: Path, folder: Path) -> Job:
    import solvent

    agents = []
    for seed in (1, 2):
        out = folder / f"agent-{seed}"
        options: dict[str, Any] = {"sampling": "public", "iterations": 20, "betting": BETTING, "seed": seed}
        solvent.train(cards, out=out, threads=1, **options)
        agents.append(solvent.AgentLoader().load(str(out)))
    game = solvent.Match(*agents, solvent.HoldemRules(), hands=1_200_000)
    return timed(lambda: game.run(threads=1))


def spot(setting: dict[str, Any], iterations: int) -> Prepare:
    def prepare(cards: Path, folder: Path) -> Job:
        import solvent

        return timed(lambda: solvent.Spot(**setting).solve(iterations=iterations, threads=1))

    return prepare


def solve(game: str, **options: Any) -> Prepare:
    def prepare(cards: Path, folder: Path) -> Job:
        import solvent

        return timed(lambda: solvent.solve(game, threads=1, check_every=10**9, **options))

    return prepare


JOBS: dict[str, Prepare] = {
    "training, public sampling": training("public", 100),
    "training, external sampling": training("external", 120_000),
    "match of table agents": match,
    "river spot": spot(RIVER, 4_000),
    "turn spot": spot(TURN, 800),
    "plan aggregated": solve("flop_holdem(suits=4,ranks=4)", plan="aggregated", iterations=150),
    "plan serial": solve("leduc5", plan="serial", form="history", iterations=40),
    "plan flattened": solve("leduc5", plan="flattened", form="history", iterations=40),
    "solve with external sampling": solve("leduc5", sampling="external", iterations=100_000),
}


def work(cards: Path, folder: Path) -> None:
    """Answer each name of a job on standard input with the seconds of a run of it; the first one prepares it."""
    prepared: dict[str, Job] = {}
    for line in sys.stdin:
        name = json.loads(line)
        if name not in prepared:
            prepared[name] = JOBS[name](cards, folder)
            prepared[name]()
        print(json.dumps(prepared[name]()), file=sys.__stdout__, flush=True)


class Worker:
    """A process that runs jobs with the code of a checkout."""

    def __init__(self, checkout: Path, kernels: Path, cards: Path, folder: Path) -> None:
        folder.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work", str(cards.resolve()), str(folder)],
            env=environment(checkout, kernels),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, job: str) -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"the worker ended at {job!r}")
        return float(json.loads(answer))

    def close(self) -> None:
        self.process.communicate()


def environment(checkout: Path, kernels: Path) -> dict[str, str]:
    return os.environ | {
        "PYTHONPATH": str(checkout.resolve() / "src"),
        "NUMBA_CACHE_DIR": str(kernels.resolve()),
    }


def measure(workers: list[Worker], job: str, runs: int) -> tuple[float, float]:
    """Lower quartiles of the seconds of a job in both workers, which take turns at being first."""
    times: list[list[float]] = [[], []]
    for number in range(runs):
        for place in (0, 1) if number % 2 else (1, 0):
            times[place].append(workers[place].seconds(job))
    old, new = (quantiles(each, n=4)[0] if len(each) > 1 else each[0] for each in times)
    return old, new


def first_uses(checkouts: list[Path], folder: Path) -> None:
    """Print the processor time, children included, of commands that have to compile their kernels."""
    river = [part for name, value in RIVER.items() for part in (f"--{name}", str(value))]
    commands = {
        "solve kuhn": ["solve", "kuhn", "--iterations", "10"],
        "river spot": ["spot", *river, "--iterations", "10"],
        "match": ["match", "always-call", "random", "--hands", "1000"],
    }
    for name, command in commands.items():
        spent = []
        for checkout in checkouts:
            with tempfile.TemporaryDirectory(dir=folder) as kernels:
                arguments = [sys.executable, "-m", "solvent", *command, "--json"]
                process = subprocess.Popen(
                    arguments, env=environment(checkout, Path(kernels)), cwd=folder, stdout=subprocess.DEVNULL
                )
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode:
                    raise SystemExit(f"{' '.join(command)} ended with code {process.returncode}")
                spent.append(usage.ru_utime + usage.ru_stime)
        show(f"first use: {name}", *spent)


def show(name: str, old: float, new: float) -> float:
    ratio = old / new
    print(f"{name:32} {old:8.3f} s {new:8.3f} s  {ratio:6.3f}", flush=True)
    return ratio


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "checkouts", nargs=2, type=Path, metavar="CHECKOUT", help="the older and the newer version"
    )
    parser.add_argument("--kernels", nargs=2, type=Path, required=True, help="a folder of kernels for each")
    parser.add_argument("--cards", type=Path, help="a card abstraction's folder; made if it is not given")
    parser.add_argument("-n", "--runs", type=int, default=RUNS)
    parser.add_argument("--only", default="", help="jobs with this in their name")
    parser.add_argument("--no-first-use", action="store_true", help="leave out what compiles")
    asked = parser.parse_args()
    missed = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cards = asked.cards or make_cards(asked.checkouts[0], asked.kernels[0], folder / "cards")
        workers = [
            Worker(*each, cards, folder / str(place))
            for place, each in enumerate(zip(asked.checkouts, asked.kernels, strict=True))
        ]
        print(f"{'lower quartiles':32} {'old':>10} {'new':>10}  old / new")
        try:
            for job in JOBS:
                if asked.only not in job:
                    continue
                ratio = show(job, *measure(workers, job, asked.runs))
                if ratio < LEAST and asked.runs == RUNS:
                    ratio = show(f"{job}, again", *measure(workers, job, MORE_RUNS))
                missed += [job] if ratio < LEAST else []
        finally:
            for worker in workers:
                worker.close()
        if not asked.no_first_use:
            first_uses(asked.checkouts, folder)
    print(f"below {LEAST}: {', '.join(missed) or 'none'}")
    return bool(missed)


def make_cards(checkout: Path, kernels: Path, out: Path) -> Path:
    command = ["abstract", "build", "--config", str(INPUTS / "cards.toml"), "--out", str(out), "--json"]
    subprocess.run(
        [sys.executable, "-m", "solvent", *command],
        env=environment(checkout, kernels),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return out


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*map(Path, sys.argv[2:4]))
    else:
        sys.exit(main())
