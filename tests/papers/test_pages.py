"""Results pages in docs/results: each is what its template makes of the records beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solvent_papers.experiments import BENCHED, REPRODUCED, Listed
from solvent_papers.frame.pages import page_again, save_page

RESULTS = Path(__file__).parents[2] / "docs" / "results"
LISTED = {"reproduce": REPRODUCED, "bench": BENCHED}


def _pages() -> list[tuple[Path, Listed]]:
    """The pages that a listed experiment wrote, found by the commands in their files."""
    found = []
    for page in sorted(RESULTS.glob("*.json")):
        _, verb, name, *_ = json.loads(page.read_text())["command"].split()
        if name in LISTED[verb]:
            found.append((page.with_suffix(".md"), LISTED[verb][name]))
    return found


@pytest.mark.parametrize(("page", "listed"), _pages(), ids=lambda each: getattr(each, "stem", ""))
def test_a_page_is_what_its_template_makes_of_its_records(page: Path, listed: Listed, tmp_path: Path) -> None:
    experiment = listed.load()
    copy = tmp_path / page.name
    save_page(experiment, page_again(experiment, page), copy, draw=False)
    for written in sorted(tmp_path.iterdir()):
        assert written.read_text() == (RESULTS / written.name).read_text(), (
            f"run `solvent {experiment.verb} {experiment.name} --page-only` "
            f"{f'--page {page}' if experiment.verb == 'bench' else ''}"
        )


@pytest.mark.parametrize(("verb", "name"), [(verb, name) for verb in LISTED for name in LISTED[verb]])
def test_an_experiment_is_declared_under_its_name(verb: str, name: str) -> None:
    experiment = LISTED[verb][name].load()
    assert (experiment.verb, experiment.name) == (verb, name)
    names = [part.name for part in experiment.parts]
    assert len(set(names)) == len(names)
    for number, part in enumerate(experiment.parts):
        assert set(part.made_of) <= set(names[:number])
