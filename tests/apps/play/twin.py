"""The slow twin that plays every line (tests/reference/clock.py), with entry values from tables."""

from __future__ import annotations

import chess

from tbgen.probe import Tablebase
from tbgen.score import Color, Score
from tests.reference import clock


def said_by_twin(
    tables: Tablebase,
    board: chess.Board,
    accrued: Score,
    plies: int,
    setting: str,
    cutoff: int = 12,
    known: dict[str, clock.Score] | None = None,
) -> Score:
    """What it says of a position with so many plies left; `known` has entry values that were asked for before."""
    entries = {} if known is None else known

    def entry(there: chess.Board) -> clock.Score:
        key = there.epd(en_passant="legal")
        if key not in entries:
            outcome = tables.probe(there.copy(stack=False)).outcome
            entries[key] = int(outcome.holder), outcome.code
        return entries[key]

    holder, code = clock.value(board, (int(accrued.holder), accrued.code), plies, setting, cutoff, entry)
    return Score(code, Color(holder))
