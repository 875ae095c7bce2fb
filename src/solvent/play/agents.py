"""Agents by name: what stands on the command line, and what it loads.

| written | plays |
|---|---|
| `runs/blueprint` | the newest checkpoint of a training |
| `runs/blueprint#500000` | its checkpoint of so many iterations |
| `runs/a+runs/b` | an ensemble: the average strategies of both added up |
| `runs/blueprint:tight` | a style (`solvent.play.styles`) |
| `runs/blueprint@purify` | with post-processing (`solvent.strategy.post_processing`) |
| `always-fold`, `always-call`, `random` | by a rule: check or fold, check or call, anything at all |

All of them can be put together: `runs/a+runs/b:aggressive@new(0.2)`.
"""

from __future__ import annotations

import re
from pathlib import Path

from solvent.foundation.errors import InputError
from solvent.play.styles import STYLES
from solvent.play.table_agent import RULES, TableAgent, rule_agent, table_agent
from solvent.strategy.blueprint import Blueprint
from solvent.strategy.post_processing import PostProcessing, parse_post
from solvent.strategy.training_run import TrainingRun

ENSEMBLES = ("sum", "reach")
"""How the models of an ensemble weigh: all alike, or by how likely each was to play the hand so far."""


class AgentLoader:
    """Loads agents by name, each run once."""

    def __init__(self, post: PostProcessing | None = None, ensemble: str = "sum") -> None:
        """`post`: for agents with tables that name none."""
        if ensemble not in ENSEMBLES:
            raise InputError(f"ensembles weigh their runs by {' or '.join(ENSEMBLES)}, not {ensemble!r}")
        self.post, self.by_reach = post, ensemble == "reach"
        self._trainings: dict[Path, TrainingRun] = {}
        self._models: dict[str, Blueprint] = {}

    def load(self, text: str) -> TableAgent:
        """The agent of this name."""
        if text in RULES:
            return rule_agent(text)
        runs, style, post = split_name(text)
        name = text if post is not None or self.post is None else f"{text}@{self.post}"
        models = [self._model(run) for run in runs]
        return table_agent(name, models, style, post or self.post or PostProcessing(), self.by_reach)

    def _model(self, run: str) -> Blueprint:
        if run not in self._models:
            path, number = run, None
            if not Path(run).is_dir() and "#" in run:
                path, _, written = run.rpartition("#")
                if not written.isdecimal():
                    raise InputError(
                        f"a checkpoint is named by its iterations, as {path}#500000, not {run!r}"
                    )
                number = int(written)
            folder = Path(path)
            if not folder.is_dir():
                raise InputError(
                    f"there is no agent {path!r}: it is neither a training's folder nor one of {', '.join(RULES)}"
                )
            if folder not in self._trainings:
                self._trainings[folder] = TrainingRun.open(folder)
            self._models[run] = self._trainings[folder].blueprint(number)
        return self._models[run]


def split_name(text: str) -> tuple[list[str], str, PostProcessing | None]:
    """The runs, the style and the post-processing that a name says.

    >>> split_name("runs/a+runs/b#100:tight@purify")[:2]
    (['runs/a', 'runs/b#100'], 'tight')
    """
    runs, style, post = text, STYLES[0], None
    while not Path(runs).is_dir() and (found := re.search("[:@](?=[^:@]*$)", runs)):
        runs, written = runs[: found.start()], runs[found.end() :]
        if found[0] == "@" and post is None:
            post = parse_post(written)
        elif found[0] == ":" and style == STYLES[0]:
            style = written
            if style not in STYLES[1:]:
                raise InputError(f"there is no style {style!r} of play; there are {', '.join(STYLES[1:])}")
        else:
            raise InputError(
                f"{text!r} has two styles or two post-processings; an agent has one of each at most"
            )
    many = [runs] if Path(runs).is_dir() else runs.split("+")
    if not all(many):
        raise InputError(f"{text!r} names no agent; write a training's folder, or folders with + in between")
    return many, style, post
