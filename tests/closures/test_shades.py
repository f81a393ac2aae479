"""Bishops on their colour: what a block leaves out is never reached, and changes no value."""

import contextlib
import random
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.closures.answers import Brackets
from tbgen.closures.bounds import Bound, CutQuestion
from tbgen.closures.closure import Closure
from tbgen.closures.closure_solver import ClosureSolver, solve_with_patterns
from tbgen.closures.costs import Budget, SolvePace
from tbgen.closures.placements import Node, RootNode, cell_on, node_on, root_of
from tbgen.closures.policy import Way, ways_of
from tbgen.closures.reach import Shades, every_shade, share_of
from tbgen.closures.reading import Plane
from tbgen.closures.store import BlockStore
from tbgen.errors import BuildError, ClosureTooLargeError
from tbgen.index.placements import Squares
from tbgen.material import Material
from tbgen.retro.drive.methods import DISTANCES
from tbgen.rules.position import board_after, own_score
from tbgen.score import Score
from tbgen.table import Entries
from tests.closures.made_up import MadeUpTables

SEED = 101
QUESTION = CutQuestion(Bound.LOWER, (Score("G3.0"),))
GAMES = 40
BOUNDS_ALONE = Way(queen=0, knight=0, others=0)
EVERY_PROMOTION = Way(queen=9, knight=9, others=9, coarse_free=9)
AT_CUTS = Way(queen=0, knight=0, others=0, coarse_free=3)
QUEENS_ALONE = Way(queen=3, knight=2, others=2)

BISHOP_AND_PAWNS = "8/8/1p6/1P1k4/8/2B5/8/5K2 w - - 0 1"
SYMMETRIC_PAWNS = "8/8/3PP3/8/8/5k2/8/b5K1 w - - 0 1"
"""A bishop on a light square has a mirror image on a dark one, so both are needed."""
PAWNS_TO_PROMOTE = "8/8/4P1k1/8/8/1B3p2/8/5K2 w - - 0 1"
PAWN_TO_TAKE_EN_PASSANT = "4k3/8/4p3/3pP3/8/8/8/4KB2 w - - 0 1"
"""Black's d-pawn never comes to d5 by a double step, and yet its block has rights to take it."""
BOUNDED_BISHOP = "6k1/P7/8/3p4/3P4/8/7p/5BK1 w - - 0 1"
"""Once White's bishop and Black's new queen are taken, a7xb8=B leads to a block that is solved for
bishops of the other colour."""
ROOTS = [BISHOP_AND_PAWNS, SYMMETRIC_PAWNS, PAWNS_TO_PROMOTE]


def closure_of(board: chess.Board, way: Way, men: int) -> Closure:
    """What a position needs, with made-up values of fewer men than these."""
    closure = Closure(MadeUpTables(men), way, QUESTION)
    node = node_on(board)
    root = RootNode(node, [(own_score(board), cell_on(node, board))], has_right=False)
    closure.add(root)
    return closure


def light_bishops(node: Node, cell: int) -> tuple[int, int]:
    """How many bishops of White and of Black stand on light squares."""
    counts = [0, 0]
    _, squares = node.layout.squares_of(cell)
    for (color, role), square in zip(node.layout.slots, squares, strict=True):
        if role == chess.BISHOP and chess.BB_LIGHT_SQUARES & (1 << square):
            counts[color] += 1
    white, black = counts
    return white, black


@pytest.mark.parametrize("fen", [*ROOTS, "2b5/1P2k3/8/8/8/5B2/2p5/1B4K1 w - - 0 1"])
def test_games_stay_among_the_shades_that_are_solved(fen: str) -> None:
    """Games with promotions to any man, and captures of bishops."""
    draw = random.Random(SEED)
    closure = closure_of(chess.Board(fen), EVERY_PROMOTION, men=4)
    seen = dict[Node, set[tuple[int, int]]]()
    for _ in range(GAMES):
        board = chess.Board(fen)
        while not board.is_game_over(claim_draw=True):
            node = node_on(board)
            if node not in closure.blocks:
                break  # so few men that they have a table
            seen.setdefault(node, set()).add(light_bishops(node, cell_on(node, board)))
            moves = list(board.legal_moves)
            forcing = [move for move in moves if move.promotion or board.is_capture(move)]
            board.push(draw.choice(forcing if forcing and draw.random() < 0.3 else moves))
    for node, shades in seen.items():
        assert shades <= set(closure.blocks[node].shades), node
    assert len(seen) > 3
    assert any(block.shades < every_shade(node.material) for node, block in closure.blocks.items())


def solved_planes(closure: Closure, folder: Path) -> dict[tuple[Node, Bound], np.ndarray]:
    """The values of each block with the bounds that it has, White to move and then Black."""
    blocks = ClosureSolver(closure, BlockStore(folder))
    blocks.solve_all(2, SolvePace())
    planes = dict[tuple[Node, Bound], np.ndarray]()
    for node, block in closure.blocks.items():
        for bound in block.bounds:
            sides = [blocks.plane(Plane(node, side, bound)) for side in range(2)]
            planes[node, bound] = np.concatenate(sides)
    return planes


@pytest.mark.parametrize(
    ("fen", "way", "men"),
    [
        (BISHOP_AND_PAWNS, BOUNDS_ALONE, 5),
        pytest.param(SYMMETRIC_PAWNS, BOUNDS_ALONE, 5, marks=pytest.mark.slow),
        pytest.param(PAWNS_TO_PROMOTE, BOUNDS_ALONE, 5, marks=pytest.mark.slow),
        (BISHOP_AND_PAWNS, AT_CUTS, 5),
        (SYMMETRIC_PAWNS, AT_CUTS, 5),
        (PAWNS_TO_PROMOTE, AT_CUTS, 5),
        pytest.param(PAWN_TO_TAKE_EN_PASSANT, BOUNDS_ALONE, 4, marks=pytest.mark.slow),
        pytest.param(BOUNDED_BISHOP, QUEENS_ALONE, 5, marks=pytest.mark.slow),
    ],
)
def test_what_is_left_out_changes_no_value(fen: str, way: Way, men: int, tmp_path: Path) -> None:
    board = chess.Board(fen)
    part = closure_of(board, way, men)
    whole = Closure(MadeUpTables(men), way, QUESTION)
    whole.add(RootNode(node_on(board)))
    planes_of_part = solved_planes(part, tmp_path / "part")
    planes_of_whole = solved_planes(whole, tmp_path / "whole")
    left_out = 0
    for node, bound in planes_of_part:
        here = planes_of_part[node, bound]
        there = planes_of_whole[node, bound]
        shades = part.blocks[node].shades
        is_needed = have_shades(node, shades)
        np.testing.assert_array_equal(here[is_needed], there[is_needed])
        if not part.blocks[node].cuts:
            assert not here[~is_needed].any(), "nobody solves the others"
        assert share_of(shades, node.material) == is_needed.mean()
        left_out += int((there[~is_needed] != 0).sum())
    assert (left_out > 0) == (fen != SYMMETRIC_PAWNS)


def have_shades(node: Node, shades: Shades) -> np.ndarray:
    """[cell] whether the only bishop of a node, if it has one, has one of some shades."""
    slots = node.layout.slots
    bishops = [slot for slot, (_, role) in enumerate(slots) if role == chess.BISHOP]
    if not bishops:
        return np.ones(node.cells, np.bool_)
    (bishop,) = bishops
    color, _ = slots[bishop]
    squares = np.arange(node.cells) // 64 ** (len(slots) - 1 - bishop) % 64
    is_light = (squares // 8 + squares % 8) % 2 == 1
    have = np.zeros(node.cells, np.bool_)
    for shade in shades:
        have |= is_light == bool(shade[color])
    return have


@pytest.mark.parametrize(
    "seed", [SEED, *(pytest.param(SEED + each, marks=pytest.mark.slow) for each in range(1, 40))]
)
def test_plans_solve_all_that_they_ask(seed: int) -> None:
    """A closure looks at each of its moves: BuildError if it leads to other shades."""
    draw = random.Random(seed)
    fewer = 0
    while not fewer:
        board = random_ending(draw)
        root = root_of(board, own_score(board))
        men = chess.popcount(board.occupied)
        for way in ways_of(root.node.free):
            closure = Closure(MadeUpTables(men - 1), way, QUESTION, budget=Budget(60.0))
            with contextlib.suppress(ClosureTooLargeError):
                closure.add(root)
            for node, block in closure.blocks.items():
                fewer += block.shades < every_shade(node.material)


def random_ending(draw: random.Random) -> chess.Board:
    """A position of six or more men with a bishop or two, and pawns that may take each other."""
    while True:
        board = chess.Board(None)
        board.turn = draw.choice(chess.COLORS)
        men = [(chess.KING, chess.WHITE), (chess.KING, chess.BLACK)]
        men += [(chess.BISHOP, draw.choice(chess.COLORS)) for _ in range(draw.choice((1, 1, 2)))]
        for role, color in men:
            board.set_piece_at(draw.randrange(64), chess.Piece(role, color))
        file = draw.randrange(6)
        for _ in range(4):
            square = chess.square(file + draw.randrange(3), draw.choice((3, 4, 4, 5)))
            board.set_piece_at(square, chess.Piece(chess.PAWN, draw.choice(chess.COLORS)))
        if board.is_valid() and board.occupied.bit_count() > 5 and board.bishops and board.pawns:
            return board


class WithoutValues(MadeUpTables):
    """Tables that lack the placement to which only a capture en passant leads."""

    def plane(
        self, material: Material, pawns: Squares, side: int, room: Entries | None = None
    ) -> Entries:
        entries = super().plane(material, pawns, side, room)
        if pawns == (chess.A6,):
            entries[:] = 0
        return entries


@pytest.mark.parametrize(
    ("fen", "way"),
    [
        ("4k3/8/8/pP6/8/8/8/4KB2 w - - 0 1", AT_CUTS),
        ("4k3/8/8/p7/1P6/8/8/4KB2 w - - 0 1", AT_CUTS),
        pytest.param("4k3/8/8/p7/1P6/8/8/4KB2 w - - 0 1", BOUNDS_ALONE, marks=pytest.mark.slow),
    ],
    ids=["alone, at a cut", "in a group, at a cut", "in a group, all outcomes"],
)
def test_a_missing_value_after_en_passant_is_an_error(fen: str, way: Way, tmp_path: Path) -> None:
    """In a block that is solved alone, and in one that is solved in a group."""
    board = chess.Board(fen)
    root = root_of(board, own_score(board))
    closure = Closure(WithoutValues(5), way, QUESTION)
    closure.add(root)
    with pytest.raises(BuildError, match="a child table has no value"):
        ClosureSolver(closure, BlockStore(tmp_path)).solve_all(1, SolvePace())


def test_a_missing_value_after_en_passant_is_an_error_in_a_line(tmp_path: Path) -> None:
    board = chess.Board("4k3/8/8/pP6/8/8/8/4KB2 w - - 0 1")
    whole = closure_of(board, BOUNDS_ALONE, 5)
    ClosureSolver(whole, BlockStore(tmp_path)).solve_all(1, SolvePace())
    closure = Closure(WithoutValues(5), BOUNDS_ALONE, QUESTION)
    block = closure.add(root_of(board, own_score(board)))
    blocks = ClosureSolver(closure, BlockStore(tmp_path))
    with pytest.raises(BuildError, match="a child table has no value"):
        solve_with_patterns(block, blocks, Bound.LOWER, DISTANCES)


def test_a_position_is_looked_up_where_it_is_solved(tmp_path: Path) -> None:
    """The root is reversed in colours here, and has blocks of the same men in its own, too."""
    board = chess.Board("5b2/4p1k1/8/8/8/4P3/1K6/2B5 b - - 0 1")
    assert root_of(board, own_score(board)).is_reversed
    closure = Closure(MadeUpTables(6), ways_of(4)[0], QUESTION)
    closure.add(root_of(board, own_score(board)))
    brackets = Brackets(ClosureSolver(closure, BlockStore(tmp_path)))
    in_both = 0
    for move in board.legal_moves:
        after = board_after(board, move)
        block, is_reversed = brackets.block_of(after)
        assert block is not None
        assert is_reversed
        in_both += node_on(after) in closure.blocks
    assert in_both > 0
