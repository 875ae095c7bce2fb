"""OpenSpiel's games as ours: the same trees where we have our own, and a sentence for what is refused."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
from typing import Any

import pytest

from solvent.forms import history
from solvent.foundation.errors import InputError
from solvent.games.efg.writing import write_efg
from solvent.games.game import CHANCE, TERMINAL, Game, GameError, State
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc
from solvent.games.openspiel import OpenSpielGame, load_openspiel
from solvent.solving.solve import solve
from solvent.strategy.solved.openspiel import to_tabular_policy

pyspiel = pytest.importorskip("pyspiel")


def children(state: State) -> list[State]:
    labels = [label for label, _ in state.chance()] if state.player() == CHANCE else state.actions()
    return [state.child(label) for label in labels]


def histories(game: Game) -> list[State]:
    """Every state, in preorder, by the protocol's own verbs."""
    missing, found = [game.root()], []
    while missing:
        state = missing.pop()
        found.append(state)
        if state.player() != TERMINAL:
            missing.extend(reversed(children(state)))
    return found


def assert_lockstep(ours: Game, theirs: Game) -> int:
    """The same tree, its infosets and actions perhaps named differently; how many histories it has."""
    names: dict[tuple[int, str], str] = {}
    taken: set[tuple[int, str]] = set()
    pairs = list(zip(histories(ours), histories(theirs), strict=True))
    for mine, other in pairs:
        player = mine.player()
        assert player == other.player()
        if player == TERMINAL:
            assert list(mine.payoffs()) == pytest.approx(list(other.payoffs()))
        elif player == CHANCE:
            weights, again = ([float(weight) for _, weight in state.chance()] for state in (mine, other))
            assert weights == pytest.approx(again)
        else:
            assert len(mine.actions()) == len(other.actions())
            key = player, mine.infoset()
            if key not in names:
                assert (player, other.infoset()) not in taken
                names[key] = other.infoset()
                taken.add((player, other.infoset()))
            assert names[key] == other.infoset()
    return len(pairs)


# The same games


def test_kuhn_is_kuhn() -> None:
    assert assert_lockstep(Kuhn(), load_openspiel("kuhn_poker")) == 58


def test_leduc_is_leduc() -> None:
    assert assert_lockstep(Leduc(distinct=True), load_openspiel("openspiel:leduc_poker")) == 9457


def test_a_pyspiel_game_and_its_name_are_one() -> None:
    given = load_openspiel(pyspiel.load_game("kuhn_poker"))
    assert str(given) == "openspiel:kuhn_poker()"
    assert isinstance(given, Game)
    assert assert_lockstep(given, load_openspiel(str(given))) == 58


def test_games_that_openspiel_has_in_python() -> None:
    assert assert_lockstep(Kuhn(), load_openspiel("python_kuhn_poker")) == 58


def test_openspiel_reads_the_efg_that_is_written() -> None:
    for game in (Kuhn(), Leduc()):
        stream = io.StringIO()
        write_efg(game, stream)
        theirs = OpenSpielGame(pyspiel.load_efg_game(stream.getvalue()))
        assert assert_lockstep(game, theirs) == game.histories()


# States


def test_labels_are_openspiels_own() -> None:
    state = load_openspiel("kuhn_poker").root()
    assert [label for label, _ in state.chance()] == ["Deal:0", "Deal:1", "Deal:2"]
    state = children(children(state)[0])[0]
    assert state.actions() == ("Pass", "Bet")
    assert state.infoset() == "0"


def test_states_are_not_changed_by_moving_on() -> None:
    root = load_openspiel("kuhn_poker").root()
    dealt = root.child(root.chance()[0][0]).child(root.chance()[1][0])
    before = dealt.infoset()
    assert dealt.child("Bet").player() == 1
    assert (dealt.player(), dealt.infoset()) == (0, before)


def test_quick_ways_agree_with_the_protocol() -> None:
    for state in histories(load_openspiel("kuhn_poker")):
        quick: Any = state
        if state.player() == CHANCE:
            assert [(label, weight) for label, weight, _ in quick.chance_children()] == state.chance()
        elif state.player() != TERMINAL:
            assert [s.player() for s in quick.children()] == [s.player() for s in children(state)]


class SameLabels:
    """A pyspiel.State whose actions all have one name."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def action_to_string(self, action: int) -> str:
        return "move"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)


def test_actions_with_one_name_are_told_apart() -> None:
    game = load_openspiel("kuhn_poker")
    state: Any = children(children(game.root())[0])[0]
    state._state = SameLabels(state._state)
    assert state.actions() == ("move 1", "move 2")
    assert state.child("move 2").player() == 1


def test_our_word_for_the_end_is_translated() -> None:
    state = pyspiel.load_game("kuhn_poker").new_initial_state()
    assert int(pyspiel.PlayerId.CHANCE) == CHANCE
    for action in (0, 1, 0, 0):
        state = state.child(action)
    assert state.current_player() == int(pyspiel.PlayerId.TERMINAL) == -4


def test_games_can_be_sent_to_other_processes() -> None:
    for name in ("leduc_poker", "goofspiel(num_cards=3)"):
        game = load_openspiel(name)
        assert str(pickle.loads(pickle.dumps(game))) == str(game)


# Simultaneous, constant-sum and perfect-information games


def test_simultaneous_moves_are_taken_in_turn_unseen() -> None:
    game = load_openspiel("matrix_rps")
    assert str(game) == "openspiel:matrix_rps()"
    second = children(game.root())
    assert [state.player() for state in second] == [1, 1, 1]
    assert len({state.infoset() for state in second}) == 1
    assert [list(state.payoffs()) for state in children(second[0])] == [[0, 0], [-1, 1], [1, -1]]


def test_goofspiel() -> None:
    game = load_openspiel("goofspiel(num_cards=3)")
    states = histories(game)
    assert {state.player() for state in states} == {0, 1, CHANCE, TERMINAL}
    assert sum(state.player() == TERMINAL for state in states) == 6**3
    assert all(sum(state.payoffs()) == 0 for state in states if state.player() == TERMINAL)
    first = children(game.root())[0]
    assert len({state.infoset() for state in children(first)}) == 1


def test_half_of_a_constant_sum_is_subtracted() -> None:
    game = load_openspiel(pyspiel.create_matrix_game([[1, 2], [3, 0]], [[2, 1], [0, 3]]))
    ends = [tuple(s.payoffs()) for s in histories(game) if s.player() == TERMINAL]
    assert ends == [(-0.5, 0.5), (0.5, -0.5), (1.5, -1.5), (-1.5, 1.5)]


def test_perfect_information_needs_no_information_state() -> None:
    source = pyspiel.load_game("pig(players=2,horizon=4,winscore=2,diceoutcomes=2)")
    assert not source.get_type().provides_information_state_string
    moves = [s.infoset() for s in histories(load_openspiel(source)) if s.player() >= 0]
    assert len(moves) == len(set(moves)) > 3


def test_tic_tac_toe_is_a_game_like_any_other() -> None:
    game = load_openspiel("tic_tac_toe")
    assert len(game.root().actions()) == 9


# Refusals


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "kuhn_poker(players=3)",
            "openspiel:kuhn_poker(players=3) has 3 players; solvent takes games of two",
        ),
        ("blackjack", "has 1 player;"),
        ("catch", "has 1 player;"),
        ("matrix_pd", "openspiel:matrix_pd() is general-sum; solvent takes zero-sum OpenSpiel games"),
        ("bargaining", "is general-sum"),
        ("tiny_hanabi", "openspiel:tiny_hanabi() pays both players the same"),
        ("dark_chess", "has no information_state_string"),
        ("markov_soccer", "has no information_state_string"),
        ("mfg_crowd_modelling", "openspiel:mfg_crowd_modelling()"),
        ("khun_poker", "OpenSpiel has no game 'khun_poker'; did you mean kuhn_poker"),
        ("nosuchgame", "OpenSpiel has no game 'nosuchgame'"),
        ("", "OpenSpiel has no game ''"),
        ("python_nosuch", "OpenSpiel has no game 'python_nosuch'"),
        ("kuhn_poker(plyers=2)", "OpenSpiel cannot load kuhn_poker(plyers=2): Unknown parameter 'plyers'."),
        ("kuhn_poker(players=11)", "num_players_ <= kGameType.max_num_players; num_players_ = 11"),
        ("kuhn_poker(players=x)", "Wrong type for parameter players"),
        ("kuhn_poker(", "Missing closing bracket"),
        ("nfg_game", "OpenSpiel cannot load nfg_game: "),
        ("efg_game(filename=/nowhere)", "OpenSpiel cannot load efg_game(filename=/nowhere): "),
    ],
)
def test_what_cannot_be_solved_is_refused(
    name: str, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(GameError) as error:
        load_openspiel(name)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300
    assert ".cc:" not in str(error.value)
    assert capfd.readouterr() == ("", "")


def test_standard_error_works_again_after_a_refusal(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(GameError):
        load_openspiel("kuhn_poker(")
    print("still here", file=sys.stderr)
    assert capfd.readouterr().err == "still here\n"


def test_sampled_chance_is_refused() -> None:
    source = pyspiel.load_game("phantom_ttt")

    class Sampled:
        """phantom_ttt, were its chance outcomes sampled: OpenSpiel's own sampled games are general-sum."""

        class Kind:
            dynamics = source.get_type().dynamics
            utility = source.get_type().utility
            chance_mode = pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC

        def get_type(self) -> Any:
            return self.Kind

        def num_players(self) -> int:
            return 2

        def __str__(self) -> str:
            return "sampled()"

    with pytest.raises(GameError, match=r"openspiel:sampled\(\) samples its chance outcomes"):
        OpenSpielGame(Sampled())


def test_a_missing_openspiel_is_told_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(GameError, match=r'openspiel:kuhn_poker need .* pip install "solvent\[openspiel\]"'):
        load_openspiel("kuhn_poker")


def test_the_module_itself_does_not_import_openspiel() -> None:
    check = "import sys, solvent.games.openspiel; sys.exit('pyspiel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.parametrize("name", ["kuhn", "leduc(distinct=true)"])
def test_built_in_games_that_openspiel_has_become_its_policies(name) -> None:
    from open_spiel.python.algorithms import exploitability

    result = solve(name, iterations=50)
    policy = to_tabular_policy(result.strategy)
    theirs = exploitability.exploitability(policy.game, policy)
    assert theirs == pytest.approx(result.exploitability, abs=1e-9)


def test_a_game_that_openspiel_has_otherwise_is_refused() -> None:
    with pytest.raises(InputError, match="leduc is not OpenSpiel's; solve openspiel:NAME, kuhn or leduc"):
        to_tabular_policy(solve("leduc", iterations=1).strategy)


def test_a_game_that_will_not_fit_is_refused_early(monkeypatch) -> None:
    """Not only once it has filled the memory, which took a minute."""
    monkeypatch.setattr(history, "SECONDS_BEFORE_LOOKS", 0.5)
    rows = []
    with pytest.raises(
        GameError, match=r"about \de\+07 histories .* would take about \S+ GiB; the memory limit is 2"
    ):
        history.compile_tree(load_openspiel("latent_ttt"), 2 << 30, lambda now: rows.append(now.done))
    assert max(rows, default=0) * 300 < 1 << 30


def test_a_game_that_fits_is_not_refused_for_taking_long(monkeypatch) -> None:
    monkeypatch.setattr(history, "SECONDS_BEFORE_LOOKS", 0.01)
    assert history.compile_tree(load_openspiel("leduc_poker"), 64 << 20).histories == 9457
