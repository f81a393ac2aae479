"""What a position needs of a closure: kings that are shut in, and pieces that are kept."""

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.closures.bounds import Bound
from tbgen.closures.closure import Closure
from tbgen.closures.closure_solver import ClosureSolver
from tbgen.closures.costs import SolvePace
from tbgen.closures.placements import Node, RootNode, cell_on, node_on, root_of
from tbgen.closures.reach import Kings, are_shut_in, where_kings_walk
from tbgen.closures.reading import Plane
from tbgen.closures.solver import PositionSolver
from tbgen.closures.store import BlockStore
from tbgen.index.layout import slots_of
from tbgen.rules.position import own_score
from tests.closures.endings import BOUNDS_ALONE, Ending, Pawns, ending_of, is_small
from tests.closures.made_up import MadeUpTables
from tests.closures.test_solving import Folder, folder_of

__all__ = ["folder_of"]

SEED = 11
SAMPLE = 2
MOST_BLOCKS = 150
SHUT_CHAIN = "8/8/1p1k4/1Pp1p1p1/2PpPpPp/3P1P1P/1K6/8 w - - 0 1"
LOCKED = "8/8/k2p1p2/p1pPpPp1/P1P1P1P1/K7/8/8 w - - 0 1"
FINE_70 = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"
BEHIND_OWN_PAWNS = "8/8/8/8/pppppppp/8/8/K6k w - - 0 1"


def kings_on(board: chess.Board) -> Kings:
    """The squares of the kings."""
    white = board.king(chess.WHITE)
    black = board.king(chess.BLACK)
    assert white is not None
    assert black is not None
    return Kings(chess.BB_SQUARES[white], chess.BB_SQUARES[black])


def walk_on(board: chess.Board) -> Kings:
    """Where the kings of a position can walk."""
    node = node_on(board)
    return where_kings_walk(slots_of(node.material), node.pawns, kings_on(board))


def test_a_king_walks_around_pawns_and_the_squares_that_pawns_attack() -> None:
    walked = walk_on(chess.Board(BEHIND_OWN_PAWNS))
    assert walked.white == chess.BB_RANK_1 | chess.BB_RANK_2
    assert walked.black == chess.BB_RANK_1 | chess.BB_RANK_2 | chess.BB_RANK_3


@pytest.mark.parametrize(
    ("fen", "are_shut"), [(SHUT_CHAIN, True), (LOCKED, True), (FINE_70, False)]
)
def test_chains_shut_kings_in(fen: str, are_shut: bool) -> None:
    board = chess.Board(fen)
    node = node_on(board)
    assert are_shut_in(slots_of(node.material), node.pawns, kings_on(board)) is are_shut


@pytest.mark.parametrize("fen", [SHUT_CHAIN, LOCKED])
def test_a_locked_position_is_one_block_and_exact(folder_of: Folder, fen: str) -> None:
    with PositionSolver(folder_of("KvK"), threads=1) as solver:
        answer = solver.solve(fen)
    assert answer.plan.nodes == 1
    assert answer.plan.exact
    assert answer.bracket.is_exact


@pytest.mark.parametrize(("passed", "is_opened"), [("-", False), ("c6", True)])
def test_a_chain_is_opened_en_passant_only_if_the_position_says_so(
    passed: str, is_opened: bool
) -> None:
    board = chess.Board(SHUT_CHAIN.replace(" w - - ", f" w - {passed} "))
    root = root_of(board, own_score(board))
    # All captures but the first one lead to tables.
    closure = Closure(MadeUpTables(root.node.material.men - 1), BOUNDS_ALONE)
    closure.add(root)
    assert (len(closure.blocks) > 1) is is_opened


def random_kings(draw: random.Random, node: Node) -> chess.Board:
    """A legal position of a node of kings and pawns, with White to move."""
    while True:
        board = chess.Board(None)
        for (color, _), square in zip(slots_of(node.material), node.pawns, strict=False):
            board.set_piece_at(square, chess.Piece(chess.PAWN, color.chess))
        empty = list(chess.SquareSet(~board.occupied))
        white, black = draw.sample(empty, 2)
        board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
        if board.is_valid():
            return board


def chain(draw: random.Random, files: int) -> Pawns:
    """Pairs of pawns on neighbouring files that block each other, and never take each other."""
    first_file = draw.randrange(9 - files)
    rank = draw.randrange(1, 6)
    placed = Pawns()
    for file in range(first_file, first_file + files):
        placed[chess.square(file, rank)] = chess.WHITE
        placed[chess.square(file, rank + 1)] = chess.BLACK
        rank += draw.choice([step for step in (-1, 1) if 1 <= rank + step <= 5])
    return placed


def pawn_at_home(draw: random.Random) -> Pawns:
    """A pawn that may make a double step."""
    color = draw.choice(chess.COLORS)
    return {chess.square(draw.randrange(8), 1 if color else 6): color}


def shut_in(draw: random.Random, count: int) -> Iterator[tuple[Ending, chess.Board]]:
    """Endings in which the kings are shut in, with a position of each.

    Every other one has a pawn beside its chain.
    """
    found = 0
    while found < count:
        placed = chain(draw, files=7)
        if found % 2:
            placed = {**pawn_at_home(draw), **placed}
        ending = ending_of(placed, made_up_men_fewer=2, motifs=("chain",))
        slots = slots_of(ending.node.material)
        board = random_kings(draw, ending.node)
        is_symmetric = ending.node.layout.is_own_mirror(ending.node.pawns)
        if is_symmetric or not are_shut_in(slots, ending.node.pawns, kings_on(board)):
            continue
        if is_small(ending, MOST_BLOCKS):
            found += 1
            yield ending, board


def solved_root(closure: Closure, node: Node, folder: Path) -> np.ndarray:
    """[bound, side to move] the values of a node."""
    blocks = ClosureSolver(closure, BlockStore(folder))
    blocks.solve_all(1, SolvePace())
    bounds = [[blocks.plane(Plane(node, side, bound)) for side in range(2)] for bound in Bound]
    return np.array(bounds)


def test_what_shut_kings_never_reach_changes_no_value(tmp_path: Path) -> None:
    left_out = 0
    for number, (ending, board) in enumerate(shut_in(random.Random(SEED), SAMPLE)):
        node = ending.node
        everything = ending.closure(MOST_BLOCKS)
        needed = Closure(MadeUpTables(ending.most_made_up_men + 1), BOUNDS_ALONE)
        needed.add(RootNode(node, [(own_score(board), cell_on(node, board))], has_right=False))
        left_out += len(everything.blocks) - len(needed.blocks)
        walked = walk_on(board)
        cells = []
        for white in chess.SquareSet(walked.white):
            cells += [64 * white + black for black in chess.SquareSet(walked.black)]
        whole = solved_root(everything, node, tmp_path / f"{number} whole")
        part = solved_root(needed, node, tmp_path / f"{number} part")
        np.testing.assert_array_equal(part[:, :, cells], whole[:, :, cells], str(ending))
    assert left_out > 0
