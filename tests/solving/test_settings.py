"""Options: defaults, checks, what a resumed run may change, and the command line and `solve` made from them."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest
import typer
from typer.testing import CliRunner

import solvent
from solvent.app.command_line import app
from solvent.engines.rules import load_rule
from solvent.foundation.errors import InputError
from solvent.solving.settings import RunSettings, Settings, flag
from solvent.training.settings import TrainingSettings

KINDS = (Settings, TrainingSettings)


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_has_a_help_text_and_a_check(kind: type[RunSettings]) -> None:
    for each in fields(kind):
        assert each.metadata["help"].endswith("."), each.name
        assert callable(each.metadata["check"].read)


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_pass_their_checks_and_survive_json(kind: type[RunSettings]) -> None:
    settings = kind()
    assert kind.of(settings.as_json()) == settings


@pytest.mark.parametrize(("command", "kind"), [("solve", Settings), ("train", TrainingSettings)])
def test_every_option_is_on_the_command_line(command: str, kind: type[RunSettings]) -> None:
    found = typer.main.get_command(app).commands[command].loaded().params  # type: ignore[attr-defined]
    named = {name for parameter in found for name in parameter.opts}
    assert {f"--{flag(each.name)}" for each in fields(kind)} <= named
    assert {"--out", "--resume", "--json"} <= named


def test_both_commands_spell_shared_options_alike() -> None:
    shared = {each.name for each in fields(RunSettings)}
    for kind in KINDS:
        assert shared <= {each.name for each in fields(kind)}
    for command in ("solve", "train"):
        shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
        assert "90s, 5m or 2h" in shown


def test_solve_shows_every_option_to_help() -> None:
    assert {each.name for each in fields(Settings)} <= inspect.signature(solvent.solve).parameters.keys()


def test_values_get_their_final_types() -> None:
    settings = Settings(rule="dcfr", time="5m", memory="8G", checkpoint_every="90s")  # type: ignore[arg-type]
    assert (settings.time, settings.memory, settings.checkpoint_every) == (300.0, 8 << 30, 90.0)
    assert settings.rule == load_rule("dcfr(1.5,0,2)")
    trained = TrainingSettings(sampling="external")
    assert str(Settings(sampling="external").rule) == str(trained.rule) == "lcfr"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"iteration": 5}, "there is no option 'iteration'"),
        ({"iterations": 1.5}, "iterations must be a whole number"),
        ({"iterations": True}, "iterations must be a whole number"),
        ({"iterations": 10**30}, "at most"),
        ({"threads": 10**12}, "threads must be a whole number, at least 1 and at most 1,024"),
        ({"time": "5 minutes"}, "such as 90s, 5m or 2h"),
        ({"time": "-5s"}, "such as 90s, 5m or 2h"),
        ({"checkpoint_every": 0}, "checkpoint-every must be above 0"),
        ({"until": "low"}, "until must be a finite number"),
        ({"plan": None, "updates": ["alternating"]}, "there is no update mode"),
        ({"device": "abacus"}, "there is no device"),
        ({"exploration_decay": 1, "sampling": "external"}, "exploration-decay must be true or false"),
        ({"memory": -1}, "whole number of bytes"),
        ({"rule": 5}, "a rule is a name"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(options: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Settings.of(options)


def test_a_resumed_run_changes_only_what_it_may() -> None:
    began = Settings(iterations=100, time=60, check_every=7, threads=2).as_json()
    assert Settings.resumed(began, {}, "r") == Settings(iterations=100, time=60, check_every=7, threads=2)
    more = Settings.resumed(began, {"iterations": 200, "threads": 1}, "r")
    assert (more.iterations, more.time, more.check_every, more.threads) == (200, None, 7, 1)
    for name, value in (("rule", "cfr"), ("updates", "simultaneous"), ("dtype", "float32"), ("seed", 3)):
        with pytest.raises(InputError, match=f"r began with {name}"):
            Settings.resumed(began, {name: value}, "r")
    assert Settings.resumed(began, {"dtype": "auto", "form": "auto"}, "r").dtype == "auto"
    drawn = TrainingSettings(sampling="external").as_json()
    assert TrainingSettings.resumed(drawn, {"sampling": "auto"}, "r").sampling == "external"


@pytest.mark.parametrize("damage", [{"threads": "two"}, {"seed": -1}, {"plan": "best"}, {"prune_every": 0.5}])
def test_a_configuration_with_other_types_is_a_sentence(damage: dict) -> None:
    with pytest.raises(InputError, match="configuration of r is damaged"):
        Settings.resumed(Settings().as_json() | damage, {}, "r")


def test_a_rule_of_ones_own_is_given_again() -> None:
    class Mine(solvent.RegretRule):
        def weights(self, t: float) -> solvent.Weights:
            return solvent.Weights(average=2 * t)

    began = Settings(rule=Mine()).as_json()
    assert isinstance(Settings.resumed(began, {"rule": Mine()}, "r").rule, Mine)
    with pytest.raises(InputError, match="a rule of your own, mine; pass it again"):
        Settings.resumed(began, {}, "r")
