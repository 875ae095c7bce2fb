"""`solvent match` and `solvent play`: what agents are called, what is refused, interrupts, hands in files."""

import io
import json
import os
import shutil
import signal
import sys
from mmap import mmap
from pathlib import Path

import numpy as np
import pytest

from oracles.trainings import save_training, small_cards_everywhere
from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.app.command_line import run
from solvent.foundation.progress import Interrupted, Stop
from solvent.games.betting.rules import HoldemRules
from solvent.games.hand_history import read_phh
from solvent.play.agents import AgentLoader, AgentName, RunName, parse_agent
from solvent.play.matches import Match, PairPlayer, round_robin
from solvent.play.statistics import Winnings
from solvent.play.table_agent import rule_agent

STATISTICS = ("chips", "mbb_per_hand", "mbb_per_hand_95", "bb_per_100", "bb_per_100_95")
BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"


@pytest.fixture(scope="module", autouse=True)
def loaded_cards():
    """Every training's cards are the small ones."""
    with small_cards_everywhere():
        yield


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with trainings: a with two checkpoints, b, and other betting."""
    folder = tmp_path_factory.mktemp("runs")
    for name, betting, checkpoints in (
        ("a", BETTING, (500, 1_000)),
        ("b", BETTING, (700,)),
        ("c", "fcpa", (10,)),
    ):
        save_training(folder / name, betting, checkpoints)
    save_training(folder / "empty", BETTING, ())
    return folder


@pytest.fixture
def solvent(runs, monkeypatch, capsys):
    """Run a command in this process, in the runs' folder: (exit code, standard output, standard error)."""

    def command(*arguments, typed=""):
        monkeypatch.chdir(runs)
        monkeypatch.setattr(sys, "argv", ["solvent", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = run()
        found = capsys.readouterr()
        return code, found.out, found.err

    return command


def test_a_match_says_what_was_won(solvent):
    code, out, _ = solvent("match", "a", "b:aggressive@purify", "--hands", 2_000, "--threads", 2, "--json")
    assert code == 0
    document = json.loads(out)
    result = document["matches"][0]
    assert (result["a"], result["b"], result["hands"]) == ("a", "b:aggressive@purify", 2_000)
    assert document["stacks_bb"] == [10, 10]  # as trained
    assert result["complete"]
    assert result["mbb_per_hand"] == pytest.approx(10 * result["bb_per_100"])
    assert result["chips"] == pytest.approx(result["mbb_per_hand"] * 2_000 / 10)
    _, alone, _ = solvent("match", "a", "b:aggressive@purify", "--hands", 2_000, "--threads", 1, "--json")
    again = json.loads(alone)["matches"][0]
    assert [again[key] for key in STATISTICS] == [result[key] for key in STATISTICS]
    code, out, _ = solvent("match", "a", "b", "--hands", 200)
    assert code == 0
    assert "mbb/hand" in out
    assert "BB/100" in out


def test_more_than_two_play_a_round_robin(solvent):
    code, out, _ = solvent(
        "match", "a", "a#500", "a+b", "c", "random", "--hands", 100, "--ensemble", "reach", "--json"
    )
    assert code == 0
    matches = json.loads(out)["matches"]
    assert len(matches) == 10
    assert {match["hands"] for match in matches} == {100}
    code, out, _ = solvent("match", "a", "b", "always-fold", "--hands", 100, "--post", "new(0.2)")
    assert code == 0
    assert "a@new(0.2)" in out


def test_names_are_taken_apart():
    found = parse_agent("x/a+x/b#7:tight@new(0.2,first=false)")
    assert (found.runs, found.style) == ((RunName(Path("x/a")), RunName(Path("x/b"), "7")), "tight")
    assert str(parse_agent("x@threshold(0.15)").post) == "threshold(0.15)"
    assert parse_agent("x") == AgentName(runs=(RunName(Path("x")),))
    assert parse_agent("random") == AgentName(rule="random")
    assert [str(run) for run in parse_agent("x#50%+y#first").runs] == ["x#50%", "y#first"]


def test_a_folder_may_have_any_name(runs):
    strange = runs / "a+b:tight@x#1"
    shutil.copytree(runs / "a", strange)
    assert AgentLoader().load(str(strange)).name == str(strange)
    assert AgentLoader().load(f"{strange}:tight").playing.style == 2


def test_an_earlier_checkpoint_is_another_agent(runs):
    loader = AgentLoader()
    new, old, named = (loader.load(f"{runs}/{name}") for name in ("a", "a#500", "a#1000"))
    assert (new.playing.tables[0] == named.playing.tables[0]).all()
    assert (new.playing.tables[0] != old.playing.tables[0]).any()
    for name in ("a#first", "a#20%", "a#74.9%"):
        assert (loader.load(f"{runs}/{name}").playing.tables[0] == old.playing.tables[0]).all()
    assert (loader.load(f"{runs}/a#75.1%").playing.tables[0] == new.playing.tables[0]).all()
    assert not new.playing.tables[0].flags.writeable
    owner = new.playing.tables[0]
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert isinstance(owner, mmap)  # nothing was copied


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("a",), "two agents"),
        (("a", "nobody"), "there is no agent 'nobody'"),
        (("a", "empty"), "no checkpoint yet"),
        (("a", "."), "is not a run"),
        (("a", "a:bold"), "no style 'bold'"),
        (("a", "a@sharpen"), "no post-processing 'sharpen'"),
        (("a", "a:tight:tight"), "two styles"),
        (("a", "a#3"), "no checkpoint of iteration 3; it has 500, 1000"),
        (("a", "a#x"), "named by its iterations"),
        (("a", "a#50"), "no checkpoint of iteration 50"),
        (("a", "always-fold@purify"), "always-fold plays by a rule"),
        (("a", "random:tight"), "random plays by a rule"),
        (("a", "always-call#3"), "always-call plays by a rule"),
        (("a", "a+random"), "random plays by a rule"),
        (("a", "a+c"), "different betting"),
        (("a", "a+"), "names no agent"),
        (("a", "+".join("a" * 9)), "1 to 8 runs"),
        (("a", "b", "--hands", "7"), "even, not 7"),
        (("a", "b", "--stack", "much"), "number of big blinds"),
        (("a", "b", "--stack", "0"), "at least a chip"),
        (("a", "b", "--stack", "1,2,3"), "one or two numbers"),
        (("a", "b", "--stack", "200000"), "at most 10,000,000 chips"),
        (("a", "b", "--blinds", "100/50"), "the big at least 1 and the small no more"),
        (("a", "b", "--blinds", "100"), "small/big"),
        (("a", "b", "--blinds", "0.5/1"), "whole chips"),
        (("a", "b", "--blinds", "0/0"), "the big blind is at least one chip, not '0/0'"),
        (("a", "b", "--threads", "1000000000000"), "less than or equal to 1024"),
        (("a", "b", "--hands", "1000000000000000"), "less than or equal to"),
        (("a", "b", "--ensemble", "vote"), "sum or reach, not 'vote'"),
        (("a", "b", "--post", "purify(2)"), "cannot read"),
        (("a", "b", "--phh", "none/such"), "cannot write"),
        (("a", "b", "c", "--phh", "x"), "match of two"),
    ],
)
def test_what_cannot_be_played_is_refused(solvent, arguments, says):
    code, out, err = solvent("match", *arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert says in err


@pytest.mark.parametrize("place", [40, 3_000])
def test_a_damaged_table_is_refused(solvent, runs, place):
    damaged = runs / f"damaged{place}"
    shutil.copytree(runs / "b", damaged)
    with next(damaged.glob("checkpoints/*/table.npy")).open("r+b") as file:
        file.seek(place)
        file.write(b"\x01\x02\x03")
    for command in (("match", damaged.name, "a"), ("play", damaged.name)):
        code, _, err = solvent(*command)
        assert code == 2
        assert len(err.splitlines()) == 1
        assert "is damaged" in err


def test_hands_are_written_as_they_were_played(solvent, runs):
    code, out, _ = solvent(
        "match", "a", "random", "--hands", 40, "--stack", "30,50", "--phh", "hands.phhs", "--json"
    )
    assert code == 0
    written = (runs / "hands.phhs").read_text().split("\n\n")
    hands = [read_phh(text.partition("\n")[2]) for text in written if text.strip()]
    assert [hand.number for hand in hands] == list(range(1, 41))
    assert {hand.names for hand in hands} == {("a", "random"), ("random", "a")}
    assert all(hand.rules == HoldemRules((3_000, 5_000)) for hand in hands)
    won = sum(hand.payoffs[hand.names.index("a")] for hand in hands)
    assert won == json.loads(out)["matches"][0]["chips"]
    for first, second in zip(hands[::2], hands[1::2], strict=True):
        assert first.holes == second.holes
        shorter = min(len(first.board), len(second.board))
        assert first.board[:shorter] == second.board[:shorter]


@pytest.fixture
def heard():
    """Ctrl-C is heard, also where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(("number", "wanted"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_shows_what_was_played(solvent, monkeypatch, number, wanted):
    """A signal while the fourth piece is played."""
    pieces, play = [], PairPlayer.play

    def interrupted(self, *given):
        pieces.append(given)
        if len(pieces) == 4:
            os.kill(os.getpid(), number)
        return play(self, *given)

    monkeypatch.setattr(PairPlayer, "play", interrupted)
    code, out, _ = solvent("match", "always-call", "random", "always-fold", "--hands", 20_000_000, "--json")
    document = json.loads(out)
    result = document["matches"]
    assert code == wanted
    assert len(result) == 1
    assert (document["asked"], document["complete"]) == (3, False)
    assert 0 < result[0]["hands"] < 20_000_000
    assert not result[0]["complete"]
    pieces.clear()
    code, out, _ = solvent("match", "always-call", "random", "always-fold", "--hands", 20_000_000)
    assert code == wanted
    assert "stopped after 0 of 3 matches; always-call against random played" in " ".join(out.split())


def test_an_interrupted_match_keeps_its_pairs():
    def stop(progress):
        raise KeyboardInterrupt

    folds = rule_agent("always-fold")
    with pytest.raises(Interrupted) as stopped:
        Match(folds, rule_agent("always-call"), HoldemRules(), 2_000_000).run(1, watch=stop)
    found = stopped.value.result
    assert not found.complete
    assert found.winnings.hands >= 2_000


def test_a_stopped_match_is_the_last_of_a_round():
    folds, stop = rule_agent("always-fold"), Stop()
    results = list(
        round_robin(
            [folds, folds, folds], HoldemRules(), 2_000_000, watch=lambda _: stop.request(), stop=stop
        )
    )
    assert len(results) == 1
    assert not results[0].complete


def test_intervals_are_those_of_pair_means():
    rng = np.random.default_rng(1)
    won = rng.integers(-400, 500, 1_000)
    found = Winnings(len(won), int(won.sum()), int((won**2).sum()), 100)
    means = won / 2 / 100 * 1000
    assert found.mbb == pytest.approx(means.mean())
    assert found.mbb_interval == pytest.approx(1.959964 * means.std(ddof=1) / np.sqrt(len(means)), rel=1e-6)
    assert (-found).mbb == -found.mbb
    assert np.isnan(Winnings(0, 0, 0, 100).mbb)
    assert Winnings(1, 5, 25, 100).mbb_interval == np.inf


# Playing


def test_a_person_plays_and_ends_with_a_summary(solvent):
    code, out, err = solvent(
        "play", "always-call", "--seed", 3, "--hands", 2, typed="c\nk\nk\nk\np\n\nf\nq\n"
    )
    assert (code, err) == (0, "")
    assert "Hand 1: you have the button" in out
    assert "Showdown on" in out
    assert "Score: +1 BB for you after 1 hand." in out
    assert "plays by a rule" in out


def test_answers_that_are_not_legal_are_asked_again(solvent):
    code, out, _ = solvent(
        "play", "a", "--seed", 1, "--hands", 1, typed="k\nb 0.1\nz\n?\nb 50%\n" + "c\n" * 5 + "\n"
    )
    assert code == 0
    assert out.count("is not possible here") == 3
    assert "1 hand: " in out


@pytest.mark.parametrize("typed", ["", "c\n", "q\n"])
def test_the_end_of_what_is_typed_ends_the_play(solvent, typed):
    code, out, _ = solvent("play", "always-call", "--seed", 3, typed=typed)
    assert code == 0
    assert "No hand was played to its end." in out


def test_a_summary_in_json_counts_every_hand(solvent):
    """Against who always calls: the button is folded ten times, the big blind checked down ten times."""
    typed = ("f\n\n" + "k\n" * 4 + "\n") * 10
    code, out, err = solvent("play", "always-call", "--json", "--seed", 5, "--show", typed=typed)
    assert code == 0
    summary = json.loads(out)
    assert summary["hands"] == 20
    assert summary["bb_won"] == pytest.approx(summary["mbb_per_hand"] * 20 / 1000)
    assert -15 <= summary["bb_won"] <= 5
    assert err.count("Showdown") == 10
    assert err.count("You lose 0.5 BB.") == 10


def test_probabilities_of_the_last_hand_are_shown(solvent):
    _, out, _ = solvent("play", "a@purify", "--seed", 2, "--hands", 1, typed="c\n" * 12 + "\n")
    _, asked, _ = solvent("play", "a@purify", "--seed", 2, "--hands", 1, typed="c\n" * 12 + "p\n\n")
    assert "100.0 %" not in out
    assert "100.0 %" in asked
    assert "played" in asked


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(("number", "wanted"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_play_with_a_summary(solvent, monkeypatch, number, wanted):
    class Signalled(io.StringIO):
        def readline(self, *most):
            line = super().readline(*most)
            if not line:
                os.kill(os.getpid(), number)
            return line

    monkeypatch.setattr(io, "StringIO", Signalled)
    code, out, _ = solvent("play", "always-call", "--seed", 3, "--json", typed="f\n\n")
    assert code == wanted
    assert json.loads(out)["hands"] == 1


def test_bytes_that_are_no_text_are_no_answer(solvent, monkeypatch):
    monkeypatch.setattr(io, "StringIO", lambda typed: io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8"))
    code, out, _ = solvent("play", "always-call", "--seed", 3, typed=b"\xff\xfe\nfold\nq\n")
    assert code == 0
    assert "is not possible here" in out
    assert "You lose 0.5 BB." in out


def test_words_are_answers_and_a_small_bet_is_told_the_least(solvent):
    typed = "raise 1.5\nraise 2\ncheck\nBet 0.5\nbet 1\ncall\nk\nk\n\n"
    _, out, _ = solvent("play", "always-call", "--seed", 3, "--hands", 1, typed=typed)
    assert "the minimum is 2 BB, and all-in is 200 BB" in out
    assert "the minimum is 1 BB, and all-in is 198 BB" in out
    assert "'check'" not in out


def test_equal_actions_are_shown_once(solvent):
    """With short stacks several bets of the tree are one: all-in."""
    _, out, _ = solvent(
        "play", "c:random", "--stack", 3, "--seed", 2, "--hands", 1, "--show", typed="c\n" * 12 + "\n"
    )
    tables = out.split("probability")[1:]
    assert tables
    for shown in tables:
        rows = [line.split("│")[1].strip() for line in shown.splitlines() if line.count("│") > 3]
        assert len(set(rows)) == len(rows)


def test_choices_are_numbered_and_every_word_is_understood(solvent):
    typed = "?\n3\n9\nbet half pot\npot\nfold\nallin\n?\nnonsense\ns\n\n"
    code, out, _ = solvent("play", "always-call", "--seed", 3, "--hands", 1, typed=typed)
    assert code == 0
    assert "1 fold   2 call 0.5 BB   3 raise to 2 BB (minimum)" in out
    helped = out.count("Type the number of a choice, a word or a letter:")
    assert helped == 2  # inside a hand and between hands
    assert "'9' is not possible here" in out
    assert "'fold' is not possible here: there is nothing to call, so check" in out
    assert "'nonsense' is none of these" in out
    assert out.count("Score: ") == 2
    assert not [line for line in out.splitlines() if len(line) > 80]


def test_the_winning_hand_has_a_name(solvent):
    _, out, _ = solvent("play", "always-call", "--seed", 3, "--hands", 1, typed="c\nk\nk\nk\n\n")
    shown = " ".join(out.split()).partition("Showdown on ")[2]
    assert shown.startswith(
        "4♥ A♠ K♥ J♠ K♦: you have 5♠ 9♦, a pair of kings, nine kicker; it has 7♥ 8♠, a pair of kings, eight kicker."
    )


def test_hands_that_a_person_plays_are_kept(solvent, runs):
    typed = ("f\n\n" + "k\n" * 4 + "\n") * 2
    code, out, _ = solvent("play", "always-call", "--json", "--seed", 5, "--phh", "mine.phhs", typed=typed)
    assert code == 0
    written = (runs / "mine.phhs").read_text().split("\n\n")
    hands = [read_phh(text.partition("\n")[2]) for text in written if text.strip()]
    assert [hand.names for hand in hands] == [("you", "always-call"), ("always-call", "you")] * 2
    won = sum(hand.payoffs[hand.names.index("you")] for hand in hands) / 100
    assert won == json.loads(out)["bb_won"]


def test_stacks_other_than_the_trained_ones_are_noted(solvent):
    note = "trained with 10 BB"
    assert note in " ".join(solvent("play", "a", "--stack", 30, typed="q\n")[1].split())
    assert note not in " ".join(solvent("play", "a", "--stack", 10, typed="q\n")[1].split())


# Own agents


OWN = """
import numpy as np
from solvent import CALL, FOLD, Mixture

class Caller:
    name = "my caller"
    def act(self, view):
        return CALL

class Measurable(Caller):
    name = "my measurable caller"
    def probabilities(self, view):
        return Mixture((CALL,), np.ones((1326, 1)))

class Nameless:
    def start(self, rules, seat, seed):
        return Hand()

class Hand:
    def observe(self, event):
        pass
    def act(self):
        return CALL

class Illegal(Caller):
    def act(self, view):
        return 7

class Odd(Caller):
    def act(self, view):
        return "call"

class Broken(Caller):
    def act(self, view):
        return 1 / 0

class Nothing:
    pass
"""


@pytest.fixture
def own(runs):
    (runs / "bots.py").write_text(OWN)


@pytest.mark.usefixtures("own")
def test_own_agents_play_matches(solvent):
    code, out, err = solvent(
        "match", "a", "bots.py:Caller", "bots.py:Nameless", "always-call", "--hands", 20, "--json"
    )
    assert code == 0, err
    document = json.loads(out)
    assert document["agents"] == ["a", "my caller", "bots.py:Nameless", "always-call"]
    assert document["matches"][-1]["mbb_per_hand"] == 0  # both only call, over the same cards
    assert document["matches"][0]["chips"] == document["matches"][2]["chips"]
    assert solvent("match", "bots.py:Caller", "a", "--hands", 4, "--phh", "own.phhs")[0] == 0


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("bots.py:Illegal", "my caller chose an action that cannot be played: r7 is not legal"),
        ("bots.py:Odd", "'call' is no action: it is not a whole number"),
        ("bots.py:Broken", "ZeroDivisionError: division by zero (bots.py, line 35)"),
        (
            "bots.py:Nothing",
            "bots.py:Nothing is no agent: an agent has act(view), or start(rules, seat, seed)",
        ),
        ("bots.py:Cailer", "bots.py has no agent 'Cailer'; did you mean Caller"),
        ("no_such_module:Caller", "there is no module 'no_such_module'"),
        ("a:tigth", "there is no style 'tigth' of play; there are aggressive"),
        ("a:tigth", "did you mean tight?"),
        ("alwayscall", "did you mean always-call?"),
    ],
)
def test_own_agents_that_cannot_play_are_one_sentence(solvent, name, says):
    code, _, err = solvent("match", "always-call", name, "--hands", 4, "--json")
    assert code == 2
    assert len(err.splitlines()) == 1
    assert says in err


@pytest.mark.usefixtures("own")
def test_a_person_plays_an_own_agent(solvent):
    _, out, _ = solvent("play", "bots.py:Measurable", "--seed", 3, "--hands", 1, typed="c\nk\nk\nk\np\n\n")
    assert "You play my measurable caller." in out
    assert out.count("100.0 %") == 4
    _, out, _ = solvent(
        "play", "bots.py:Caller", "--seed", 3, "--hands", 1, "--show", typed="c\nf\nk\nk\nk\n\n"
    )
    assert "it does not say its probabilities" in out


@pytest.mark.usefixtures("own")
def test_own_agents_are_measured_by_local_best_response(solvent, runs):
    quick = ("--parts", "lbr", "--lbr-hands", 4, "--lbr-actions", "fc", "--stack", 10)
    code, out, err = solvent("evaluate", "bots.py:Measurable", *quick, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["agent"], found["stack_bb"], found["complete"]) == ("my measurable caller", 10, True)
    assert found["lbr"][0]["hands"] == 4
    for name, says in (
        (
            "bots.py:Caller",
            "my caller does not say its probabilities, so local best response cannot measure it",
        ),
        ("nowhere", "there is no folder nowhere"),
    ):
        code, out, err = solvent("evaluate", name, *quick)
        assert (code, out) == (2, "")
        assert says in err
    assert "are lbr, not styles" in solvent("evaluate", "bots.py:Measurable", "--parts", "styles")[2]
    assert "--stack is for own agents" in solvent("evaluate", "a", *quick)[2]


class Closed(io.StringIO):
    """A stream that nobody reads any more."""

    def write(self, text):
        raise BrokenPipeError


def test_the_cards_of_runs_may_be_named(solvent, monkeypatch):
    opened, load = [], CardAbstraction.load
    monkeypatch.setattr(
        CardAbstraction, "load", lambda folder, **options: opened.append(folder) or load(folder)
    )
    for command in (("match", "a", "always-call", "--hands", 4), ("play", "a", "--hands", 1)):
        assert solvent(*command, "--cards", "elsewhere", typed="f\nq\n")[0] == 0
    assert [str(folder) for folder in opened] == ["elsewhere"] * 2


def test_a_closed_standard_error_stops_nothing(solvent, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Closed())
    code, out, _ = solvent("match", "a", "b", "--hands", 200)
    assert code == 0
    assert "mbb/hand" in out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_narrow_terminals_show_results(solvent, monkeypatch, encoding):
    narrow = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", narrow)
    for arguments in (("match", "a", "b", "always-fold", "--hands", 200), ("play", "a", "--seed", 1)):
        assert solvent(*arguments, typed="c\n" * 12)[0] == 0
    narrow.seek(0)
    assert "mbb/hand" in narrow.read()
