"""Pairs of a position and an accrued score, drawn for readers of tables, and the case of each."""

from __future__ import annotations

import csv
import enum
import random
from pathlib import Path
from typing import NamedTuple

import chess

from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.positions import random_board

VECTORS = Path(__file__).with_name("vectors.csv")
GAME_OVER_CODE = 2
"""The lowest code that does not end the game."""


class Pair(NamedTuple):
    """A position, its own score, and a score to ask for."""

    board: chess.Board
    own: Score
    accrued: Score

    @property
    def line(self) -> str:
        """As readers are asked."""
        return f"{self.fen};{self.accrued}"

    @property
    def fen(self) -> str:
        """The position. Its halfmove clock is 0 only if the own score is the accrued one."""
        board = self.board.copy(stack=False)
        board.halfmove_clock = 0 if self.accrued == self.own else 1
        return board.fen(en_passant="fen")


def random_pair(draw: random.Random, material: str) -> Pair:
    """A position with its own score or any other, even one that no game can carry.

    With a right to take en passant it has its own.
    """
    board = random_board(draw, material, en_passant=0.5)
    board = draw.choice((board, board.mirror()))
    own = own_score(board)
    if board.has_legal_en_passant() or draw.random() < 0.2:
        return Pair(board, own, own)
    if draw.random() < 0.1:
        return Pair(board, own, Score(own.code, own.holder.other))
    code = draw.randint(0, own.code + 2)
    holder = draw.choice(list(Color))
    return Pair(board, own, Score(code, holder))


class Case(enum.StrEnum):
    """What a pair tries in docs/tables.md."""

    REFUSED = "refused"
    """No game can carry the score."""
    GAME_OVER = "game over"
    EN_PASSANT = "en passant"
    ENTRY = "entry value"
    ENTRY_OF_MOVER = "entry value of the side to move"
    """Its distance is odd."""
    IMPROVED = "own score is lower"
    TIE = "own score is the other side's"
    """Both have the same code; the first holder keeps it."""
    FORCED = "entry value is lower"
    """Than both scores: what has accrued plays no part."""
    STANDS = "accrued score stands"
    BREAKS = "accrued score breaks"


def case_of(pair: Pair, entry: Score, outcome: Score | None) -> Case:
    """Which of the cases a pair is; there is no outcome where it is refused."""
    board, own, accrued = pair
    if outcome is None:
        return Case.REFUSED
    if own.code < GAME_OVER_CODE:
        return Case.GAME_OVER
    if board.has_legal_en_passant():
        return Case.EN_PASSANT
    if accrued == own:
        return Case.ENTRY if entry.holder is own.holder else Case.ENTRY_OF_MOVER
    if accrued.code >= own.code:
        return Case.TIE if accrued.code == own.code else Case.IMPROVED
    if entry.code < accrued.code:
        return Case.FORCED
    return Case.STANDS if outcome == accrued else Case.BREAKS


def vectors(fewest: int, most: int) -> list[dict[str, str]]:
    """The pairs of vectors.csv that lie in tables of so many men."""
    rows = []
    with VECTORS.open(newline="") as file:
        for row in csv.DictReader(file):
            men = len(row["table"].replace("v", ""))
            if fewest <= men <= most:
                rows.append(row)
    return rows
