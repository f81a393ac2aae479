"""Bishops on their colour: what a block leaves out is never reached, and changes no value."""

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.closures.blocks import SolvedBlocks
from tbgen.closures.closure import Closure
from tbgen.closures.cuts import Bound, CutQuestion, Cuts
from tbgen.closures.folder import BlockFolder
from tbgen.closures.nodes import Node, RootNode, cell_on, node_on
from tbgen.closures.pace import SolvePace
from tbgen.closures.schedule import solve_closure
from tbgen.closures.shades import every_shade, share_of
from tbgen.closures.ways import Way
from tbgen.rules.position import own_score
from tbgen.score import Score
from tests.closures.made_up import MadeUpTables

SEED = 101
GAMES = 40
BOUNDS_ALONE = Way(queen=0, knight=0, others=0)
EVERY_PROMOTION = Way(queen=9, knight=9, others=9, coarse_free=9)
AT_CUTS = Way(queen=0, knight=0, others=0, coarse_free=3)

BISHOP_AND_PAWNS = "8/8/1p6/1P1k4/8/2B5/8/5K2 w - - 0 1"
SYMMETRIC_PAWNS = "8/8/3PP3/8/8/5k2/8/b5K1 w - - 0 1"
"""A bishop on a light square has a mirror image on a dark one, so both are needed."""
PAWNS_TO_PROMOTE = "8/8/4P1k1/8/8/1B3p2/8/5K2 w - - 0 1"
ROOTS = [BISHOP_AND_PAWNS, SYMMETRIC_PAWNS, PAWNS_TO_PROMOTE]


def closure_of(board: chess.Board, way: Way, men: int, cuts: Cuts = ()) -> Closure:
    """What a position needs, with made-up values of fewer men than these."""
    closure = Closure(MadeUpTables(men), way, CutQuestion(Bound.LOWER, cuts))
    node = node_on(board)
    root = RootNode(node, [(own_score(board), cell_on(node, board))], has_right=False)
    closure.add_root(root)
    return closure


def light_bishops(node: Node, cells: np.ndarray) -> np.ndarray:
    """[cell, color] how many bishops stand on light squares."""
    counts = np.zeros((len(cells), 2), np.int64)
    for number, cell in enumerate(cells.tolist()):
        _, squares = node.layout.squares_of(cell)
        for (color, role), square in zip(node.layout.slots, squares, strict=True):
            if role == chess.BISHOP and chess.BB_LIGHT_SQUARES & (1 << square):
                counts[number, color] += 1
    return counts


@pytest.mark.parametrize("fen", [*ROOTS, "2b5/1P2k3/8/8/8/5B2/2p5/1B4K1 w - - 0 1"])
def test_games_stay_among_the_shades_that_are_solved(fen: str) -> None:
    """Games with promotions to any man, and captures of bishops."""
    draw = random.Random(SEED)
    closure = closure_of(chess.Board(fen), EVERY_PROMOTION, men=4)
    seen = dict[Node, set[tuple[int, ...]]]()
    for _ in range(GAMES):
        board = chess.Board(fen)
        while not board.is_game_over(claim_draw=True):
            node = node_on(board)
            if node not in closure.blocks:
                break  # so few men that they have a table
            (light,) = light_bishops(node, np.array([cell_on(node, board)]))
            seen.setdefault(node, set()).add(tuple(light.tolist()))
            moves = list(board.legal_moves)
            forcing = [move for move in moves if move.promotion or board.is_capture(move)]
            board.push(draw.choice(forcing if forcing and draw.random() < 0.3 else moves))
    for node, shades in seen.items():
        assert shades <= set(closure.blocks[node].shades), node
    assert len(seen) > 3
    assert any(block.shades < every_shade(node.material) for node, block in closure.blocks.items())


def solved_planes(closure: Closure, folder: Path) -> dict[tuple[Node, Bound], np.ndarray]:
    """The values of each block with the bounds that it has, White to move and then Black."""
    blocks = SolvedBlocks(closure, BlockFolder(folder))
    solve_closure(blocks, 2, SolvePace())
    planes = dict[tuple[Node, Bound], np.ndarray]()
    for node, block in closure.blocks.items():
        for bound in block.bounds:
            sides = [blocks.plane(node, side, bound) for side in range(2)]
            planes[node, bound] = np.concatenate(sides)
    return planes


@pytest.mark.parametrize("cuts", [(), (Score("G3.0"),)], ids=["all outcomes", "at a cut"])
@pytest.mark.parametrize("fen", ROOTS)
def test_what_is_left_out_changes_no_value(fen: str, cuts: Cuts, tmp_path: Path) -> None:
    board = chess.Board(fen)
    men = chess.popcount(board.occupied)
    way = AT_CUTS if cuts else BOUNDS_ALONE
    part = closure_of(board, way, men, cuts)
    whole = Closure(MadeUpTables(men), way, CutQuestion(Bound.LOWER, cuts))
    whole.add(node_on(board))
    assert part.blocks.keys() == whole.blocks.keys()
    planes_of_part = solved_planes(part, tmp_path / "part")
    planes_of_whole = solved_planes(whole, tmp_path / "whole")
    left_out = 0
    for node, bound in planes_of_whole:
        here = planes_of_part[node, bound]
        there = planes_of_whole[node, bound]
        (light,) = set(light_sides(node))
        squares = np.arange(node.cells) // stride_of_bishop(node) % 64
        is_light = (squares // 8 + squares % 8) % 2 == 1
        shades = part.blocks[node].shades
        is_needed = np.zeros(node.cells, np.bool_)
        for shade in shades:
            is_needed |= is_light == bool(shade[light])
        np.testing.assert_array_equal(here[is_needed], there[is_needed])
        if not cuts:
            assert not here[~is_needed].any(), "nobody solves the others"
            assert share_of(shades, node.material) == is_needed.mean()
        left_out += int((there[~is_needed] != 0).sum())
    assert (left_out > 0) == (fen != SYMMETRIC_PAWNS)


def light_sides(node: Node) -> list[int]:
    """The sides of the bishops of a node."""
    return [int(color) for color, role in node.layout.slots if role == chess.BISHOP]


def stride_of_bishop(node: Node) -> int:
    """What a step of the only bishop to the next square adds to a cell's number."""
    slots = node.layout.slots
    (bishop,) = (slot for slot, (_, role) in enumerate(slots) if role == chess.BISHOP)
    return 64 ** (len(slots) - 1 - bishop)


def test_blocks_that_are_solved_whole_serve_as_well() -> None:
    """Those of `prepare` are, and cost as much of a budget whether they are there or not."""
    board = chess.Board(PAWNS_TO_PROMOTE)
    node = node_on(board)
    root = RootNode(node, [(own_score(board), cell_on(node, board))], has_right=False)
    whole = Closure(MadeUpTables(5), BOUNDS_ALONE)
    whole.add(node, queries=root.queries)
    part = Closure(MadeUpTables(5), BOUNDS_ALONE)
    part.add_root(root)
    later = Closure(MadeUpTables(5), BOUNDS_ALONE, solved_keys=whole.keys)
    later.add_root(root)
    assert len(part.lacking) == len(whole.lacking) > 3
    assert not later.lacking
    assert later.charged_seconds == part.charged_seconds < whole.charged_seconds
