"""Agents by name: how they are written on the command line, and how they are loaded.

| written | plays |
|---|---|
| `runs/blueprint` | the newest checkpoint of a training |
| `runs/blueprint#500000` | its checkpoint after that many iterations |
| `runs/blueprint#50%`, `#first`, `#last` | the checkpoint nearest to half of the way, the first, the newest |
| `runs/a+runs/b` | an ensemble: the average strategies of both added up |
| `runs/blueprint:tight` | a style (`solvent.play.styles`) |
| `runs/blueprint@purify` | with post-processing (`solvent.strategy.post_processing`) |
| `always-fold`, `always-call`, `random` | by a rule: check or fold, check or call, anything at all |
| `bot.py:Bot`, `bots.simple:Bot` | your own agent (`play.contract`): a class, a function that makes one, or one |

Parts can be combined: `runs/a+runs/b:aggressive@new(0.2)`. A folder that exists is taken as it is written, whatever
characters its name has. Agents of your own have no parts, and a name stands for one only where no run has it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from os.path import isdir  # unlike Path.is_dir, false for names too long for a file
from pathlib import Path

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.own_code import call_own, explained, names_own_code
from solvent.foundation.storage.pack import is_packed
from solvent.play.contract import Agent, as_agent, is_agent
from solvent.play.styles import STYLES
from solvent.play.table_agent import RULES, TableAgent, rule_agent, table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.trained import TrainedStrategy
from solvent.strategy.agents.training_run import TrainingRun
from solvent.strategy.opening import open_strategy
from solvent.strategy.post_processing import PostProcessing, parse_post
from solvent.strategy.solved.tables import TableStrategy

ENSEMBLES = ("sum", "reach")
"""Weights of an ensemble's runs: equal, or by the probability that each would have played the hand so far."""
FIRST, LAST = "first", "last"
CHECKPOINT = re.compile(rf"[0-9]{{1,18}}|[0-9]{{1,18}}(?:\.[0-9]{{1,18}})?%|{FIRST}|{LAST}")


@dataclass(frozen=True)
class RunName:
    """A training's folder, and which of its checkpoints."""

    folder: Path
    checkpoint: str = LAST
    """Iterations, a percentage of the newest checkpoint's, `first` or `last`."""

    def __str__(self) -> str:
        return str(self.folder) if self.checkpoint == LAST else f"{self.folder}#{self.checkpoint}"


@dataclass(frozen=True)
class AgentName:
    """An agent's name in its parts. It has a rule, own code, or runs with a style and perhaps a post-processing."""

    rule: str | None = None
    own: str | None = None
    """`module:Class` or `file.py:Class`."""
    runs: tuple[RunName, ...] = ()
    style: str = STYLES[0]
    post: PostProcessing | None = None


def parse_agent(text: str) -> AgentName:
    """Read an agent's name.

    >>> found = parse_agent("runs/a+runs/b#100:tight@purify")
    >>> [str(run) for run in found.runs], found.style, str(found.post)
    (['runs/a', 'runs/b#100'], 'tight', 'purify')
    >>> parse_agent("always-fold").rule
    'always-fold'
    >>> parse_agent("bot.py:Caller").own
    'bot.py:Caller'
    """
    if text in RULES:
        return AgentName(rule=text)
    if _names_own_agent(text):
        return AgentName(own=text)
    runs, style, post = text, STYLES[0], None
    while not isdir(runs) and (found := re.search("[:@](?=[^:@]*$)", runs)):
        runs, written = runs[: found.start()], runs[found.end() :]
        _check_no_rule(runs)
        if found[0] == "@" and post is None:
            post = parse_post(written)
        elif found[0] == ":" and style == STYLES[0]:
            style = written
            if style not in STYLES[1:]:
                raise InputError(
                    f"there is no style {style!r} of play; there are {', '.join(STYLES[1:])}"
                    f"{did_you_mean(style, STYLES[1:])}"
                )
        else:
            raise InputError(
                f"{text!r} has two styles or two post-processings; an agent has one of each at most"
            )
    many = [runs] if isdir(runs) else runs.split("+")
    if not all(many):
        raise InputError(f"{text!r} names no agent; write a training's folder, or folders with + in between")
    for run in many:
        _check_no_rule(run)
    return AgentName(runs=tuple(parse_run(run) for run in many), style=style, post=post)


def _names_own_agent(text: str) -> bool:
    """Return whether a name is of own code: it is written so, and neither a folder nor a folder with a style."""
    if not names_own_code(text) or isdir(text):
        return False
    before, _, name = text.rpartition(":")
    return not isdir(before) and before not in RULES and name not in STYLES


def _check_no_rule(text: str) -> None:
    """Refuse an agent that plays by a rule where only a run can stand."""
    rule = text.partition("#")[0]
    if rule in RULES and not isdir(text):
        raise InputError(
            f"{rule} plays by a rule: it has no styles, post-processing or checkpoints and joins no ensemble, so "
            f"write {rule} alone"
        )


def parse_run(text: str) -> RunName:
    """Read a training's folder and checkpoint."""
    if isdir(text) or "#" not in text:
        return RunName(Path(text))
    folder, _, checkpoint = text.rpartition("#")
    if not CHECKPOINT.fullmatch(checkpoint):
        raise InputError(
            f"a checkpoint is named by its iterations, as {folder}#500000, by a part of the way, as {folder}#50%, "
            f"or as {folder}#first, not {text!r}"
        )
    return RunName(Path(folder), checkpoint)


def checkpoint_of(run: TrainingRun, checkpoint: str = LAST) -> int:
    """Return the iterations of a checkpoint by its name."""
    found = run.checkpoints()
    if not found:
        raise InputError(f"{run.folder} has no checkpoint yet; train it first")
    if checkpoint in (FIRST, LAST):
        return found[0 if checkpoint == FIRST else -1]
    if checkpoint.endswith("%"):
        wanted = found[-1] * float(checkpoint[:-1]) / 100
        return min(found, key=lambda number: abs(number - wanted))
    return int(checkpoint)


def open_named(
    source: str, cards: Path | None = None, own_code: bool = False
) -> TableStrategy | TrainedStrategy:
    """The strategy of a run of any kind, or a saved one; `RUN#500000`, `RUN#50%` and `RUN#first` name checkpoints.

    `cards` is the folder of a training's card abstraction, should it have moved; `own_code` is --own-code.
    """
    if Path(source).is_file() and is_packed(Path(source)):
        raise InputError(f"{source} is a packed run; `solvent unpack {source}` makes a folder of it")
    name = parse_run(source)
    if not name.folder.exists():
        raise InputError(f"there is no run {source}; `solvent runs FOLDER` lists the runs in a folder")
    return open_strategy(
        name.folder, cards, lambda run: checkpoint_of(run, name.checkpoint), own_code=own_code
    )


class AgentLoader:
    """Loads agents by name, each run once."""

    def __init__(
        self,
        post: PostProcessing | None = None,
        ensemble: str = "sum",
        cards: Path | None = None,
    ) -> None:
        """Prepare to load agents.

        post: for agents with tables that name no post-processing
        cards: the folder of the runs' card abstraction, should it have moved
        """
        if ensemble not in ENSEMBLES:
            raise InputError(f"ensembles weigh their runs by {' or '.join(ENSEMBLES)}, not {ensemble!r}")
        self.post, self.by_reach, self.cards = post, ensemble == "reach", cards
        self._runs: dict[Path, TrainingRun] = {}
        self._models: dict[RunName, Blueprint] = {}

    def load(self, text: str) -> Agent:
        """Load the agent of a name."""
        own = parse_agent(text).own
        return self.load_table(text) if own is None else _own_agent(own)

    def load_table(self, text: str) -> TableAgent:
        """Load the agent of a name that stands for runs or a rule."""
        found = parse_agent(text)
        if found.own is not None:
            raise InputError(f"{text} is an own agent; here only a training or an agent by rule can stand")
        if found.rule is not None:
            return rule_agent(found.rule)
        name = text if found.post is not None or self.post is None else f"{text}@{self.post}"
        models = [self._model(run) for run in found.runs]
        post = found.post or self.post or PostProcessing()
        return table_agent(name, models, found.style, post, self.by_reach)

    def _model(self, run: RunName) -> Blueprint:
        if run not in self._models:
            if not isdir(run.folder):
                name = str(run.folder)
                raise InputError(
                    f"there is no agent {name!r}: it is neither a training's folder, nor one of "
                    f"{', '.join(RULES)}, nor own code such as bot.py:Bot{did_you_mean(name, RULES)}"
                )
            if run.folder not in self._runs:
                self._runs[run.folder] = TrainingRun.open(run.folder, self.cards)
            opened = self._runs[run.folder]
            self._models[run] = opened.blueprint(checkpoint_of(opened, run.checkpoint))
        return self._models[run]


def _own_agent(text: str) -> Agent:
    """Load an agent of own code, with the name it was written with unless it has one of its own."""
    made = call_own(text, "agent")
    if not is_agent(made):
        raise InputError(
            f"{text} is no agent: an agent has act(view), or start(rules, seat, seed) that begins a hand"
        )
    with explained():
        return as_agent(made, text)
