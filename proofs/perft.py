#!/usr/bin/env python3
"""Compare the specification with python-chess: `perft.py RUN`

RUN is the program that proofs/check makes. Both list the legal positions of three men, with their
own codes; and both count the move sequences of three plies from random positions of four men.
"""

from __future__ import annotations

import argparse
import itertools
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import chess

LETTERS = "QRBNP"
THREE_MEN = [
    "KvK",
    *(f"K{letter}vK" for letter in LETTERS),
    *(f"KvK{letter}" for letter in LETTERS),
]
SEED = 1


class Question(NamedTuple):
    material: str
    board: chess.Board
    squares: tuple[int, ...]
    depth: int

    def __str__(self) -> str:
        turn = "w" if self.board.turn else "b"
        passed = self.board.ep_square
        squares = ",".join(map(str, self.squares))
        return f"{self.material} {turn} {squares} {'-' if passed is None else passed} {self.depth}"

    def answer(self) -> str:
        """The answer of python-chess."""
        if len(set(self.squares)) < len(self.squares) or not self.board.is_valid():
            return "illegal"
        own = 2 * self.board.legal_moves.count() + (not self.board.is_check())
        return f"{own} {perft(self.board, self.depth)}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--three", type=int, metavar="N", help="N random placements of three men")
    parser.add_argument(
        "--four", type=int, default=100_000, metavar="N", help="N random positions of four men"
    )
    arguments = parser.parse_args()
    draw = random.Random(SEED)
    three = questions_of_three()
    if arguments.three is not None:
        three = (draw_placement(draw) for _ in range(arguments.three))
    run = arguments.run.resolve()
    compare(run, "placements of two and three men, one ply", three)
    four = (draw_position(draw) for _ in range(arguments.four))
    compare(run, "positions of four men, three plies", four)


def compare(run: Path, what: str, questions: Iterable[Question]) -> None:
    """Ask both, and stop at the first difference."""
    count = 0
    nodes = 0
    for part in batched(questions, 10_000):
        lines = "".join(f"{question}\n" for question in part)
        done = subprocess.run(
            [run, "perft"], input=lines, capture_output=True, text=True, check=True
        )
        for question, found in zip(part, done.stdout.splitlines(), strict=True):
            expected = question.answer()
            if found != expected:
                sys.exit(f"{question}: python-chess says {expected}, the specification {found}")
            count += 1
            nodes += int(found.split()[-1]) if found != "illegal" else 0
    print(f"{count} {what}, {nodes} nodes: as python-chess")


def batched(questions: Iterable[Question], size: int) -> Iterator[list[Question]]:
    iterator = iter(questions)
    while part := list(itertools.islice(iterator, size)):
        yield part


def questions_of_three() -> Iterator[Question]:
    """All placements of two and three men, with either side to move."""
    for material in THREE_MEN:
        for squares in itertools.product(chess.SQUARES, repeat=len(material) - 1):
            for turn in chess.COLORS:
                yield question_of(material, squares, turn, depth=1)


def draw_placement(draw: random.Random) -> Question:
    material = draw.choice(THREE_MEN)
    squares = draw.choices(chess.SQUARES, k=len(material) - 1)
    return question_of(material, tuple(squares), draw.choice(chess.COLORS), depth=1)


def draw_position(draw: random.Random) -> Question:
    """A random legal position of four men, often one in which a pawn has just passed a square."""
    while True:
        letters = draw.choices(LETTERS, k=2)
        material = draw.choice(["K{}{}vK", "K{}vK{}"]).format(*letters)
        squares = draw.sample(chess.SQUARES, k=4)
        question = question_of(material, tuple(squares), draw.choice(chess.COLORS), depth=3)
        if question.board.is_valid():
            doubles = [
                move for move in question.board.legal_moves if is_double(question.board, move)
            ]
            if not doubles or draw.random() < 0.2:
                return question
            return question_after(question, draw.choice(doubles))


def question_after(question: Question, move: chess.Move) -> Question:
    squares = tuple(
        move.to_square if square == move.from_square else square for square in question.squares
    )
    board = question.board.copy(stack=False)
    board.push(move)
    return Question(question.material, board, squares, question.depth)


def is_double(board: chess.Board, move: chess.Move) -> bool:
    is_pawn = board.piece_type_at(move.from_square) == chess.PAWN
    return is_pawn and abs(move.to_square - move.from_square) == 16


def men_of(material: str) -> list[chess.Piece]:
    white, black = material.split("v")
    return [chess.Piece.from_symbol(letter) for letter in white + black.lower()]


def question_of(
    material: str, squares: tuple[int, ...], turn: chess.Color, *, depth: int
) -> Question:
    board = chess.Board(None)
    board.set_piece_map(dict(zip(squares, men_of(material), strict=True)))
    board.turn = turn
    return Question(material, board, squares, depth)


def perft(board: chess.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes


if __name__ == "__main__":
    main()
