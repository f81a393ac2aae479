"""FIDE's Dutch system of pairing, as the library py4swiss has it (docs/design/games.md).

Only `swiss.py` imports this, because not everybody has the library.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from py4swiss.engines import DutchEngine
from py4swiss.engines.common import PairingError
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult, ScoringPointSystem
from py4swiss.trf.sections import PlayerSection, XSection

from tbgen.apps.events.tiebreaks import Cell
from tbgen.errors import MatchError
from tbgen.score import Color

_TENTHS = 10
"""The library counts in tenths of a point."""

History = Sequence[Mapping[int, Cell[int]]]
"""The rounds so far: player, from 0 -> opponent and points."""


def pairs_of(
    history: History, players: int, rounds: int, most: int, absent: Collection[int]
) -> list[tuple[int, int | None]]:
    """The pairs of the next round; `swiss.pairs_of` explains the arguments."""
    tournament = _tournament_of(history, players, rounds, most, absent)
    try:
        pairs = DutchEngine.generate_pairings(tournament)
    except PairingError:
        raise MatchError(
            f"round {len(history) + 1} cannot be paired: too many players have met, "
            "or have had a bye; plan fewer rounds"
        ) from None
    return [(pair.white - 1, pair.black - 1 if pair.black else None) for pair in pairs]


def _tournament_of(
    history: History, players: int, rounds: int, most: int, absent: Collection[int]
) -> ParsedTrf:
    """The tournament as the library reads it from a report file.

    Its results have no points. The points after each round are given as accelerations.
    """
    unit = _unit_of(history)
    sections = list[PlayerSection]()
    totals = dict[int, list[int]]()
    for player in range(players):
        cells = [round_[player] for round_ in history]
        sums = accumulate((cell.points for cell in cells), initial=Fraction(0))
        number = player + 1
        totals[number] = [int(points * unit) for points in sums]
        section = PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=number,
            rank=number,
            points_times_ten=totals[number][-1],
            results=[_result_of(cell, most) for cell in cells],
        )
        sections.append(section)
    worth = dict.fromkeys(ScoringPointSystem().score_dict, 0)
    worth[ResultToken.WIN, ColorToken.WHITE] = most * unit
    x_section = XSection(
        number_of_rounds=rounds,
        scoring_point_system=ScoringPointSystem(score_dict=worth),
        accelerations=totals,
        zeroed_ids={player + 1 for player in absent},
    )
    return ParsedTrf(player_sections=sections, x_section=x_section)


def _result_of(cell: Cell[int], most: int) -> RoundResult:
    """A round of a player as the library sees it, whatever its points."""
    if cell.opponent is not None:
        color = ColorToken.WHITE if cell.side is Color.WHITE else ColorToken.BLACK
        return RoundResult(id=cell.opponent + 1, color=color, result=ResultToken.LOSS)
    # Only a bye with all points is one that a player may have once.
    bye = ResultToken.ZERO_POINT_BYE
    if cell.points == most:
        bye = ResultToken.PAIRING_ALLOCATED_BYE
    return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=bye)


def _unit_of(history: History) -> int:
    """How many parts a point has, so that all points so far and its tenths are whole numbers."""
    unit = _TENTHS
    for round_ in history:
        for cell in round_.values():
            unit = math.lcm(unit, cell.points.denominator)
    return unit
