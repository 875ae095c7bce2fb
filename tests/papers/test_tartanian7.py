"""`solvent reproduce tartanian7`: its parts run, are kept, resume where they were stopped, and make a page."""

from dataclasses import replace

import pytest

from oracles.blueprints import use_cards
from oracles.distributed import clustered_cards
from solvent.abstraction.cards.presets import PRESETS
from solvent.app.command_line import run as run_here
from solvent.foundation.errors import InputError
from solvent_papers.frame.cards import flat_design
from solvent_papers.frame.pages import new_page, save_page
from solvent_papers.frame.running import run_parts
from solvent_papers.tartanian7.cluster import experiment
from solvent_papers.tartanian7.cluster.experiment import EXPERIMENT
from solvent_papers.tartanian7.cluster.staleness import Compared, judged
from solvent_papers.tartanian7.cluster.training import Setup


@pytest.fixture
def setup(monkeypatch, tmp_path):
    """Random cards of three clusters, children in this process, and next to no time."""
    use_cards(clustered_cards(3), patch=monkeypatch)
    (tmp_path / "cards" / "tiny" / "tables").mkdir(parents=True)
    monkeypatch.setattr(Setup, "in_process", True)
    return Setup(tmp_path / "work", True, tmp_path / "cards", batch=20)


def test_parts_run_once_and_make_a_page(setup, tmp_path):
    records = run_parts(EXPERIMENT, setup)
    assert list(records) == ["figure-1", "table-1", "cost", "resumed", "staleness"]
    path = tmp_path / "tartanian7.md"
    page = new_page(EXPERIMENT, records, "solvent reproduce tartanian7 --scale small")
    save_page(EXPERIMENT, page, path)
    for heading in ("Figure 1", "Table 1", "The cost of a cluster", "Medium cards", "Staleness"):
        assert f"\n## {heading}" in page.text
    assert "Not run" not in page.text
    assert "| O13 | always-call |" in page.text
    figures = page.document["figures"]
    assert figures["table-1.opponents.new(0.2)"] == 13
    assert figures["resumed.rows.resumed"] >= 5_000
    assert figures["cost.paper.blade bytes"] == pytest.approx(24.4e9, rel=0.01)
    assert path.with_suffix(".png").exists()
    assert path.with_suffix(".csv").read_text().count("\n") == 1 + 2 * (3 + 3) + 2 * 13
    files = {path: path.stat().st_mtime_ns for path in (setup.work / "parts").iterdir()}
    assert run_parts(EXPERIMENT, setup) == records
    assert {path: path.stat().st_mtime_ns for path in (setup.work / "parts").iterdir()} == files


def test_a_part_that_was_stopped_resumes_from_its_finished_runs(setup, monkeypatch):
    trained, train = [], experiment.train_threads

    def counted(blueprint, *given, **options):
        trained.append(options["seed"])
        return train(blueprint, *given, **options)

    def interrupted(*given, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(experiment, "train_threads", counted)
    with monkeypatch.context() as patch:
        patch.setattr(experiment, "expected_match", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_parts(EXPERIMENT, setup, ["figure-1"])
    assert trained == [0, 0]
    (record,) = run_parts(EXPERIMENT, setup, ["figure-1"]).values()
    assert trained == [0, 0]
    assert len(record.found["meetings"]) == 6


def stale(mbb, batches=(1, 100, 1_000), seeds=3):
    """The part's findings where a response wins `mbb(batch, ahead, seed)` at the last mark that B = 1 reached."""
    rows = [
        {"batch": batch, "ahead": ahead, "seed": seed, "mark": mark, "mbb": 500 + mbb(batch, ahead, seed)}
        for batch in batches
        for ahead in (0, 1)
        for seed in range(seeds)
        for mark in ((1.0,) if batch == 1 else (1.0, 2.0))
    ]
    return judged(Compared(batches, (1.0,), (2.0,), seeds), rows)


def cost(found, batch, ahead):
    """The cost of a batch at the last mark that B = 1 reached: its mean, and the ends of its interval."""
    return next(
        each["costs"][0] for each in found["batches"] if (each["batch"], each["ahead"]) == (batch, ahead)
    )


def test_the_largest_batch_that_costs_nothing_measurable():
    """Differences that all runs of a seed share cost nothing. After a batch that costs, larger ones are ignored."""
    found = stale(lambda batch, ahead, seed: 100 * seed + (10 + seed % 2 if batch > 100 else 0))
    assert found["largest free"] == [100, 100]
    assert cost(found, 100, 0)[0] == 0
    assert cost(found, 1_000, 0)[1] > 0
    found = stale(lambda batch, ahead, seed: 50 * ahead * (batch == 100) + seed % 2 * batch / 100)
    assert found["largest free"] == [1_000, 1]


def test_costs_of_batches_are_judged_together():
    """One of six that is above 0 by its own interval is what chance gives; one that is far above is sure."""
    noise = (-28.0, 28.0, -28.0, 28.0)

    def found(more):
        """B = 100, ahead 0 costs this much, and nothing else costs anything."""
        return stale(
            lambda batch, ahead, seed: (batch > 1) * (more * ((batch, ahead) == (100, 0)) + noise[seed]),
            (1, 100, 1_000, 10_000),
            seeds=4,
        )

    some, sure = found(80), found(160)
    assert cost(some, 100, 0)[1] > 0
    assert some["largest free"] == [10_000, 10_000]
    assert sure["largest free"] == [1, 10_000]
    lucky = stale(lambda batch, ahead, seed: -60 * ((batch, ahead) == (1, 0)))
    assert cost(lucky, 100, 0)[0] == 30  # the reference is the mean of both


def test_what_cannot_be_run_is_refused(setup, tmp_path, capfd):
    with pytest.raises(InputError, match="there is no part 'figure-2'; there are figure-1"):
        run_parts(EXPERIMENT, setup, ["figure-2"])
    with pytest.raises(InputError, match="run the part figure-1 first"):
        run_parts(EXPERIMENT, setup, ["table-1"])
    with pytest.raises(InputError, match="and --memory allows 1"):
        run_parts(EXPERIMENT, replace(setup, memory="1K"), ["resumed"])
    assert run_here(["reproduce", "tartanian7", "--scale", "huge", "--out", str(tmp_path)]) == 2
    assert "--scale is full or small, not 'huge'" in capfd.readouterr().err


def test_flat_cards_have_as_many_buckets_and_one_cluster():
    small = PRESETS["small"]
    flat = flat_design(small)
    assert (flat.clusters, flat.flop, flat.turn, flat.river) == (1, 400, 400, 400)
    assert flat.label == "169 / 1x400 / 1x400 / 1x400"
    assert replace(flat, name="small", clusters=8, flop=50, turn=50, river=50) == small
