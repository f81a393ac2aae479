"""The exact value when few plies are left: lines to the end, with tables where the clock starts anew.

The game splits into layers, one a ply. A *state* of a layer is a position with an accrued score; equal ones are looked
at once. A move ends the search where it mates or stalemates, where it makes the clock start anew (a reset, or under
`reset` a score below the cutoff: what follows is an entry value), and where it uses up the last ply: then the accrued
score is final. Values go back layer by layer. Entry values come from tables, which ignore the rule.

The search goes in rounds (rounds.py), and keeps two bounds of the value of each state. In a round one side tries to
prove its bound of the first position's value, White the upper one, Black the lower one, with a single move in each
state; the other side has all moves. It takes the move that has the least left to be proved (its *effort*, the proof
number of proof-number search), and among equals the one that leads where most others lead: one reply to many threats
keeps layers small. States whose bounds meet are not looked at again. Where the bounds of the first position do not meet
in the end, a last round looks at all moves of both sides.

Under `reset`, with an accrued score of the cutoff or lower, every improvement starts the clock anew. Then the lines of
the search end where those of the unlimited game do, only earlier: each state is worth something between the accrued
score and what the table says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import chess
import numpy as np

from tbgen.apps.play.rounds import Asked, Facts, Round, forget_efforts
from tbgen.index.outcomes import worth_to_white
from tbgen.probe import Probe, Tablebase
from tbgen.rules.stage import FiftyMoves
from tbgen.score import Accrued, Color, Outcome

MOST_STATES: Final = 600_000
"""More than that, in all rounds together, are not looked at: three seconds or so. Limited rounds have half of it."""
_ROUND_STATES: Final = 2000
"""However few states a round looks at, it takes as long as with so many."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What the search has found, and how many states it looked at."""

    outcome: Outcome
    states: int


def search(
    tables: Tablebase,
    board: chess.Board,
    found: Probe,
    plies: int,
    fifty_moves: FiftyMoves,
    *,
    most_states: int = MOST_STATES,
) -> Searched | None:
    """The value of a position that is not over, if the rule strikes after so many plies, one or more.

    `found` is what the tables say of it. None if there is too much to look at; MissingTableError if a table is missing
    that a line leads to.
    """
    asked = Asked(tables, board, found.accrued, plies, fifty_moves)
    known, facts, seen, spent = asked.window(found), dict[int, Facts](), 0, [0, 0]
    question = known
    while not known.is_shut and sum(spent) < most_states // 2:
        last, question = question, known if asked.is_cut_short else known.question(_guess(found, plies))
        if question != last:
            forget_efforts(facts)
        side = Color.WHITE if spent[Color.WHITE] < spent[Color.BLACK] else Color.BLACK
        learnt, states = Round(asked, question, side, facts).played(most_states - sum(spent))
        known = known.narrowed(learnt)
        seen += states
        spent[side] += max(states, _ROUND_STATES)
    if not known.is_shut:
        learnt, states = Round(asked, known, None, facts).played(most_states - sum(spent))
        known = known.narrowed(learnt)
        seen += states
    return Searched(_outcome_of(known.low), seen) if known.is_shut else None


def _guess(found: Probe, plies: int) -> int:
    """What the value most likely is, as it is worth to White."""
    is_near = found.dtg is not None and found.dtg <= plies
    return (found.outcome if is_near else found.accrued).worth_to(Color.WHITE)


def _outcome_of(worth: int) -> Outcome:
    """The outcome of that worth: the way back is the way there."""
    return Accrued.from_signed(int(worth_to_white(np.array([worth]))[0])).outcome
