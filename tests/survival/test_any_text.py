"""Every parser of what people write, given any text: a value, or one sentence, and soon."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from solvent.abstraction.cards.presets import design_from
from solvent.cards.deck import parse_card, parse_cards
from solvent.cards.ranges import parse_range
from solvent.engines.holdem.growing.candidates import parse_auto_sizes
from solvent.engines.rules import load_rule
from solvent.evaluate.local_best_response import response_actions
from solvent.forms.betting.tree import build_tree
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.tree import holdem_tree
from solvent.foundation.names import did_you_mean
from solvent.foundation.storage.reading import parse_toml
from solvent.foundation.units import parse_decimal, parse_share, parse_size, parse_time, parse_whole
from solvent.games.betting.rules import HoldemRules, start
from solvent.games.betting.sizes import parse_bet_size, parse_betting, parse_street
from solvent.games.betting.tree_sizes import parse_lines, parse_tree_sizes
from solvent.games.catalogue import load_game
from solvent.games.continuous_leduc import parse_size as parse_continuous
from solvent.games.efg.reading import _Reader
from solvent.games.hand_history import read_phh
from solvent.games.holdem.spot import Spot
from solvent.games.naming import parse_call
from solvent.play.agents import parse_agent
from solvent.play.answers import read_answer, refusal
from solvent.play.stakes import rules_of
from solvent.serve.upi.session import UpiSession
from solvent.solving.option_checks import cluster_among
from solvent.solving.settings import Settings
from solvent.solving.solve import solve
from solvent.spots.files import TEMPLATE, range_text, read_commands, read_spot_toml
from solvent.spots.flops.choice import read_flops
from solvent.spots.locks import parse_lock
from solvent.spots.nodes.lines import find_action, find_place, root_place
from solvent.spots.nodes.listings import kinds_named
from solvent.spots.requests import spot_options
from solvent.spots.settings import SpotSettings
from solvent.strategy.agents.betting_line import find_decision
from solvent.strategy.agents.trained import hole_cards
from solvent.strategy.post_processing import parse_post
from solvent.strategy.solved.tables import matching_rows
from solvent.training.settings import TrainingSettings
from survival.any_text import any_text, check_read

QUICK, FULL = 25, 400
SPOT = {"board": "Td9d6hQc2s", "oop": "AA,KQs,76s", "ip": "JJ,T9s", "pot": 200, "stack": 900, "bets": "50%,a"}
RANGES = ("QQ+, AKs, 76s:0.5", "99-77,A2s-A5s,AsKh", "random,AA:0", "T9s-76s,Kxs", "[50]AKo,QQ[/50],top 10%")
TEXAS = "set_pot 50\nset_effective_stack 200\nset_board Qs,Jh,2h\nset_range_ip AA,KK:0.5\nset_range_oop QQ\n"
TEXAS += "set_bet_sizes oop,flop,bet,50\nset_allin_threshold 0.67\nset_thread_num 8\nset_accuracy 0.5"
EFG = 'EFG 2 R "t" { "A" "B" }\nc "" 1 "" { "x" 1/2 "y" 0.5 } 0\np "" 1 1 "" { "u" } 0\nt "" 1 "" { 1, -1 }\n'
EFG += 't "" 2 "" { 2 -2 }\n'
PHH = 'variant = "NT"\nantes = [0, 0]\nblinds_or_straddles = [50, 100]\nmin_bet = 100\n'
PHH += 'starting_stacks = [1000, 1000]\nactions = ["d dh p1 AsKs", "d dh p2 ????", "p2 cbr 300", "p1 f"]\n'
UPI = (
    "set_board QsJh2h8c3d", "set_range OOP AA,KQs:0.5", "set_pot 0 0 200", "set_eff_stack 900", "build_tree",
    "add_line 0 100 300", "show_node r:0:b100", "show_children r:0", "calc_ev OOP r:0", "set_rake 0.05 3",
    "set_accuracy 1 chips", "go 2 steps", "set_threads 1", "load_script_silent none.txt", "set_isomorphism 1 0",
    "estimate_tree", "lock_node r:0",
)  # fmt: skip


@cache
def spot() -> Spot:
    return Spot(**SPOT)


@cache
def spot_tree() -> Any:
    return holdem_tree(spot().betting)


@cache
def spot_game() -> Any:
    return holdem_game(spot(), True)


@cache
def agent_tree() -> Any:
    return build_tree(parse_betting("preflop=3x,a; flop=50%; cap=1; stack=10"))


@cache
def kuhn() -> Any:
    return solve("kuhn", iterations=1).strategy


def size_setting(name: str) -> Callable[[str], Any]:
    return lambda text: parse_tree_sizes({"bets": "50%", name: text})


def option_of(kind: Any, name: str) -> Callable[[str], Any]:
    return lambda text: kind.of({name: text})


def answer(text: str) -> None:
    state = start(HoldemRules())
    read_answer(text, state, 0)
    assert len(refusal(text, state, 0)) < 1_000


def flops(text: str, where: Path = Path("flops.txt")) -> None:
    where.write_text(text, encoding="utf-8", errors="surrogatepass")
    read_flops(where, parse_range("AA"), parse_range("KK"))


def say(text: str) -> None:
    """A session that hears some lines, and may solve a little."""
    said: list[str] = []
    session = UpiSession(said.extend, SpotSettings.of({"threads": 1, "memory": "200M"}))
    try:
        for line in (*UPI[:4], "set_range IP JJ", *text.splitlines()[:20], "build_tree", "is_ready"):
            if line.split()[:1] not in (["exit"], ["load_script_silent"]):
                session.take(line)
        assert all(len(line) < 40_000 for line in said)
        assert said[-1] == "is_ready ok!" or session.end_string
    finally:
        session.close()


PARSERS: dict[str, tuple[Callable[[str], Any], tuple[str, ...]]] = {
    "a whole number": (parse_whole, ("12", "-3")),
    "a number": (parse_decimal, ("1.5", "1e-5")),
    "a share": (parse_share, ("5%", "0.05")),
    "a time": (parse_time, ("90s", "1.5h")),
    "a memory size": (parse_size, ("8G", "512 MiB")),
    "a name": (lambda text: did_you_mean(text, ("calling-machine", "tight")), ("calling_machin",)),
    "a card": (parse_card, ("As",)),
    "cards": (parse_cards, ("AsKd 2c",)),
    "a hand": (hole_cards, ("AsKs", "AKo")),
    "a range": (parse_range, RANGES),
    "a range or its file": (lambda text: range_text(text, Path()), ("QQ+,AKs", "@mine.txt")),
    "chips": (lambda text: spot_options({"pot": text, "rake_cap": text}), ("200", "5.5")),
    "blinds": (lambda text: rules_of([], None, text), ("50/100",)),
    "stacks": (lambda text: rules_of([], text), ("200", "100,40")),
    "a bet size": (parse_bet_size, ("50%", "2.5x", "3bb", "100c", "3e200%", "a")),
    "the sizes of a street": (lambda text: parse_street(text, "flop"), ("50%,a | 3x,a",)),
    "betting": (parse_betting, ("preflop=2.5x,a; flop=50%,a | 3x,a; cap=3; stack=200", "preset=fcpa; cap=4,3,3,3")),
    "bets": (size_setting("bets"), ("50%,a",)),
    "raises": (size_setting("raises"), ("3x,a | 100%,a",)),
    "cap": (size_setting("cap"), ("3",)),
    "a threshold": (size_setting("add-all-in"), ("150%", "1.5")),
    "merging": (size_setting("merging"), ("10%",)),
    "added lines": (parse_lines, ("check, bet 100, raise 400; b50",)),
    "an added line": (lambda text: Spot(**{**SPOT, "add": text}).betting, ("check, bet 300", "bet 450")),
    "a tree with a cap": (lambda text: Spot(**{**SPOT, "cap": text}).betting, ("3",)),
    "a tree with sizes": (lambda text: Spot(**{**SPOT, "bets": text}).betting, ("50%,a", "25%,e")),
    "rake": (lambda text: Spot(**{**SPOT, "rake": text}), ("5%",)),
    "a board": (lambda text: Spot(**{**SPOT, "board": text}), ("Td9d6hQc2s", "Ks7d2c")),
    "a line": (lambda text: find_place(spot_game(), text), ("check, bet 100, call", "x, b100, r300")),
    "an action": (lambda text: find_action(spot_game(), root_place(spot_game()), text), ("bet 100", "a")),
    "a lock": (
        lambda text: parse_lock(text, spot(), spot_tree()),
        ("check, bet 100: JJ = fold:0.25, call:0.75", ": random = check:1"),
    ),
    "an agent's line": (lambda text: find_decision(agent_tree(), text), ("r300c", "raise 300, call / bet 3 bb")),
    "a spot file": (lambda text: read_spot_toml(text, "it"), (TEMPLATE, 'pot = 200\n[sizes]\nbets = "50%"\n')),
    "TOML": (lambda text: parse_toml(text, "it"), ("a = 1\n", "a = [[1]]")),
    "a TexasSolver file": (lambda text: read_commands(text, "it"), (TEXAS,)),
    "sizes to be found": (parse_auto_sizes, ("auto", "auto,from=25%,to=300%,steps=16,at-most=16,trial=5")),
    "a name with parameters": (parse_call, ("leduc(ranks=5,bets1=[0.5,1])", "spot(oop='QQ+,AKs',pot=5)")),
    "a game": (load_game, ("leduc(ranks=5,bets1=[1,2])", "bluff(dice=2,faces=4)", "nolimit(stack=20)")),
    "a continuous size": (parse_continuous, ("33%", "1/3", "0.33")),
    "a rule": (load_rule, ("dcfr(1.5,0,2)", "cfr+", "pcfr+")),
    "a time limit": (option_of(Settings, "time"), ("90s",)),
    "an option's memory": (option_of(Settings, "memory"), ("8G",)),
    "a way of sampling": (option_of(Settings, "sampling"), ("external",)),
    "a device": (option_of(Settings, "device"), ("torch:cuda",)),
    "until": (option_of(SpotSettings, "until"), ("0.3%", "0.6")),
    "sizes of a spot": (option_of(SpotSettings, "sizes"), ("auto,steps=8",)),
    "a reward": (option_of(TrainingSettings, "reward"), ("y2",)),
    "a cluster": (lambda text: cluster_among(("ray",)).read("cluster", text), ("10.0.0.1:6379", "ray")),
    "an option's name": (lambda text: Settings.of({text: 1}), ("iterations", "iteratons")),
    "flops": (flops, ("Ks7d2c 0.5\nAs2d3c:1 # so\n",)),
    "a design": (lambda text: design_from({"preset": text}), ("small",)),
    "a response": (response_actions, ("fc,50%,a", "flop=fc; turn=fc,50%,a; river=fcpa")),
    "post-processing": (parse_post, ("purify", "threshold(0.15)", "new(0.2, first=false)")),
    "an agent": (parse_agent, ("runs/a+runs/b#100:tight@purify", "always-fold", "runs/a#50%")),
    "an answer": (answer, ("raise to 3", "b250c", "bet 50%", "2", "f")),
    "kinds of hands": (kinds_named, ("set, two pair",)),
    "a pattern": (lambda text: matching_rows(kuhn(), text, None, 5), ("K||b*", "K?")),
    "a Gambit file": (lambda text: _Reader("it", text).game(), (EFG,)),
    "a hand history": (read_phh, (PHH,)),
    "UPI": (say, UPI),
}  # fmt: skip


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check_parser(name: str, examples: int) -> None:
    read, valid = PARSERS[name]
    for text in valid:
        check_read(read, text)

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(any_text(valid))
    def check(text: str) -> None:
        check_read(read, text)

    check()


@pytest.mark.parametrize("name", PARSERS)
def test_any_text_is_read_or_refused(name: str) -> None:
    check_parser(name, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARSERS)
def test_more_texts_are_read_or_refused(name: str) -> None:
    check_parser(name, FULL)
