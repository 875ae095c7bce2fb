"""The figures of the SAEF experiment by name, for the ledger of claims.

Exploitability is that of informed exploiters in the continuous game. `recovery-1.1 by recovery-1.01` compares two
runs at the last nodes touched that both reached; with `seconds.` before it, at the last second. `last by half`
compares the end of a run to half of its nodes. `worst` and `lowest share` are over the checks at which a fixed
abstraction had touched as many nodes. `discounting` is the mean of -log w over a run's additions.
"""

from __future__ import annotations

from math import exp, log

from solvent_papers.saef.budget import budget_figures
from solvent_papers.saef.curves import (
    SECONDS,
    bump,
    levels_at,
    ratio_at_end,
    ratios_to_best,
    value_at,
)
from solvent_papers.saef.figure_one import (
    CAPPED,
    COARSEST,
    FINEST,
    FIXED,
    MAIN,
    RECOVERY,
    TRANSFER,
    Result,
    Trace,
)

EARLY_WITHIN = 1.1
"""Early is until the coarsest abstraction stays within this factor of where it ends."""
GROWING = (*RECOVERY, TRANSFER, CAPPED)


def saef_figures(result: Result) -> dict[str, float]:
    """Return everything that the ledger and the page compare, of the runs that are there."""
    found: dict[str, float] = {}
    for name, trace in result.traces.items():
        found |= {f"{name}.{number}": value for number, value in _of_run(trace).items()}
    found |= _pairs(result)
    main, fixed = result.traces.get(MAIN), [t for name, t in result.traces.items() if name in FIXED]
    if main is not None and fixed:
        ratios = [ratio for _, ratio in ratios_to_best(main, fixed)]
        found[f"{MAIN} by best fixed.worst"] = max(ratios)
        found[f"{MAIN} by best fixed.lowest share"] = sum(ratio <= 1 for ratio in ratios) / len(ratios)
        found[f"{MAIN} by best fixed.last"] = ratios[-1]
    return found | _early(result) | _sizes(result) | budget_figures(result.budgets)


def _of_run(trace: Trace) -> dict[str, float]:
    last = trace.last
    half = value_at(trace.points, last.nodes_touched / 2)
    found = {
        "last": last.informed,
        "within": last.within,
        "iterations": float(last.iterations),
        "nodes touched": float(last.nodes_touched),
        "size": float(last.nodes),
        "bump": bump(trace.points),
    }
    if half is not None:
        found["last by half"] = last.informed / half
    if last.uninformed_low is not None and last.uninformed_high is not None:
        found["uninformed"] = (last.uninformed_low + last.uninformed_high) / 2
    if trace.discounts:
        found |= {
            "additions": float(len(trace.discounts)),
            "discounting": trace.discounting,
            "discount.lowest": min(trace.discounts),
            "growing share": last.growing_seconds / last.seconds,
            "in last round": trace.in_last_round / len(trace.discounts),
            "at leaves": trace.at_leaves / len(trace.discounts),
        }
    return found


def _pairs(result: Result) -> dict[str, float]:
    traces, found = result.traces, dict[str, float]()
    for one, other in (*((name, MAIN) for name in GROWING if name != MAIN), (MAIN, FINEST)):
        if one in traces and other in traces:
            ratio = ratio_at_end(traces[one], traces[other])
            if ratio is not None:
                found[f"{one} by {other}"] = ratio
    if MAIN in traces and FINEST in traces:
        for before, number in (("seconds.", "informed"), ("seconds.within.", "within")):
            ratio = ratio_at_end(traces[MAIN], traces[FINEST], SECONDS, number)
            if ratio is not None:
                found[f"{before}{MAIN} by {FINEST}"] = ratio
    if MAIN in traces and TRANSFER in traces:
        found[f"bump.{TRANSFER} by {MAIN}"] = bump(traces[TRANSFER].points) / bump(traces[MAIN].points)
    return found


def _early(result: Result) -> dict[str, float]:
    """Return the main run's exploitability by the coarsest abstraction's while that still improves, on average."""
    main, coarsest = (result.traces.get(name) for name in (MAIN, COARSEST))
    if main is None or coarsest is None:
        return {}
    until = levels_at(coarsest.points, EARLY_WITHIN).nodes_touched
    logs = [log(ratio) for where, ratio in ratios_to_best(main, [coarsest]) if where <= until]
    return {f"early.{MAIN} by {COARSEST}": exp(sum(logs) / len(logs))} if logs else {}


def _sizes(result: Result) -> dict[str, float]:
    coarsest = result.traces.get(COARSEST)
    if coarsest is None:
        return {}
    found = {}
    for name in GROWING:
        if name in result.traces:
            points = result.traces[name].points
            found[f"{name}.size.first by {COARSEST}"] = points[0].nodes / coarsest.last.nodes
            found[f"{name}.size.last by {COARSEST}"] = points[-1].nodes / coarsest.last.nodes
    return found
