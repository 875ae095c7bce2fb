"""Playing hold'em: agents, matches between them, and statistics of the results.

`contract` says what an agent is; start reading there. `agents` reads agents' names and loads them.
`table_agent` and `table_kernels` play from the tables of a training, compiled; `styles` changes their
strategies. `table` is a hand at the table, which matches, the terminal and servers drive; `matches` plays many,
`expected` and `asked` average over all hands that agents may play, `tracker` follows the ranges of both players
by Bayes, and `statistics` says how sure a result is. `stakes` reads stacks and blinds, `sitting` plays hands of
a person against an agent, and `answers` reads what the person types. This room imports engines and everything
below them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvent.foundation.lazy import lazily

if TYPE_CHECKING:
    from solvent.cards.hands import hole_cards as hole_cards
    from solvent.evaluate.local_best_response import LocalBestResponse as LocalBestResponse
    from solvent.play.agents import AgentLoader as AgentLoader
    from solvent.play.contract import Agent as Agent
    from solvent.play.contract import EasyAgent as EasyAgent
    from solvent.play.contract import Mixture as Mixture
    from solvent.play.contract import PublicView as PublicView
    from solvent.play.contract import View as View
    from solvent.play.contract import as_agent as as_agent
    from solvent.play.matches import Match as Match
    from solvent.play.matches import MatchResult as MatchResult
    from solvent.play.matches import round_robin as round_robin
    from solvent.play.statistics import Winnings as Winnings

__getattr__, __dir__ = lazily(__name__)
