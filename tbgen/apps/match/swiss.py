"""Swiss tournaments: FIDE's Dutch system, as the library py4swiss has it (docs/design/games.md)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from tbgen.apps.games.event import EventGame
from tbgen.apps.games.tiebreaks import Cell
from tbgen.apps.match.schedule import MatchStage, Pairing, Results, deal, unplayed
from tbgen.apps.match.settings import Tournament
from tbgen.errors import MatchError, UsageError
from tbgen.score import Color
from tbgen.system.extras import how_to_install

_WHEELS = "on Linux with x86-64 or macOS with ARM"
"""Where the library installs without a compiler."""
_TENTHS = 10
"""The library counts in tenths of a point."""

Round = dict[int, Cell[int]]
"""Player -> the opponent of a round, the points, and the colour of the round's first game."""


def swiss_stage(plan: Tournament, results: Results) -> MatchStage:
    """The games of the round that is being played.

    Every round is paired by the points of those before it.
    """
    before = list[Pairing]()
    history = list[Round]()
    while len(history) < plan.rounds:
        number = len(history) + 1
        absent = set(range(plan.players)).difference(plan.present(number))
        pairs = pairs_of(history, plan.players, plan.rounds, plan.games, absent)
        encounters = deal(plan, before, number, pairs, range(plan.games))
        stage = unplayed(encounters, results)
        if stage:
            return stage
        round_ = _round_of(pairs, encounters, results)
        for player in absent:
            round_[player] = Cell(None, Fraction(0))
        history.append(round_)
        for encounter in encounters:
            before += encounter
    return {}


def _round_of(
    pairs: Sequence[tuple[int, int | None]],
    encounters: Sequence[Sequence[Pairing]],
    results: Results,
) -> Round:
    """A round that has been played."""
    cells = Round()
    for (first, second), pairings in zip(pairs, encounters, strict=True):
        points = Fraction(0)
        for pairing in pairings:
            game: EventGame = results[pairing.number]
            points += game.points(Color.of(pairing.white == first))
        cells[first] = Cell(second, points)
        if second is not None:
            cells[second] = Cell(first, len(pairings) - points, side=Color.BLACK)
    return cells


def pairs_of(
    history: Sequence[Mapping[int, Cell[int]]],
    players: int,
    rounds: int,
    most: int,
    absent: Collection[int] = (),
) -> list[tuple[int, int | None]]:
    """The pairs of the next round, White of the first game first; a bye has no second player.

    Arguments:
        history: The rounds so far.
        players: Their number; they are numbered from 0 by their strength.
        rounds: The number of rounds.
        most: The points of a round.
        absent: Players who are not paired.
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
            f"Swiss tournaments need the library py4swiss: {install} ({_WHEELS})"
        ) from None

    def result_of(cell: Cell[int]) -> RoundResult:
        """The library's view of a round.

        Points of a game are not those of its result, so they are given beside.
        """
        if cell.opponent is not None:
            color = ColorToken.WHITE if cell.side is Color.WHITE else ColorToken.BLACK
            return RoundResult(id=cell.opponent + 1, color=color, result=ResultToken.LOSS)
        # Only a bye with all points is one that a player may have once.
        bye = ResultToken.ZERO_POINT_BYE
        if cell.points == most:
            bye = ResultToken.PAIRING_ALLOCATED_BYE
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=bye)

    unit = _unit_of(history)
    sections = list[PlayerSection]()
    totals = dict[int, list[int]]()
    for player in range(players):
        cells = [round_[player] for round_ in history]
        sums = accumulate((cell.points for cell in cells), initial=Fraction(0))
        number = player + 1
        totals[number] = [int(points * unit) for points in sums]
        sections.append(
            PlayerSection(
                code=PlayerCode.PLAYER,
                starting_number=number,
                rank=number,
                points_times_ten=totals[number][-1],
                results=[result_of(cell) for cell in cells],
            )
        )
    worth = dict.fromkeys(ScoringPointSystem().score_dict, 0)
    worth[ResultToken.WIN, ColorToken.WHITE] = most * unit
    x_section = XSection(
        number_of_rounds=rounds,
        scoring_point_system=ScoringPointSystem(score_dict=worth),
        accelerations=totals,
        zeroed_ids={player + 1 for player in absent},
    )
    tournament = ParsedTrf(player_sections=sections, x_section=x_section)
    try:
        pairs = DutchEngine.generate_pairings(tournament)
    except PairingError:
        raise MatchError(
            f"round {len(history) + 1} cannot be paired: too many players have met, "
            "or have had a bye; plan fewer rounds"
        ) from None
    return [(pair.white - 1, pair.black - 1 if pair.black else None) for pair in pairs]


def _unit_of(history: Sequence[Mapping[int, Cell[int]]]) -> int:
    """How many parts a point has, so that all points so far and its tenths are whole numbers."""
    unit = _TENTHS
    for round_ in history:
        for cell in round_.values():
            unit = math.lcm(unit, cell.points.denominator)
    return unit
