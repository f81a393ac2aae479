"""Swiss tournaments, round by round."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec

from tbgen.apps.events.tiebreaks import Cell
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.match.schedule import MatchStage, Pairing, Results, deal, unplayed
from tbgen.apps.match.settings import Tournament
from tbgen.errors import UsageError
from tbgen.score import Color
from tbgen.system.extras import how_to_install

_WHEELS = "on Linux with x86-64 or macOS with ARM"
"""Where the library installs without a compiler."""

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
        pairs = pairs_of(history, plan.players, plan.rounds, plan.games)
        encounters = deal(plan, before, number, pairs, range(plan.games))
        stage = unplayed(encounters, results)
        if stage:
            return stage
        history.append(_round_of(pairs, encounters, results))
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
    """The pairs of the next round by FIDE's Dutch system; a bye has no second player.

    White of the first game stands first.

    Arguments:
        history: The rounds so far.
        players: Their number; they are numbered from 0 by their strength.
        rounds: The number of rounds.
        most: The points of a round.
        absent: Players who are not paired.
    """
    if find_spec("py4swiss") is None:
        install = how_to_install("swiss")
        raise UsageError(f"Swiss tournaments need the library py4swiss: {install} ({_WHEELS})")
    from tbgen.apps.match import dutch

    return dutch.pairs_of(history, players, rounds, most, absent)
