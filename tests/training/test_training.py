"""Training from Python and from the command line: runs that are killed, resumed, refused; rules that discount."""

import errno
import json
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from oracles.blueprints import BETTING, random_cards, use_cards
from oracles.trainings import save_training, small_cards_everywhere
from solvent.app.command_line import run as run_command
from solvent.forms.betting.tree import build_tree
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Stop
from solvent.foundation.storage import bundle
from solvent.foundation.storage.run import Run
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.training_run import TrainingRun
from solvent.training import train as training
from solvent.training.settings import TrainingSettings
from solvent.training.solver import BlueprintSolver
from solvent.training.train import KEPT_CHECKPOINTS, train
from survival.forking import shared


@pytest.fixture(scope="module")
def small():
    return random_cards()


@pytest.fixture(autouse=True)
def cards(small, monkeypatch):
    """The small card abstraction, whatever folder is opened."""
    use_cards(small, patch=monkeypatch)
    return small


def trained(out, iterations, sampling="external", **options):
    return train("cards", out=out, iterations=iterations, betting=BETTING, sampling=sampling, **options)


def table(folder):
    return Run.open(folder, "training").load_checkpoint()[0]["table"]


def test_training_is_kept_and_goes_on(tmp_path):
    folder, seen = tmp_path / "run", []
    assert trained(folder, 3_000, watch=seen.append).iterations == 3_000
    assert seen[-1].done == 3_000
    again = train(resume=folder, iterations=5_000)
    assert (again.iterations, again.stopped_by) == (5_000, "iterations")
    straight = trained(tmp_path / "straight", 5_000)
    np.testing.assert_array_equal(table(folder), table(tmp_path / "straight"))
    assert again.rows_touched == straight.rows_touched
    assert Run.open(folder).checkpoints() == [3_000, 5_000]
    rows = [
        [
            {key: row[key] for key in ("iterations", "rows_touched", "regret")}
            for row in Run.open(each).metrics()
        ]
        for each in (folder, tmp_path / "straight")
    ]
    assert rows[0] == rows[1]


def test_public_sampling_is_kept_and_goes_on(tmp_path):
    """A resumed training of boards has the tables of one that was not stopped, and says boards."""
    folder, seen = tmp_path / "run", []
    trained(folder, 30, sampling="public", watch=seen.append)
    assert "boards/s" in seen[-1].detail
    again = train(resume=folder, iterations=50)
    assert again.settings.sampling == "public"
    straight = trained(tmp_path / "straight", 50, sampling="public")
    np.testing.assert_array_equal(table(folder), table(tmp_path / "straight"))
    assert again.rows_touched == straight.rows_touched
    with pytest.raises(InputError, match="began with sampling public"):
        train(resume=folder, iterations=200, sampling="external")
    with pytest.raises(InputError, match="reward y2 goes with sampling external"):
        trained(tmp_path / "other", 100, sampling="public", reward="y2")


def test_public_sampling_is_what_is_done_where_nothing_else_is_asked(tmp_path):
    folder = tmp_path / "run"
    made = train("cards", out=folder, iterations=100, betting=BETTING)
    assert (made.settings.sampling, made.settings.hole_cards) == ("public", 24)
    assert str(made.settings.rule) == "dcfr(1.5,0,2)"
    with pytest.raises(InputError, match="began with hole-cards 24"):
        train(resume=folder, iterations=200, hole_cards=30)
    short = train("cards", out=tmp_path / "short", iterations=99, betting=BETTING)
    assert str(short.settings.rule) == "lcfr"  # too short for a hundred parts
    for options in ({"reward": "y2"}, {"batch": 10}, {"ahead": 0}):
        settings = TrainingSettings(**options)
        assert (settings.sampling, settings.hole_cards, str(settings.rule)) == ("external", None, "lcfr")
    assert TrainingSettings(betting="acpc").sampling == "external"  # a tree of 90,670 decisions
    with pytest.raises(InputError, match="hole-cards go with sampling public"):
        TrainingSettings(sampling="external", hole_cards=24)
    with pytest.raises(InputError, match="child-weights literal goes with sampling external"):
        TrainingSettings(sampling="public", child_weights="literal")


def test_runs_from_before_there_were_samplings_go_on_as_they_began(tmp_path):
    folder = save_training(tmp_path / "run", BETTING, [200], without=["sampling", "hole_cards"])
    with small_cards_everywhere():
        assert train(resume=folder, iterations=300).settings.sampling == "external"


def test_compiling_is_not_training_time(tmp_path):
    made = trained(tmp_path / "run", 100)
    assert made.seconds < 1.0
    assert "compile_seconds" in made.as_dict()


def test_older_checkpoints_thin_out():
    """The newest two stay, and the last of each of the two spans 16 to 63 and 4 to 15."""
    kept: list[int] = []
    for iterations in range(1, 101):
        kept.append(iterations)
        kept = [each for each in kept if each not in KEPT_CHECKPOINTS.superseded(kept)]
        assert len(kept) <= 4
    assert kept == [15, 63, 99, 100]


def test_training_refuses_what_cannot_be(tmp_path):
    with pytest.raises(InputError, match=r"takes .* and --memory"):
        trained(tmp_path / "big", 10, memory=1 << 20)
    assert not (tmp_path / "big").exists()
    with pytest.raises(InputError, match="how long"):
        trained(tmp_path / "none", None)
    with pytest.raises(InputError, match="is not a run"):
        train(resume=tmp_path, iterations=10)
    folder = tmp_path / "run"
    trained(folder, 100)
    with pytest.raises(InputError, match="already holds a run"):
        trained(folder, 100)
    newest = Run.open(folder).checkpoint(100)
    with (newest / "table.npy").open("r+b") as file:
        file.seek(200)
        file.write(b"\x01\x02\x03")
    with pytest.raises(InputError, match="checksum does not match"):
        train(resume=folder, iterations=200)


def test_other_cards_are_refused(tmp_path, small, monkeypatch):
    folder = tmp_path / "run"
    trained(folder, 100)
    other = random_cards()
    other.fingerprint = "other"
    use_cards(other, patch=monkeypatch)
    with pytest.raises(InputError, match="give its folder by --cards"):
        TrainingRun.open(folder)
    with pytest.raises(InputError, match="is not the card abstraction"):
        TrainingRun.open(folder, "elsewhere")


def test_cards_are_found_beside_a_run_that_moved(tmp_path, small, monkeypatch):
    runs = tmp_path / "here" / "runs"
    trained(runs / "run", 100)
    moved = tmp_path / "there" / "runs" / "run"
    (tmp_path / "there" / "abstractions" / "other").mkdir(parents=True)
    (tmp_path / "there" / "abstractions" / "small").mkdir()
    shutil.move(runs / "run", moved)
    use_cards(small, "small", monkeypatch)
    assert TrainingRun.open(moved).blueprint().iterations == 100
    (moved / "cards").mkdir()
    assert TrainingRun.open(moved).cards is small


# Stopping and killing

KILLED = """
import sys
sys.path.insert(0, {tests!r})
from oracles.blueprints import BETTING, random_cards, use_cards
from solvent.foundation.storage.run import Run
from solvent.training.train import train
use_cards(random_cards())
folder = {folder!r}
if Run.is_run(__import__("pathlib").Path(folder)):
    train(resume=folder, iterations=10**12, checkpoint_every=0.05)
else:
    try:
        train("cards", out=folder, betting=BETTING, iterations=10**12, checkpoint_every=0.05, sampling="external")
    except KeyboardInterrupt as stopped:
        made, saved = stopped.result, Run.open(folder).checkpoints()[-1]
        sys.exit(17 if made.stopped_by == "interrupt" and made.iterations == saved else 0)
"""


def begin_and_wait(folder, beyond):
    script = KILLED.format(tests=str(Path(__file__).parents[1]), folder=str(folder))
    process = shared().begin_code(script)
    while newest(folder) <= beyond:
        assert process.poll() is None
        time.sleep(0.01)
    return process


def newest(folder):
    return Run.open(folder).checkpoints()[-1] if Run.is_run(folder) and Run.open(folder).checkpoints() else 0


def test_killed_training_goes_on_bit_for_bit(tmp_path, cards):
    folder = tmp_path / "run"
    for _ in range(2):
        process = begin_and_wait(folder, newest(folder))
        process.kill()
        process.wait()
    reached = newest(folder) + 1_000
    assert train(resume=folder, iterations=reached).iterations == reached
    straight = BlueprintSolver(Blueprint(build_tree(parse_betting(BETTING)), cards))
    straight.run(reached)
    np.testing.assert_array_equal(table(folder), straight.blueprint.table)


def test_measurements_before_the_first_checkpoint_are_made_once(tmp_path):
    folder = tmp_path / "run"
    trained(folder, 3_000)
    measured = [row["iterations"] for row in Run.open(folder).metrics()]
    for number in Run.open(folder).checkpoints():  # as a kill before the first checkpoint leaves a run
        shutil.rmtree(Run.open(folder).checkpoint(number))
    train(resume=folder)
    assert [row["iterations"] for row in Run.open(folder).metrics()] == measured
    assert len(measured) > 1


def test_ctrl_c_saves_and_carries_the_result(tmp_path):
    process = begin_and_wait(tmp_path / "run", 0)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 17
    assert train(resume=tmp_path / "run", iterations=newest(tmp_path / "run")).iterations > 0


def test_any_thread_can_stop_a_training(tmp_path):
    stop, made = Stop(), []
    thread = threading.Thread(
        target=lambda: made.append(trained(tmp_path / "run", 10**12, stop=stop, check_every=10**9))
    )
    thread.start()
    while not Run.is_run(tmp_path / "run"):
        time.sleep(0.01)
    stop.request()
    thread.join(timeout=60)
    assert made[0].stopped_by == "interrupt"


def test_a_training_to_a_time_that_is_stopped_is_no_finished_one(tmp_path):
    folder, design = tmp_path / "run", TrainingSettings(betting=BETTING)

    def interrupt(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train_to(
            folder, Path("cards"), design, 0.2, 1, watch=lambda now: now.done and interrupt(now)
        )
    assert Run.open(folder, "training").facts()["seconds"] < 0.2
    assert training.train_to(folder, Path("cards"), design, 0.2, 1) > 0
    assert Run.open(folder, "training").facts()["seconds"] >= 0.2


def test_a_full_disk_is_one_line_and_loses_no_checkpoint(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    trained(folder, 500)

    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(bundle, "write_array", full)
        with pytest.raises(InputError, match="No space left"):
            train(resume=folder, iterations=1_000)
    room = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(bundle.shutil, "disk_usage", lambda path: room._replace(free=1 << 20))
        with pytest.raises(InputError, match="free"):
            train(resume=folder, iterations=1_000)
        with pytest.raises(InputError, match="free"):
            trained(tmp_path / "new", 10)
    assert not (tmp_path / "new").exists(), "a refusal leaves no folder that would be in the way"
    assert Run.open(folder).checkpoints()[-1] == 500
    assert train(resume=folder, iterations=1_000).iterations == 1_000


# The command


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """`solvent train` in this process, with cards that need no folder: exit code, output and complaints."""

    def run(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["solvent", "train", *map(str, arguments)])
        code = run_command()
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_train_is_a_command(command, tmp_path):
    options = ("--cards", "cards", "--betting", BETTING, "--threads", 1, "--json")
    code, out, _ = command(*options, "--iterations", 200, "--seed", 3, "--out", "run")
    assert code == 0
    document = json.loads(out)
    assert document["iterations"] == 200
    assert document["settings"]["seed"] == 3
    assert (tmp_path / "run" / "report.html").exists()
    with (tmp_path / "run" / "metrics.jsonl").open("a") as file:
        file.write('{"iterations": 12')  # as a kill may leave it
    code, out, _ = command("--resume", "run", "--iterations", 400, "--json")
    assert code == 0
    assert json.loads(out)["iterations"] == 400
    assert Run.open(tmp_path / "run").metrics()[-1]["iterations"] == 400
    assert Run.open(tmp_path / "run").configuration["threads"] == 1  # as it began, not all cores


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--time", "nan"], "time must be a finite time, at least 0"),
        (["--time", "-1"], "time must be a finite time, at least 0"),
        (["--time", "3 weeks"], "such as 90s, 5m or 2h"),
        (["--iterations", "-5"], "iterations must be a whole number, at least 0"),
        ([], "say how long"),
        (["--iterations", "9", "--stack", "nan"], "stack must be a finite number"),
        (["--iterations", "9", "--stack", "0.3"], "stack is 1 to 1,000,000"),
        (["--iterations", "9", "--seed", "99999999999999999999999"], "seed must be"),
        (["--iterations", "9", "--threads", "100000"], "threads must be a whole number, at least 1"),
        (["--iterations", "9", "--regret-floor", "inf"], "regret-floor must be a finite number"),
        (["--iterations", "9", "--regret-floor", "-1"], "regret-floor must be a finite number, at least 0"),
        (["--iterations", "9", "--reward", "y9"], "there is no reward 'y9'; choose from y1"),
        (["--iterations", "9", "--rule", "heavy"], "there is no rule 'heavy'"),
        (["--iterations", "9", "--memory", "1M"], "and --memory allows"),
        (["--iterations", "9", "--preset", "tiny"], "not both"),
    ],
)
def test_bad_trainings_get_one_line_and_no_folder(command, tmp_path, given, said):
    code, _, complaint = command("--cards", "cards", "--out", "run", *given)
    assert code == 2
    assert said in complaint.splitlines()[-1]
    assert "Traceback" not in complaint
    assert not (tmp_path / "run").exists()


def test_resuming_takes_no_other_design(command):
    assert command("--cards", "cards", "--betting", BETTING, "--iterations", 50, "--out", "run")[0] == 0
    for option in (("--betting", "fcpa"), ("--seed", 1), ("--reward", "y2"), ("--initial-weights",)):
        code, _, complaint = command("--resume", "run", "--iterations", 100, *option)
        assert code == 2
        assert f"began with {option[0][2:]}" in complaint


def test_cards_are_not_made_for_a_training_that_cannot_be(command, tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.txt").write_text("years of work")
    for given in (("--reward", "y9"), ("--memory", "1M"), ("--betting", "flop=oops"), ("--out", "taken")):
        code, _, complaint = command("--preset", "tiny", "--iterations", 9, "--out", "run", *given)
        assert code == 2
        assert "turn histograms" not in complaint
        assert len(complaint.splitlines()) == 1


def test_a_changed_configuration_is_refused(tmp_path):
    folder = tmp_path / "run"
    trained(folder, 100)
    written = (folder / "run.toml").read_text()
    (folder / "run.toml").write_text(written.replace('reward = "y1"', 'reward = "y2"'))
    with pytest.raises(InputError, match="has been changed since it was written"):
        train(resume=folder, iterations=200)
    (folder / "run.toml").write_text(written)
    shutil.copytree(
        folder / "checkpoints" / "000000000000100", folder / "checkpoints" / "000000000000100.bak"
    )
    assert train(resume=folder, iterations=200).iterations == 200
