"""Compiled passes of Monte Carlo CFR over a laid out game: external, chance and outcome sampling.

A pass of player i walks a random part of the game with an explicit stack of the decisions whose actions are all
tried; recursion was measured half as fast. Its additions to the tables are, in expectation over its draws, those of
plain CFR:

    R(I, a)  +=  weight x (v(I, a) - v(I))          at i's own infosets I
    S(J)     +=  weight x reach x sigma(J)          at the other player's infosets J, before the draw

An infoset's row of the table holds its regrets and, behind them, its averages. `weight` is 1, or t for linear CFR:
scaling iteration t by t is discounting all before it by (t - 1) / t, up to one factor for the whole table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.exploration import draw_action, minimum_probability, mix_uniform, raise_to
from solvent.engines.vectors.matching import added, match_row
from solvent.foundation.kernels.compiling import inlined, internal, joined, kernel
from solvent.foundation.kernels.randomness import STEP, stream, uniform
from solvent.games.game import CHANCE, TERMINAL

Array = Any

SKIPPED_PART = 0.95
"""The share of passes with a regret floor in which actions near it are left out."""
NEAR_FLOOR = 30 / 31
"""An action is clearly bad when its regret is below this fraction of the floor."""


class Setting(NamedTuple):
    """Options that stay the same for a whole run."""

    seed: Any
    """uint64"""
    linear: bool
    """Whether iteration t counts t times."""
    exploration: float
    """Outcome sampling: the fraction of a player's own draws that is uniform."""
    decay: tuple[float, float]
    """The least probability of an action before the first iteration, and how much it falls with each."""
    mixes: bool
    """Whether that is done by mixing in uniform play rather than by raising and renormalising."""
    floor: float
    """Chips below which cumulative regrets do not fall; 0 for no such floor."""


class Frames(NamedTuple):
    """One worker's memory: a frame for each decision whose actions are being tried."""

    node: Array
    action: Array
    """The action that is being tried."""
    reach: Array
    """The other player's reach (outcome sampling: the probability of the player's own draws) at the decision."""
    strategy: Array
    """float64[frames x widest]"""
    value: Array
    """float64[frames x widest], of the actions that have been tried; nan of those left out"""
    fixed: Array
    """Chance sampling: strategies as they were when the pass first met each infoset, laid out as the table."""
    met: Array
    """The number of that pass, at the row's place."""


@inlined
def match_regrets(table, row, actions, least, mixes, strategy, frame):  # type: ignore[no-untyped-def]
    """sigma ~ max(0, R), uniform where nothing is positive, and then no action below `least`."""
    match_row(table, row, actions, strategy, frame)
    if least > 0.0:
        explore(strategy, frame, actions, least, mixes)


@internal
def explore(strategy, frame, actions, least, mixes):  # type: ignore[no-untyped-def]
    """Give every action `least` or more. It is called, not inlined: passes that do not explore stay short."""
    if mixes:
        mix_uniform(strategy, frame, actions, least)
    else:
        raise_to(strategy, frame, actions, least)


@inlined
def draw_outcome(keep, other, lottery, outcomes, drawn):  # type: ignore[no-untyped-def]
    """An outcome of chance, by Walker's alias method."""
    place = drawn * outcomes
    column = min(np.int64(place), outcomes - 1)
    if place - column < keep[lottery + column]:
        return column
    return np.int64(other[lottery + column])


@inlined
def add_average(table, average, actions, weight, strategy, frame):  # type: ignore[no-untyped-def]
    """S += weight x sigma."""
    for a in range(actions):
        table[average + a] += weight * strategy[frame + a]


@inlined
def expected_value(actions, strategy, values, frame):  # type: ignore[no-untyped-def]
    """sum sigma v over the actions that are played."""
    value = 0.0
    for a in range(frame, frame + actions):
        if strategy[a] > 0.0:
            value += strategy[a] * values[a]
    return value


@inlined
def add_regrets(table, row, actions, weight, floor, value, values, frame):  # type: ignore[no-untyped-def]
    """R += weight x (v(a) - v) over the actions that were tried."""
    for a in range(actions):
        gained = weight * (values[frame + a] - value)
        if gained == gained:  # actions that were left out have no value
            table[row + a] = added(table[row + a], gained, floor)


@inlined
def next_action(nodes, table, row, first, action, actions, threshold, strategy, values, frame):  # type: ignore[no-untyped-def]
    """The first action from `action` on that is not left out; `actions` if all are.

    Left out are actions that are not played and have a regret below `threshold`, unless they end the game.
    """
    if threshold == -np.inf:
        return action
    while action < actions:
        bad = strategy[frame + action] == 0.0 and table[row + action] < threshold
        if not bad or nodes[first + action].player == TERMINAL:
            break
        values[frame + action] = np.nan
        action += 1
    return action


@inlined
def next_played(strategy, frame, action, actions):  # type: ignore[no-untyped-def]
    """The first action from `action` on that is played at all; `actions` if none is."""
    while action < actions and strategy[frame + action] == 0.0:
        action += 1
    return action


@inlined
def begin_pass(setting, t, player):  # type: ignore[no-untyped-def]
    """The weight of iteration t, the least probability of an action, and where the player's draws begin."""
    weight = np.float64(t) if setting.linear else 1.0
    return weight, minimum_probability(setting.decay, t), stream(setting.seed, t, player)


@internal
def floors(setting, weight, counter):  # type: ignore[no-untyped-def]
    """The floor of regrets, and the regret below which this pass leaves an action out."""
    if setting.floor == 0.0:
        return -np.inf, -np.inf
    floor = -setting.floor * weight
    if uniform(counter) < SKIPPED_PART:
        return floor, floor * NEAR_FLOOR
    return floor, -np.inf


@joined
def tree_pass(game, table, t, player, setting, frames, tries_all):  # type: ignore[no-untyped-def]
    """Player's pass of iteration t: all own actions; chance is drawn. Returns the histories touched.

    External sampling draws the other player's actions too. Chance sampling `tries_all` of them, so that one pass
    can meet an infoset in several histories, and must find the same strategy there although it changes the regrets:
    the strategy is fixed when the infoset is first met. `tries_all` is a literal: either is compiled by itself.
    """
    weight, least, counter = begin_pass(setting, t, player)
    floor, threshold = floors(setting, weight, counter - STEP)
    number = 2 * t + player  # tells this pass from the worker's others
    nodes, payoff, keep, other = game
    strategy, values, stack = frames.strategy, frames.value, frames.node
    widest = len(strategy) // len(stack)
    touched = 0
    top = -1
    node = 0
    reach = 1.0
    while True:
        # Down, to the next end of the game.
        while True:
            touched += 1
            who, actions = nodes[node].player, nodes[node].actions
            first, row = nodes[node].first, nodes[node].row
            if who == TERMINAL:
                break
            if who == CHANCE:
                node = first + draw_outcome(keep, other, row, actions, uniform(counter))
                counter += STEP
                continue
            frame = (top + 1) * widest
            if tries_all:
                if frames.met[row] != number:
                    frames.met[row] = number
                    match_regrets(table, row, actions, least, setting.mixes, frames.fixed, row)
                for a in range(actions):
                    strategy[frame + a] = frames.fixed[row + a]
            else:
                match_regrets(table, row, actions, least, setting.mixes, strategy, frame)
            if who == player:
                action = next_action(nodes, table, row, first, 0, actions, threshold, strategy, values, frame)
            else:
                add_average(table, row + actions, actions, weight * reach, strategy, frame)
                if not tries_all:
                    node = first + draw_action(strategy, frame, actions, uniform(counter))
                    counter += STEP
                    continue
                action = next_played(strategy, frame, 0, actions)
            top += 1
            stack[top], frames.action[top], frames.reach[top] = node, action, reach
            if who != player:
                reach *= strategy[frame + action]
            node = first + action
        value = payoff[row, player]
        # Up, to the next action that is still to be tried.
        while top >= 0:
            frame = top * widest
            node, action, reach = stack[top], frames.action[top], frames.reach[top]
            who, actions = nodes[node].player, nodes[node].actions
            first, row = nodes[node].first, nodes[node].row
            values[frame + action] = value
            action += 1
            own = who == player or not tries_all
            if own:
                action = next_action(
                    nodes, table, row, first, action, actions, threshold, strategy, values, frame
                )
            else:
                action = next_played(strategy, frame, action, actions)
            if action < actions:
                if not own:
                    reach *= strategy[frame + action]
                frames.action[top] = action
                node = first + action
                break
            value = expected_value(actions, strategy, values, frame)
            if own:
                add_regrets(table, row, actions, weight * reach, floor, value, values, frame)
            top -= 1
        if top < 0:
            return touched


@joined
def outcome_pass(game, table, t, player, setting, frames):  # type: ignore[no-untyped-def]
    """One play of the game: chance and the other player as they play, the player partly at random.

    With q the probability of the player's draws so far, everything counts 1 / q times: values are v / q(a) of the
    drawn action and 0 of the others, regrets and averages are weighted by 1 / q of the history.
    """
    weight, least, counter = begin_pass(setting, t, player)
    nodes, payoff, keep, other = game
    strategy, values, stack = frames.strategy, frames.value, frames.node
    widest = len(strategy) // len(stack)
    touched = 0
    top = -1
    node = 0
    sampled = 1.0
    while True:
        touched += 1
        who, actions = nodes[node].player, nodes[node].actions
        first, row = nodes[node].first, nodes[node].row
        if who == TERMINAL:
            break
        drawn = uniform(counter)
        counter += STEP
        if who == CHANCE:
            node = first + draw_outcome(keep, other, row, actions, drawn)
            continue
        frame = (top + 1) * widest
        match_regrets(table, row, actions, least, setting.mixes, strategy, frame)
        if who == player:
            top += 1
            # Until the way back, the probabilities of the draw stand in the place of the values.
            for a in range(frame, frame + actions):
                values[a] = setting.exploration / actions + (1.0 - setting.exploration) * strategy[a]
            action = draw_action(values, frame, actions, drawn)
            stack[top], frames.action[top], frames.reach[top] = node, action, sampled
            sampled *= values[frame + action]
        else:
            add_average(table, row + actions, actions, weight / sampled, strategy, frame)
            action = draw_action(strategy, frame, actions, drawn)
        node = first + action
    value = payoff[row, player]
    while top >= 0:
        frame = top * widest
        actions, row = nodes[stack[top]].actions, nodes[stack[top]].row
        chosen = frame + frames.action[top]
        value /= values[chosen]
        for a in range(frame, frame + actions):
            values[a] = 0.0
        values[chosen] = value
        value = expected_value(actions, strategy, values, frame)
        add_regrets(table, row, actions, weight / frames.reach[top], -np.inf, value, values, frame)
        top -= 1
    return touched


@kernel
def run_external(game, table, first, stop, step, setting, frames):  # type: ignore[no-untyped-def]
    """Every `step`-th iteration from `first` to before `stop`; returns the histories touched."""
    touched = 0
    for t in range(first, stop, step):
        for player in range(2):
            touched += tree_pass(game, table, t, player, setting, frames, False)
    return touched


@kernel
def run_chance(game, table, first, stop, step, setting, frames):  # type: ignore[no-untyped-def]
    """`run_external` with chance sampling."""
    touched = 0
    for t in range(first, stop, step):
        for player in range(2):
            touched += tree_pass(game, table, t, player, setting, frames, True)
    return touched


@kernel
def run_outcome(game, table, first, stop, step, setting, frames):  # type: ignore[no-untyped-def]
    """`run_external` with outcome sampling."""
    touched = 0
    for t in range(first, stop, step):
        for player in range(2):
            touched += outcome_pass(game, table, t, player, setting, frames)
    return touched
