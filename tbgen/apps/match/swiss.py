"""The pairs of a round of a Swiss tournament, by FIDE's Dutch system as py4swiss has it (docs/design/games.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from tbgen.apps.games.tiebreaks import Cell
from tbgen.errors import MatchError, UsageError
from tbgen.score import Color

_INSTALL = "pip install 'tbgen[swiss]' (on Linux with x86-64, macOS with ARM, Windows)"
_POINT = 10
"""The library counts in tenths of a point."""


def pairs_of(
    history: Sequence[Mapping[int, Cell[int]]], players: int, rounds: int, most: int
) -> list[tuple[int, int | None]]:
    """The pairs of the next round, White of the first game first; a bye has no second player.

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
        raise UsageError(f"-tournament swiss needs the library py4swiss: {_INSTALL}") from None
    colors = {Color.WHITE: ColorToken.WHITE, Color.BLACK: ColorToken.BLACK}
    point = math.lcm(_POINT, *(each.points.denominator for round_ in history for each in round_.values()))

    def result_of(each: Cell[int]) -> RoundResult:
        """The library's view of a round: points of a game are not its result's, and follow beside."""
        if each.opponent is not None:
            return RoundResult(id=each.opponent + 1, color=colors[each.side], result=ResultToken.LOSS)
        kind = ResultToken.PAIRING_ALLOCATED_BYE if each.points == most else ResultToken.ZERO_POINT_BYE
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
    worth = dict.fromkeys(ScoringPointSystem().score_dict, 0) | {(ResultToken.WIN, ColorToken.WHITE): most * point}
    x_section = XSection(
        number_of_rounds=rounds, scoring_point_system=ScoringPointSystem(score_dict=worth), accelerations=totals
    )
    try:
        pairs = DutchEngine.generate_pairings(ParsedTrf(player_sections=sections, x_section=x_section))
    except PairingError:
        raise MatchError(f"round {len(history) + 1} has no pairs that have not met; give fewer -rounds") from None
    return [(pair.white - 1, pair.black - 1 if pair.black else None) for pair in pairs]
