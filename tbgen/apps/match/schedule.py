"""Who plays whom: a format makes the next games of a match of the results so far, and says when it is over.

A format is a pure function. It gives the games of a stage, and is asked again when all of them have been played.
The stage of a round robin, gauntlet or pyramid is the whole match.

>>> for pairing in next_games(Tournament(players=3, games=2), {}).values():
...     print(pairing.number, pairing.round, pairing.white, pairing.black, pairing.opening)
1 1 0 1 0
2 1 1 0 0
3 1 2 0 1
4 1 0 2 1
5 1 1 2 2
6 1 2 1 2
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, islice, product
from typing import Any, NamedTuple

from tbgen.apps.games.event import EventGame
from tbgen.apps.games.knockout import MORE_GAMES, Tie, tie_of
from tbgen.apps.games.tiebreaks import Cell
from tbgen.apps.match.settings import Format, Policy, Tournament
from tbgen.errors import MatchError, UsageError
from tbgen.facts import facts_of
from tbgen.score import Color
from tbgen.system.extras import how_to_install

MOST_GAMES = 1_000_000
"""The longest match: years of play."""
_WHEELS = "on Linux with x86-64 or macOS with ARM"
_POINT = 10
"""The library counts in tenths of a point."""


class Pairing(NamedTuple):
    """A game to be played; players and openings are numbers from 0, games and rounds from 1.

    The two games of a `pair` are between the same players, one after the other. Without Black it is a bye.
    """

    number: int
    round: int
    white: int
    black: int | None
    opening: int
    pair: int


Results = Mapping[int, EventGame]
"""Number -> the game. Formats that make the whole schedule at once look at the count alone."""


MatchStage = dict[int, Pairing]
"""Number -> the game, of games that are known at once; empty when the tournament is over."""


def next_games(plan: Tournament, results: Results) -> MatchStage:
    """The stage that is being played."""
    return _FORMATS[plan.format](plan, results)


def _circle(players: int) -> Iterator[tuple[int, int]]:
    """Everyone with everyone: one seat is fixed and the others move on by one; with an odd number nobody sits there."""
    odd = players % 2
    seats = players + odd

    def player(seat: int, turn: int) -> int:
        return ((seat - 1 - turn) % (seats - 1) + 1 if seat else 0) - odd

    for turn, seat in product(range(seats - 1), range(odd, seats // 2)):
        first, second = player(seat, turn), player(seats - 1 - seat, turn)
        yield (second, first) if turn % 2 and not seat else (first, second)


def _whole(plan: Tournament, results: Results, pairs: Iterable[tuple[int, int]]) -> MatchStage:
    """The only stage of a tournament whose encounters repeat in every round."""
    met = list(islice(pairs, MOST_GAMES + 1))
    total = len(met) * plan.rounds * plan.games
    if total > MOST_GAMES:
        raise UsageError(f"{total:,} games are too long a match; {MOST_GAMES:,} is the most")

    def begun(rounds: int) -> int:
        """How many openings an encounter begins in its first rounds."""
        return -(-rounds * plan.games // plan.repeat)

    def game(number: int) -> Pairing:
        before, in_encounter = divmod(number - 1, plan.games)
        rounds, encounter = divmod(before, len(met))
        of_players = rounds * plan.games + in_encounter
        opening = {Policy.ROUND: rounds, Policy.ENCOUNTER: before}.get(plan.policy)
        if opening is None:
            taken = of_players // plan.repeat
            first = taken * plan.repeat // plan.games
            each = begun(first + 1) - begun(first)
            opening = len(met) * begun(first) + encounter * each + taken - begun(first)
        white, black = _colours(plan, met[encounter], of_players)
        return Pairing(
            number, rounds + 1, white, black, opening, of_players // 2 * len(met) + encounter
        )

    return {number: game(number) for number in range(1, total + 1)} if len(results) < total else {}


def _colours(plan: Tournament, pair: tuple[int, int], game: int) -> tuple[int, int]:
    return pair[::-1] if plan.swap and game % 2 else pair


def _dealt(
    plan: Tournament,
    before: list[Pairing],
    number: int,
    pairs: Sequence[tuple[int, int | None]],
    games: range,
) -> list[list[Pairing]]:
    """The games of a round's pairs, which follow those dealt before; each pair has openings of its own.

    `games` are numbered within their encounter.
    """
    dealt = []
    for first, second in pairs:
        taken = (each.opening for each in before if each.black is not None)
        opening, encounter = max(taken, default=-1) + 1, list[Pairing]()
        for n, game in enumerate(games):
            white, black = (
                (first, None) if second is None else _colours(plan, (first, second), game)
            )
            count = len(before) + 1 + n
            encounter.append(
                Pairing(count, number, white, black, opening + n // plan.repeat, count - n % 2)
            )
        before += encounter
        dealt.append(encounter)
    return dealt


def _unplayed(dealt: list[list[Pairing]], results: Results) -> MatchStage:
    """The games of a round as a stage, unless all of them have been played."""
    stage = {pairing.number: pairing for encounter in dealt for pairing in encounter}
    return {} if results.keys() >= stage.keys() else stage


class Meeting(NamedTuple):
    """Two players of a round of a knockout, and their games: those so far and those to come."""

    round: int
    tie: Tie[int | None]
    pairings: list[Pairing]

    def facts(self, names: Sequence[str]) -> dict[str, Any]:
        """The meeting for JSON; without a second player it is a bye."""
        first, second, winner = (
            None if player is None else names[player]
            for player in (*self.tie.players, self.tie.winner)
        )
        return {
            "round": self.round,
            "first": first,
            "second": second,
            "winner": winner,
            **facts_of(
                self.tie,
                "points",
                "decided_by",
                games=[pairing.number for pairing in self.pairings],
            ),
        }


def bracket_of(plan: Tournament, results: Results) -> tuple[list[list[Meeting]], MatchStage]:
    """The rounds of a knockout so far, and its next games; a round begins when the one before it is decided."""
    rounds: list[list[Meeting]] = []
    before, pairs = list[Pairing](), first_round(plan)
    while True:
        number, games, stage = len(rounds) + 1, range(plan.games), MatchStage()
        meetings = [Meeting(number, tie_of(pair, [], plan.games), []) for pair in pairs]
        rounds.append(meetings)
        while not stage and (
            still := [n for n, each in enumerate(meetings) if each.tie.winner is None]
        ):
            dealt = _dealt(plan, before, number, [pairs[n] for n in still], games)
            for n, more in zip(still, dealt, strict=True):
                pairings = meetings[n].pairings + more
                played = [
                    (each.white, results[each.number])
                    for each in pairings
                    if each.number in results
                ]
                meetings[n] = Meeting(number, tie_of(pairs[n], played, plan.games), pairings)
            stage, games = _unplayed(dealt, results), range(games.stop, games.stop + MORE_GAMES)
        winners = [each.tie.winner for each in meetings if each.tie.winner is not None]
        if stage or len(winners) == 1:
            return rounds, stage
        pairs = list(zip(winners[::2], winners[1::2], strict=True))


def _swiss(plan: Tournament, results: Results) -> MatchStage:
    """Every round is paired by the points of those before it."""
    before, history = list[Pairing](), list[dict[int, Cell[int]]]()
    while len(history) < plan.rounds:
        pairs = pairs_of(history, plan.players, plan.rounds, plan.games)
        dealt = _dealt(plan, before, len(history) + 1, pairs, range(plan.games))
        if stage := _unplayed(dealt, results):
            return stage
        history.append({})
        for (white, black), pairings in zip(pairs, dealt, strict=True):
            sides = (
                (Color.WHITE if each.white == white else Color.BLACK, results[each.number])
                for each in pairings
            )
            points = sum((game.points(side) for side, game in sides), Fraction(0))
            history[-1][white] = Cell(black, points)
            if black is not None:
                history[-1][black] = Cell(white, len(pairings) - points, side=Color.BLACK)
    return {}


def pairs_of(
    history: Sequence[Mapping[int, Cell[int]]], players: int, rounds: int, most: int
) -> list[tuple[int, int | None]]:
    """The pairs of the next round, White of the first game first; a bye has no second player.

    They are those of FIDE's Dutch system, as py4swiss has it (docs/design/games.md).
    Players are numbered by their strength, and `history` has each of them in each round, with the colour of the
    round's first game; `most` points are in a round.
    """
    try:
        from py4swiss.engines import DutchEngine
        from py4swiss.engines.common import PairingError
        from py4swiss.trf import ParsedTrf
        from py4swiss.trf.codes import PlayerCode
        from py4swiss.trf.results import ColorToken, ResultToken, RoundResult, ScoringPointSystem
        from py4swiss.trf.sections import PlayerSection, XSection
    except ImportError:
        install = how_to_install("swiss")
        raise UsageError(
            f"-tournament swiss needs the library py4swiss: {install} ({_WHEELS})"
        ) from None
    colors = {Color.WHITE: ColorToken.WHITE, Color.BLACK: ColorToken.BLACK}
    point = math.lcm(
        _POINT, *(each.points.denominator for round_ in history for each in round_.values())
    )

    def result_of(each: Cell[int]) -> RoundResult:
        """The library's view of a round: points of a game are not its result's, and follow beside."""
        if each.opponent is not None:
            return RoundResult(
                id=each.opponent + 1, color=colors[each.side], result=ResultToken.LOSS
            )
        kind = (
            ResultToken.PAIRING_ALLOCATED_BYE if each.points == most else ResultToken.ZERO_POINT_BYE
        )
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=kind)

    sections, totals = [], {}
    for player in range(players):
        encounters = [each[player] for each in history]
        sums = accumulate((each.points for each in encounters), initial=Fraction(0))
        totals[player + 1] = [int(points * point) for points in sums]
        sections.append(
            PlayerSection(
                code=PlayerCode.PLAYER,
                starting_number=player + 1,
                rank=player + 1,
                points_times_ten=totals[player + 1][-1],
                results=list(map(result_of, encounters)),
            )
        )
    worth = dict.fromkeys(ScoringPointSystem().score_dict, 0) | {
        (ResultToken.WIN, ColorToken.WHITE): most * point
    }
    x_section = XSection(
        number_of_rounds=rounds,
        scoring_point_system=ScoringPointSystem(score_dict=worth),
        accelerations=totals,
    )
    try:
        pairs = DutchEngine.generate_pairings(
            ParsedTrf(player_sections=sections, x_section=x_section)
        )
    except PairingError:
        raise MatchError(
            f"round {len(history) + 1} has no pairs that have not met; give fewer -rounds"
        ) from None
    return [(pair.white - 1, pair.black - 1 if pair.black else None) for pair in pairs]


def first_round(plan: Tournament) -> list[tuple[int, int | None]]:
    """The pairs of the first round: seeds in their order, the others by lot, byes to the best ranks.

    A seat has the binary digits of its rank less one in reverse, so that the best players meet last. A rank whose
    opponent has a bye takes the seat of a rank that nobody has.
    """
    others = list(range(plan.players)[plan.seeds :])
    random.Random(plan.seed).shuffle(others)
    digits = (plan.players - 1).bit_length()
    half, byes = 2**digits // 2, 2**digits - plan.players
    seats: list[int | None] = [None] * 2**digits
    for rank, player in enumerate([*range(plan.players)[: plan.seeds], *others], start=1):
        while half < rank <= half + byes:
            rank += half - byes
        seats[int(f"{rank - 1:0{digits}b}"[::-1], 2)] = player
    pairs = zip(seats[::2], seats[1::2], strict=True)
    return [(first, second) for first, second in pairs if first is not None]


_FORMATS: Mapping[Format, Callable[[Tournament, Results], MatchStage]] = {
    Format.ROUND_ROBIN: lambda plan, results: _whole(plan, results, _circle(plan.players)),
    Format.GAUNTLET: lambda plan, results: _whole(
        plan,
        results,
        ((seed, other) for other in range(plan.seeds, plan.players) for seed in range(plan.seeds)),
    ),
    Format.PYRAMID: lambda plan, results: _whole(
        plan,
        results,
        ((player, other) for player in range(plan.players) for other in range(player)),
    ),
    Format.KNOCKOUT: lambda plan, results: bracket_of(plan, results)[1],
    Format.SWISS: _swiss,
}
