"""Waiting: the longest mutual zugzwang of a table with either side to move, and best play where tables have it."""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from tbgen.apps.records.record import Longest, Record
from tbgen.apps.site.report.cards import Card
from tbgen.errors import TableError
from tbgen.material import Material, build_order
from tbgen.probe import Tablebase
from tbgen.rules.fen import parse_fen
from tbgen.score import Color


def waiting_cards(record: Record, tables: Tablebase | None) -> list[Card]:
    """The cards of the longest mutual zugzwang, White to move first; their moves are None where no table has them."""
    waiting = record.zugzwangs.longest
    if waiting is None:
        return []
    black = waiting.fen.replace(" w ", " b ")
    asked = ((Color.WHITE, waiting.fen, waiting.white), (Color.BLACK, black, waiting.black))
    return [
        Card(record.material, side, outcome, Longest(dtg, fen, _best_play(tables, fen, dtg)))
        for side, fen, (outcome, dtg) in asked
    ]


def _best_play(tables: Tablebase | None, fen: str, dtg: int) -> tuple[str, ...] | None:
    """The moves from a position to its goal, `dtg` plies away."""
    if tables is not None:
        with contextlib.suppress(TableError):
            return tuple(step.san for step in tables.line(parse_fen(fen)[0], max_plies=dtg))
    return None


def can_be_played(material: Material, there: Collection[Material]) -> bool:
    """Whether there are all tables that a line of a material may lead to."""
    return all(each in there for each in build_order([material]))
