"""The reference's moves and scores against python-chess, position by position."""

from collections.abc import Iterator
from itertools import islice, product

import chess
import numpy as np
import pytest

from tests import positions

from .reference.graph import Men, may_have_jumped
from .reference.material import Material
from .reference.moves import (
    CAPTURED,
    MOST_MOVES,
    NO_SQUARE,
    PROMOTION,
    forward,
    is_en_passant,
    is_legal_position,
    legal_moves,
    own_code,
)

THREE_MEN = ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK"]
WITH_PAWNS = ["KPvKP", "KRvKP", "KPPvK", "KQPvK", "KPPvKP", "KNPvKPP"]
WITHOUT_PAWNS = ["KBvKN", "KNNvK", "KQvKR", "KRBvKN"]
TRIANGLE = [square for square in range(64) if square // 8 <= square % 8 < 4]
LEFT = [square for square in range(8, 56) if square % 8 < 4]
Position = tuple[int, tuple[int, ...]]


def board_of(material: Material, position: Position, en_passant: int = NO_SQUARE) -> chess.Board:
    """The position as python-chess sees it."""
    side, squares = position
    jumped = None if en_passant == NO_SQUARE else en_passant
    return positions.board_of(zip(material.colors, material.roles, strict=True), squares, side, jumped)


def expected_moves(board: chess.Board) -> list[tuple[int, int, int]]:
    """python-chess's legal moves as (from, to, promotion or 0), sorted."""
    return sorted((move.from_square, move.to_square, move.promotion or 0) for move in board.legal_moves)


class Generator:
    """The reference's moves of one material."""

    def __init__(self, name: str) -> None:
        self.material = Material(name)
        self.men = (self.material.roles, self.material.colors)
        self.table = np.empty((MOST_MOVES, 4), dtype=np.int64)

    def moves(self, position: Position, en_passant: int = NO_SQUARE) -> np.ndarray:
        """The legal moves, one a row."""
        side, squares = position
        return self.table[: legal_moves(*self.men, np.array(squares), side, en_passant, self.table)]

    def differs(self, position: Position, board: chess.Board, en_passant: int = NO_SQUARE) -> bool:
        """Whether moves or score differ from python-chess's."""
        side, squares = position
        moves = self.moves(position, en_passant)
        found = sorted((squares[man], to, max(promotion, 0)) for man, to, _, promotion in moves.tolist())
        expected = expected_moves(board)
        code = 2 * len(expected) + (not board.is_check())
        return found != expected or own_code(*self.men, np.array(squares), side, len(moves)) != code

    def is_legal(self, position: Position) -> bool:
        """Whether the reference takes the position for a legal one."""
        return bool(is_legal_position(*self.men, np.array(position[1]), position[0]))


def placements(material: Material, ranges: dict[int, list[int]]) -> Iterator[Position]:
    """Every way to place the men, all on different squares, some of them on given squares only."""
    axes = [ranges.get(man, range(64)) for man in range(material.men)]
    for side, *squares in product((0, 1), *axes):
        if len(set(squares)) == len(squares):
            yield side, tuple(squares)


def assert_agreement(name: str, ranges: dict[int, list[int]], step: int = 1) -> None:
    """Legality, moves and scores are python-chess's at every placement, or at one in so many."""
    generator = Generator(name)
    legal = 0
    for position in islice(placements(generator.material, ranges), 0, None, step):
        board = board_of(generator.material, position)
        assert generator.is_legal(position) == board.is_valid(), board.fen()
        if board.is_valid():
            assert not generator.differs(position, board), board.fen()
            legal += 1
    assert legal > 0


@pytest.mark.parametrize("name", THREE_MEN)
def test_moves_and_scores_of_up_to_three_men_are_those_of_python_chess_at_every_seventh(name: str) -> None:
    pawns = Material(name).pawns
    assert_agreement(name, {pawns[0]: LEFT} if pawns else {0: TRIANGLE}, step=7)


def random_positions(material: Material, number: int) -> Iterator[Position]:
    """Random placements of the men on different squares, pawns on their ranks."""
    rng = np.random.default_rng(20200508)
    while number:
        squares = [int(rng.integers(8, 56) if role == 1 else rng.integers(64)) for role in material.roles]
        if len(set(squares)) == len(squares):
            yield int(rng.integers(2)), tuple(squares)
            number -= 1


@pytest.mark.parametrize("name", WITH_PAWNS + WITHOUT_PAWNS)
def test_moves_and_scores_of_more_men_are_those_of_python_chess_in_samples(name: str) -> None:
    generator = Generator(name)
    captures = promotions = 0
    for position in random_positions(generator.material, 4000):
        board = board_of(generator.material, position)
        assert generator.is_legal(position) == board.is_valid() or len(board.checkers()) > 1, board.fen()
        if generator.is_legal(position):
            assert not generator.differs(position, board), board.fen()
            moves = generator.moves(position)
            captures += int(np.count_nonzero(moves[:, CAPTURED] >= 0))
            promotions += int(np.count_nonzero(moves[:, PROMOTION] >= 0))
    assert captures > 100
    assert name in WITHOUT_PAWNS or promotions > 100


def jumps(material: Material, position: Position) -> Iterator[int]:
    """The squares that a pawn may just have jumped over."""
    side, squares = position
    men = Men(material.roles, material.colors, np.array(squares))
    for pawn in material.pawns:
        if may_have_jumped(men, np.array(squares), pawn, side):
            yield squares[pawn] - 8 * forward(int(material.colors[pawn]))


@pytest.mark.parametrize("name", ["KPvKP", "KPPvKP", "KRPvKP", "KBPvKP", "KQPvKP"])
def test_en_passant_is_that_of_python_chess_in_samples(name: str) -> None:
    generator = Generator(name)
    rng = np.random.default_rng(1886)
    captures = refused = 0
    for side, squares in random_positions(generator.material, 6000):
        ranks = iter(rng.permutation([3, 4, 3])) if side else iter(rng.permutation([4, 3, 4]))
        pawns = generator.material.pawns
        near = [each % 8 + 8 * int(next(ranks)) if man in pawns else each for man, each in enumerate(squares)]
        position = (side, tuple(near))
        if not generator.is_legal(position):
            continue
        for jumped in jumps(generator.material, position):
            board = board_of(generator.material, position, jumped)
            assert not generator.differs(position, board, jumped), board.fen()
            moves = generator.moves(position, jumped)
            legal = sum(bool(is_en_passant(np.array(near), move)) for move in moves)
            assert legal == sum(map(board.is_en_passant, board.legal_moves)), board.fen()
            captures += legal
            refused += len(list(board.generate_pseudo_legal_ep())) - legal
    assert captures > 100
    assert name == "KPvKP" or refused > 0  # without a slider nothing can forbid it
