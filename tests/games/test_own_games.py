"""Games of one's own: named by file or module, solved on both forms, saved and opened again."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

import solvent
from solvent.forms.history import compile_tree
from solvent.foundation.errors import InputError
from solvent.games.efg.writing import write_efg
from solvent.games.game import TERMINAL, GameError
from solvent.games.own import make_own, name_of, source_of

EXAMPLES = Path(__file__).parents[2] / "examples"
ONE_CARD = f"{EXAMPLES / 'public_game.py'}:OneCard"
THROWS = f"{EXAMPLES / 'rock_paper_scissors.py'}:RockPaperScissors"


def value(ranks: int) -> float:
    return solvent.solve(f"{ONE_CARD}(ranks={ranks})", form="history", iterations=300).value


def test_a_public_game_of_ones_own_is_the_same_on_both_forms() -> None:
    on_public = solvent.solve(f"{ONE_CARD}(ranks=4)", iterations=300)
    assert (on_public.form, on_public.game) == ("public", "OneCard(ranks=4)")
    assert on_public.exploitability < 1e-3
    assert on_public.value == pytest.approx(value(4), abs=2e-3)


@pytest.mark.parametrize("form", ["public", "history"])
def test_a_run_and_a_saved_strategy_open_again_where_their_code_is_allowed(form: str, tmp_path: Path) -> None:
    game = solvent.load_game(f"{ONE_CARD}(4)")
    solved = solvent.solve(game, form=form, iterations=20, out=tmp_path / "run")
    solved.strategy.save(tmp_path / "saved")
    for folder in ("run", "saved"):
        opened = solvent.open_strategy(tmp_path / folder, own_code=True)
        assert all(opened[key] == pytest.approx(row, abs=1e-12) for key, row in solved.strategy.items())
        assert solvent.best_response(game, opened, 0).value > 0
        assert solvent.value_against(opened, opened) == pytest.approx(solved.value, abs=1e-12)
        assert solvent.open_strategy(tmp_path / folder, game=game) == opened
    assert solvent.solve(resume=tmp_path / "run", own_code=True, iterations=30).iterations == 30
    assert solvent.solve(game, resume=tmp_path / "run", iterations=40).iterations == 40
    assert solvent.solve(game, form=form, warm_start=tmp_path / "run", iterations=2).iterations == 2


def test_code_that_a_run_names_is_not_run_unless_it_is_allowed(tmp_path: Path) -> None:
    solvent.solve(f"{ONE_CARD}(4)", form="history", iterations=5, out=tmp_path / "run")
    opened = solvent.open_strategy(tmp_path / "run")  # whose infosets are in the folder
    assert len(opened) == 8
    not_run = "is own code, '.*OneCard.*', which is not run because a file names it; .* give --own-code"
    with pytest.raises(InputError, match=not_run):
        solvent.value_against(opened, opened)
    with pytest.raises(InputError, match=not_run):
        solvent.solve(resume=tmp_path / "run", iterations=10)
    opened.save(tmp_path / "saved")
    again = solvent.open_strategy(tmp_path / "saved", own_code=True)
    assert again == opened
    assert isinstance(solvent.value_against(again, again), float)


def test_a_game_that_cannot_be_found_again_is_passed_in(tmp_path: Path) -> None:
    kind = type(solvent.load_game(ONE_CARD))

    class Local(kind):  # type: ignore[misc, valid-type]
        """Defined in a function, so nobody else can import it."""

    solvent.solve(Local(3), iterations=5, out=tmp_path / "run")
    with pytest.raises(InputError, match=r"is of Local\(ranks=3\), a game of your own .* pass it as game"):
        solvent.open_strategy(tmp_path / "run")
    assert len(solvent.open_strategy(tmp_path / "run", game=Local(3))) == 6
    with pytest.raises(InputError, match="belongs to another game"):
        solvent.open_strategy(tmp_path / "run", game=Local(4))
    with pytest.raises(InputError, match="pass it as game"):
        solvent.solve(resume=tmp_path / "run", iterations=10)
    assert solvent.solve(Local(3), resume=tmp_path / "run", iterations=10).iterations == 10


def test_a_file_that_has_changed_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = (EXAMPLES / "public_game.py").read_text()
    file.write_text(text)
    solvent.solve(f"{file}:OneCard(ranks=3)", iterations=5, out=tmp_path / "run")
    file.write_text(text.replace("stake=2", "stake=3"))
    with pytest.raises(InputError, match="another version of it"):
        solvent.open_strategy(tmp_path / "run", own_code=True)


def test_a_module_names_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_throws.py").write_text((EXAMPLES / "rock_paper_scissors.py").read_text())
    monkeypatch.syspath_prepend(tmp_path)
    game = solvent.load_game("own_throws:RockPaperScissors")
    assert str(game) == "rock_paper_scissors"
    assert source_of(game) == "own_throws:RockPaperScissors"
    strategy = solvent.solve(game, iterations=10).strategy
    assert list(strategy) == [(0, "your throw"), (1, "your throw")]
    del sys.modules["own_throws"]


def test_what_cannot_be_made_is_refused() -> None:
    for written, sentence in [
        ("missing.py:Game", "there is no file missing.py"),
        (f"{ONE_CARD}s", "did you mean OneCard?"),
        (f"{ONE_CARD}(ranks=3,suits=2)", r"takes \(ranks: 'int' = 13\) -> 'None', not \(ranks=3,suits=2\)"),
        (f"{THROWS}(3)", "takes"),
    ]:
        with pytest.raises(InputError, match=sentence):
            solvent.load_game(written)
    with pytest.raises(InputError, match="is no class or function"):
        make_own(f"{EXAMPLES / 'rock_paper_scissors.py'}:THROWS(3)", "game")


def test_names_of_games_that_have_none() -> None:
    class Nameless:
        players = 2

        def __init__(self, n: int) -> None:
            self.n = n

    assert name_of(Nameless(3)) == "Nameless(n=3)"
    assert source_of(Nameless(3)) is None


def test_a_state_without_chance_is_told_where_chance_acts() -> None:
    class Start:
        def player(self) -> int:
            return solvent.CHANCE

    class Broken:
        players = 2

        def root(self) -> Start:
            return Start()

    with pytest.raises(InputError, match=r"chance acts in a Start, which has no method chance\(\)"):
        solvent.compile_tree(Broken())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "meant"),
    [("liars_dice", "bluff"), ("leduc_poker", "leduc"), ("Leduc", "leduc"), ("kuhn_poker", "kuhn")],
)
def test_games_that_are_nearly_right(written: str, meant: str) -> None:
    with pytest.raises(InputError, match=f"there is no game '{written}'.*; did you mean {meant}"):
        solvent.load_game(written)


class RootIsNumber:
    players = 2

    def root(self):
        return 7


class RootIsClass:
    players = 2

    def root(self):
        return RootIsNumber


@pytest.mark.parametrize("game", [RootIsNumber(), RootIsClass()])
@pytest.mark.parametrize("use", [compile_tree, lambda game: write_efg(game, io.StringIO())])
def test_a_root_that_is_no_state_is_refused(game, use):
    with pytest.raises(
        GameError, match=r"^RootIs.* where a state should be: root\(\) and child\(\) return an object"
    ):
        use(game)


def test_an_efg_file_is_titled_by_a_game_without_a_name():
    out = io.StringIO()
    write_efg(NamelessCoin(), out)
    assert out.getvalue().startswith('EFG 2 R "NamelessCoin"')


class NamelessCoin:
    players = 2

    def root(self):
        return _End()


class _End:
    def player(self):
        return TERMINAL

    def payoffs(self):
        return 0, 0
