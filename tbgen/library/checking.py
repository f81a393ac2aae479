"""Checking: classes of mates, position by position, against the moves of python-chess and the tables.

A byte has a bit for each class: White mates for certain, Black does, White may mate, Black may. Each of these sets
follows from the moves: a side mates if a move of its own leads to a mate of its, or every move of the other side does.
A move that leads to no table and to no position of the classes leaves the bits open.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable
from typing import Any, Final

import chess

from tbgen.index.layout import slots_of
from tbgen.material import Material
from tbgen.probe.bulk import board_of
from tbgen.probe.stored import ChunkCache, Column, OpenTables
from tbgen.score import Color
from tbgen.storage.classes import CLASSES, SOUND, ClassesFile, new_men

Bits = tuple[int, int]
"""The bits that are set for certain, and those that may be."""

_OPEN: Final = 0, 15
_MATES: Final = {Color.WHITE: 5, Color.BLACK: 10}
"""The bits of a position in which a side mates."""
_LAST_RANK: Final = {Color.WHITE: 56, Color.BLACK: 0}
"""The first square of the rank on which a side's pawns promote."""
_WORDS: Final = "White mates", "Black mates", "White may mate", "Black may mate"


class Checker:
    """Checks the classes of a material, of all placements that are given; an error of TableError if one is damaged."""

    def __init__(self, known: OpenTables, material: Material, files: Iterable[ClassesFile]) -> None:
        self._known, self.material, self.bytes = known, material, dict[int, Column]()
        self._men, self._slots, cache = new_men(material), slots_of(material), ChunkCache(1 << 26)
        for file in files:
            opened = ClassesFile(file.path)
            opened.check()
            self.bytes[chess.parse_square(file.square)] = Column(opened, CLASSES, cache)

    def check(self, sample: int, seed: int, tell: Callable[[int], None]) -> tuple[dict[str, Any], str | None]:
        """The facts of a check of some random positions, and the first contradiction; `tell` hears of positions."""
        draw, violation, number = random.Random(f"{seed} {self.material}"), "", 0
        while number < sample and not violation:
            board, number = self.random_board(draw), number + 1
            violation = self.violation(board, self.bits_of(board)[0])
            tell(number)
        facts = {"material": str(self.material), "placements": len(self.bytes), "positions": number}
        return facts | {"right": not violation, "violation": violation or None}, violation or None

    def random_board(self, draw: random.Random) -> chess.Board:
        """A legal position that a promotion could have led to."""
        pawn, man, others = draw.choice([*self.bytes]), draw.choice(self._men), [*self._slots[1:]]
        others.remove(man)
        slots = self._slots[0], man, *others
        while True:
            squares = pawn, draw.randrange(8) + _LAST_RANK[man[0]], *draw.sample(range(64), len(others))
            board = board_of(slots, int(man[0].other), squares)
            if board.occupied.bit_count() == len(slots) and not board.was_into_check():
                return board

    def violation(self, board: chess.Board, byte: int) -> str:
        """How a byte of classes contradicts itself or the moves of a position; nothing if it does not."""
        least, most = self._allowed(board, plies=2)
        reasons = {
            "these exclude each other": byte not in SOUND,
            f"its moves show that {_in_words(least & ~byte)}": least & ~byte,
            f"its moves deny that {_in_words(byte & ~most)}": byte & ~most,
        }
        return next((f"{board.fen()}: {_in_words(byte)}, and {each}" for each in reasons if reasons[each]), "")

    def _allowed(self, board: chess.Board, plies: int) -> Bits:
        """The bits that so many plies allow a position."""
        mover, moves = Color.of(board.turn), [*board.legal_moves]
        own, least, most = _MATES[mover], _MATES[mover.other], _MATES[mover.other]
        for move in moves:
            board.push(move)
            low, high = self._after(board, move, plies - 1)
            board.pop()
            least, most = least & low | (least | low) & own, most & high | (most | high) & own
        return (least, most) if moves or board.is_check() else (0, 0)

    def _after(self, board: chess.Board, move: chess.Move, plies: int) -> Bits:
        """The bits of the position after a move."""
        if board.occupied.bit_count() < self.material.men:
            outcome = self._known.answering(board).find(board).outcome
            return (_MATES[outcome.holder] * outcome.is_mate,) * 2
        bits = _OPEN if move.promotion else self.bits_of(board)
        return self._allowed(board, plies) if bits == _OPEN and plies and not move.promotion else bits

    def bits_of(self, board: chess.Board) -> Bits:
        """The bits of a position as the files have them; open if they do not have it."""
        for number, (color, role) in enumerate(self._men):
            last, pieces = _LAST_RANK[color], board.pieces(int(role), color.chess)
            new, pawn = next((each for each in pieces if each & 56 == last), None), chess.msb(board.pawns)
            if color.chess != board.turn and new is not None and pawn in self.bytes:
                kinds = [board.pieces(int(role), color.chess) for color, role in dict.fromkeys(self._slots[1:])]
                place = number * 8 + new % 8
                for square in itertools.chain(*kinds):
                    place = place if square == new else place * 64 + square
                return (self.bytes[pawn][place],) * 2
        return _OPEN


def _in_words(bits: int) -> str:
    return " and ".join(word for n, word in enumerate(_WORDS) if bits >> n & 1) or "nobody can mate"
