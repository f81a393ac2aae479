"""The bracket of a knockout, as cutechess-cli has it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from tbgen.apps.events.knockout import MORE_GAMES, Tie, tie_of
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.match.schedule import MatchStage, Pairing, Results, deal, unplayed
from tbgen.apps.match.settings import Tournament
from tbgen.facts import facts_of


class Meeting(NamedTuple):
    """Two players of a round, and their games: those so far and those to come."""

    round: int
    tie: Tie[int | None]
    pairings: list[Pairing]

    def facts(self, names: Sequence[str]) -> dict[str, Any]:
        """The meeting for JSON; without a second player it is a bye."""

        def name(player: int | None) -> str | None:
            return None if player is None else names[player]

        first, second = self.tie.players
        return {
            "round": self.round,
            "first": name(first),
            "second": name(second),
            "winner": name(self.tie.winner),
            **facts_of(self.tie, "points", "decided_by"),
            "games": [pairing.number for pairing in self.pairings],
        }


def bracket_of(plan: Tournament, results: Results) -> tuple[list[list[Meeting]], MatchStage]:
    """The rounds so far, and the next games.

    A round begins when the one before it is decided.
    """
    rounds = list[list[Meeting]]()
    before = list[Pairing]()
    pairs = first_round(plan)
    while True:
        meetings, stage = _round_of(plan, results, len(rounds) + 1, pairs, before)
        rounds.append(meetings)
        if stage:
            return rounds, stage
        winners = [meeting.tie.winner for meeting in meetings if meeting.tie.winner is not None]
        if len(winners) == 1:
            return rounds, {}
        pairs = list(zip(winners[::2], winners[1::2], strict=True))
        for meeting in meetings:
            before += meeting.pairings


def _round_of(
    plan: Tournament,
    results: Results,
    number: int,
    pairs: Sequence[tuple[int, int | None]],
    before: Sequence[Pairing],
) -> tuple[list[Meeting], MatchStage]:
    """The meetings of a round, and its next games; they are none when all meetings are decided.

    Meetings that are not decided get more games.
    """
    meetings = [Meeting(number, tie_of(pair, [], plan.games), []) for pair in pairs]
    dealt = list(before)
    games = range(plan.games)
    while True:
        undecided = [place for place, meeting in enumerate(meetings) if meeting.tie.winner is None]
        if not undecided:
            return meetings, {}
        encounters = deal(plan, dealt, number, [pairs[place] for place in undecided], games)
        for place, encounter in zip(undecided, encounters, strict=True):
            dealt += encounter
            pairings = meetings[place].pairings + encounter
            played = list[tuple[int | None, EventGame]]()
            for pairing in pairings:
                if pairing.number in results:
                    played.append((pairing.white, results[pairing.number]))
            tie = tie_of(pairs[place], played, plan.games)
            meetings[place] = Meeting(number, tie, pairings)
        stage = unplayed(encounters, results)
        if stage:
            return meetings, stage
        games = range(games.stop, games.stop + MORE_GAMES)


def first_round(plan: Tournament) -> list[tuple[int, int | None]]:
    """The pairs of the first round: seeds in their order, and the others by lot.

    The best ranks have byes. A seat has the binary digits of its rank less one in reverse, so that
    the best players meet last. A rank whose opponent has a bye takes the seat of a rank that nobody
    has.
    """
    seeds = list(range(plan.players))[: plan.seeds]
    others = list(range(plan.players))[plan.seeds :]
    random.Random(plan.seed).shuffle(others)
    digits = (plan.players - 1).bit_length()
    size = 2**digits
    half = size // 2
    byes = size - plan.players
    seats: list[int | None] = [None] * size
    for rank, player in enumerate(seeds + others, start=1):
        while half < rank <= half + byes:
            rank += half - byes
        reverse_digits = f"{rank - 1:0{digits}b}"[::-1]
        seats[int(reverse_digits, 2)] = player
    pairs = zip(seats[::2], seats[1::2], strict=True)
    return [(first, second) for first, second in pairs if first is not None]
