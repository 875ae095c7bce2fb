"""The tables of `solvent bench spots`, and what their columns mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from solvent.foundation.units import span
from solvent_papers.page import Summary, bytes_text, factor_text
from solvent_papers.spots.measured import Measured
from solvent_papers.spots.rule_choice import standings
from solvent_papers.spots.speed import DTYPES, Reached, Timing

VALUES, SECONDS, MEMORY, TARGETS = "Values", "An iteration", "Building and memory", "To a target"
RULES_BY_SPOT, STANDINGS = "Rules by spot", "Rules over all spots"
PEER, PEER_TARGETS = "An iteration beside the peer", "To a target beside the peer"
NOTES = {
    VALUES: (
        "Decision nodes of the betting tree and boards by street (boards that stand for others count once); hands, "
        "EVs and gains of OOP / IP. Uniform play is measured in float64; rivers and turns are solved in float64, "
        "flops in float32. Gains are what best responses would win more, in chips: without rake OOP's value is "
        "from its EV less IP's gain to its EV plus its own gain. With rake equilibria may differ in value, and the "
        "EVs are those of the one that was found."
    ),
    SECONDS: (
        "Best response: the time of both players' best responses over an iteration's. Moved: bytes of tables that "
        "an iteration reads and writes. Regrets are read on the way down and on the way up and written once, "
        "averages are read and written once: 20 bytes a number in float32, 10 in int16. Limit: the part of the "
        "iteration that moving them would take at the speed at which as many threads stream through memory (arrays "
        "far larger than the caches, scaled in place). Tables that fit into the caches are not bound by memory at "
        "all: there the nanoseconds a number say more."
    ),
    MEMORY: (
        "Build: from the spot to tables that nothing has been written to, kernels compiled, one thread. Numbers: "
        "in each of two tables, empty slots included. Memory added: how much the process grew at most while the "
        "spot was built, two iterations ran and exploitability was measured; on small spots that is mostly what "
        "the allocator asks the system for at once."
    ),
    TARGETS: (
        "Exploitability is measured every 10 iterations. Times are those of iterations and measurements together, "
        "the first iterations included, which touch the tables, and building not. Ratio: iterations with int16 "
        "over those with float32."
    ),
    RULES_BY_SPOT: (
        "Exploitability in percent of the pot at equal iterations, float32 tables, and iterations to the target "
        "(- where the last checkpoint did not reach it)."
    ),
    STANDINGS: (
        "Geometric means over the spots of the ratio to the default: exploitability at each number of iterations, "
        "and iterations to the target (those of the last checkpoint where it was not reached). The rule with the "
        "fewest iterations to the target comes first."
    ),
    PEER: (
        "Both run in turn: a batch of ours, then a process of the peer, which warms up before it is timed. Its "
        "memory is its own account, ours what the process grew by. Its uniform exploitability shows that both "
        "solve the same game."
    ),
    PEER_TARGETS: (
        "Each by its own rule with tables of 32 bits, measured every 10 iterations; building is not counted."
    ),
}
"""What stands above each table."""


def summaries(found: Measured) -> list[Summary]:
    """The tables of what was measured, those of other parts left out."""
    made: list[Callable[[Measured], Summary]] = [
        _values,
        _speed,
        _memory,
        _targets,
        _rules,
        _standings,
        _peer_times,
        _peer_targets,
    ]
    tables = [make(found) for make in made]
    return [table for table in tables if table.rows]


def _values(found: Measured) -> Summary:
    rows = [
        [
            each.spot,
            " / ".join(map(str, each.decision_nodes)),
            " / ".join(f"{boards:,}" for boards in each.boards),
            f"{each.hands[0]:,} / {each.hands[1]:,}",
            f"{each.uniform_percent:.8f}",
            f"{each.equity[0]:.6f}",
            f"{each.ev[0]:.4f} / {each.ev[1]:.4f}",
            f"{each.gains[0]:.4f} / {each.gains[1]:.4f}",
            f"{each.reached_percent:.4f}",
            f"{each.iterations:,}",
        ]
        for each in found.worths
    ]
    header = [
        "spot",
        "decisions",
        "boards",
        "hands",
        "uniform %",
        "equity",
        "EV",
        "gains",
        "solved to %",
        "it.",
    ]
    return Summary(VALUES, header, rows, found.worths)


def _speed(found: Measured) -> Summary:
    rows = [
        [
            each.spot,
            each.dtype,
            str(each.threads),
            span(each.seconds),
            f"{each.seconds / each.cells * 1e9:.2f}",
            f"{each.response_seconds / each.seconds:.2f}",
            bytes_text(each.moved_bytes),
            f"{each.moved_bytes / each.seconds / 1e9:.1f}",
            f"{each.share:.0%}",
            _speed_up(each, found.timings),
        ]
        for each in found.timings
    ]
    header = [
        "spot",
        "tables",
        "threads",
        "iteration",
        "ns a number",
        "best response",
        "moved",
        "GB/s",
        "limit",
        "speed-up",
    ]
    return Summary(SECONDS, header, rows, found.timings)


def _memory(found: Measured) -> Summary:
    one = [each for each in found.timings if each.threads == 1]
    rows = [
        [
            each.spot,
            each.dtype,
            span(each.build_seconds),
            f"{each.cells:,}",
            bytes_text(each.table_bytes),
            bytes_text(each.memory_bytes),
        ]
        for each in one
    ]
    return Summary(MEMORY, ["spot", "tables", "build", "numbers", "table bytes", "memory added"], rows, one)


def _targets(found: Measured) -> Summary:
    header = [
        "spot",
        "target",
        *(f"{dtype}: {what}" for dtype in DTYPES for what in ("it.", "time")),
        "it. ratio",
    ]
    rows = []
    pairs = list(zip(_of(found.reached, DTYPES[0]), _of(found.reached, DTYPES[1]), strict=True))
    for (wide, narrow), ratio in zip(pairs, narrow_ratios(found.reached), strict=True):
        numbers = [text for each in (wide, narrow) for text in (_count(each.iterations), _span(each.seconds))]
        rows.append([wide.spot, f"{wide.target_percent:g} %", *numbers, factor_text(ratio)])
    return Summary(TARGETS, header, rows, found.reached)


def _rules(found: Measured) -> Summary:
    checkpoints = found.runs[0].checkpoints if found.runs else ()
    rows = [
        [run.spot, run.rule, *(f"{percent:.4f}" for percent in run.percent), _count(run.iterations_to_target)]
        for run in found.runs
    ]
    header = ["spot", "rule", *(f"% at {at}" for at in checkpoints), f"it. to {found.scale.targets[-1]:g} %"]
    return Summary(RULES_BY_SPOT, header, rows, found.runs)


def _standings(found: Measured) -> Summary:
    checkpoints = found.runs[0].checkpoints if found.runs else ()
    table = standings(found.runs)
    rows = [
        [
            each.rule,
            *(f"{ratio:.2f}" for ratio in each.percent_ratios),
            f"{each.iterations_ratio:.2f}",
            str(each.missed),
        ]
        for each in table
    ]
    target = f"{found.scale.targets[-1]:g} %"
    header = ["rule", *(f"at {at}" for at in checkpoints), f"it. to {target}", "not reached"]
    return Summary(STANDINGS, header, rows, table)


def _peer_times(found: Measured) -> Summary:
    rows = []
    for each in found.timings:
        if each.peer is None:
            continue
        memory = None if each.memory_bytes is None else each.memory_bytes / each.peer.memory_bytes
        rows.append(
            [
                each.spot,
                each.dtype,
                str(each.threads),
                span(each.seconds),
                span(each.peer.seconds),
                factor_text(each.peer_ratio),
                span(each.build_seconds),
                span(each.peer.build_seconds),
                bytes_text(each.memory_bytes),
                bytes_text(each.peer.memory_bytes),
                factor_text(memory),
                f"{each.peer.uniform_percent:.4f}",
            ]
        )
    header = [
        "spot",
        "tables",
        "threads",
        "ours",
        "peer's",
        "ratio",
        "build",
        "peer's",
        "memory",
        "peer's",
        "ratio",
    ]
    return Summary(PEER, [*header, "its uniform %"], rows, found.timings)


def _peer_targets(found: Measured) -> Summary:
    rows = [
        [
            each.spot,
            f"{each.target_percent:g} %",
            _count(each.iterations),
            _count(each.peer_iterations),
            _span(each.seconds),
            _span(each.peer_seconds),
            factor_text(each.peer_ratio),
        ]
        for each in found.reached
        if each.peer_seconds is not None
    ]
    header = ["spot", "target", "our it.", "its it.", "our time", "its time", "ratio of times"]
    return Summary(PEER_TARGETS, header, rows, found.reached)


def _of(reached: Sequence[Reached], dtype: str) -> list[Reached]:
    return [each for each in reached if each.dtype == dtype]


def narrow_ratios(reached: Sequence[Reached]) -> list[float | None]:
    """Iterations with int16 over those with float32, for each spot and target; None where either is not there."""
    pairs = zip(_of(reached, DTYPES[0]), _of(reached, DTYPES[1]), strict=True)
    return [
        narrow.iterations / wide.iterations if narrow.iterations and wide.iterations else None
        for wide, narrow in pairs
    ]


def _speed_up(timing: Timing, among: Sequence[Timing]) -> str:
    """How many times as quick as with one thread."""
    one = next(
        each for each in among if (each.spot, each.dtype, each.threads) == (timing.spot, timing.dtype, 1)
    )
    return "-" if timing.threads == 1 else f"{one.seconds / timing.seconds:.2f}"


def _count(iterations: int | None) -> str:
    return "-" if iterations is None else f"{iterations:,}"


def _span(seconds: float | None) -> str:
    return "-" if seconds is None else span(seconds)
