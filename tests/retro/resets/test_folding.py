"""Legal words, check words and codes of whole words against python-chess."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from tbgen.index.layout import Layout, layout_of
from tbgen.index.words import NOTHING
from tbgen.material import Material
from tbgen.retro.resets.destinations import child_layouts_of, empty_child_tables
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import Block, enter_block, find_legal, new_block
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.retro.words.moves import new_scratch
from tbgen.score import code_of
from tests.positions import board_of

PAWNLESS = [
    "KvK",
    "KNvK",
    "KNNvK",
    "KQQvK",
    "KBvKN",
    "KRvKR",
    "KQvKQ",
    "KRBvKN",
    "KNNNvK",
    "KBBvKN",
    "KQRvKB",
    "KRRvKR",
]
WITH_PAWNS = [
    "KPvK",
    "KQvKP",
    "KPPvK",
    "KPvKP",
    "KNPvK",
    "KBvKP",
    "KPPPvK",
    "KPPvKP",
    "KRPvKP",
    "KPPvKR",
    "KNNvKP",
    "KQPvKN",
]


def is_legal(board: chess.Board, men: int) -> bool:
    kings = board.king(chess.WHITE), board.king(chess.BLACK)
    if len(board.piece_map()) < men or None in kings:
        return False
    return not board.was_into_check()


def twins_in_order(layout: Layout, squares: tuple[int, ...]) -> bool:
    return all(
        list(squares[start:end]) == sorted(squares[start:end]) for start, end in layout.twins
    )


def numbers(layout: Layout, wanted: int) -> list[int]:
    """Some blocks, those with pawns at home or about to promote among them."""
    random = np.random.default_rng(21)
    return sorted(
        {0, len(layout.blocks) - 1, *random.integers(0, len(layout.blocks), wanted).tolist()}
    )


def words(layout: Layout, block: Block, wanted: int) -> list[int]:
    """Seeded words, most of them with positions in them, some crowded round one square."""
    random = np.random.default_rng(22)
    held = np.flatnonzero(block.occupied != NOTHING)
    empty = np.flatnonzero(block.occupied == NOTHING)
    chosen = random.choice(held, min(wanted, len(held)), replace=False).tolist()
    crowded = np.flatnonzero([_span(int(block.occupied[word])) < 20 for word in held[:4000]])
    chosen += held[random.permutation(crowded)[: wanted // 2]].tolist()
    return chosen + random.permutation(empty)[:3].tolist()


def _span(word: int) -> int:
    return word.bit_length() - (word & -word).bit_length()


def assert_word_agrees(layout: Layout, number: int, block: Block, word: int) -> None:
    """Legality, check and code of the 64 squares of the black king, for both sides."""
    for side in range(2):
        codes = {}
        for square in range(64):
            cell = ((number * 2 + side) * layout.block_words + word) * 64 + square
            _, squares = layout.squares_of(cell)
            board = board_of(layout.slots, squares, side)
            legal = is_legal(board, len(layout.slots)) and twins_in_order(layout, squares)
            assert bool(int(block.legal[side, word]) >> square & 1) == legal, (board.fen(), squares)
            in_check = legal and board.is_check()
            assert bool(int(block.check[side, word]) >> square & 1) == in_check, board.fen()
            if legal:
                codes[square] = code_of(board.legal_moves.count(), in_check=in_check)
                assert block.code[side, word * 64 + square] == codes[square], board.fen()
        assert block.next_code[side, word] == min(codes.values(), default=255)


def assert_words_agree(name: str, blocks: int, wanted: int) -> None:
    layout = layout_of(Material.parse(name))
    geometry: Geometry = geometry_of(layout)
    block = new_block(geometry)
    scratch = new_scratch(layout.others)
    nothing_at_hand = empty_child_tables(child_layouts_of(layout))  # codes need no values
    pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
    for number in numbers(layout, blocks):
        enter_block(block, number, pawns[number])
        find_legal(block, scratch.men, 0, geometry.words)
        for word in words(layout, block, wanted):
            find_moves(block, nothing_at_hand, scratch, word, word + 1)
            assert_word_agrees(layout, number, block, word)


@pytest.mark.parametrize("name", PAWNLESS)
def test_words_without_pawns_are_those_of_python_chess(name: str) -> None:
    assert_words_agree(name, 1, 6)


@pytest.mark.parametrize("name", WITH_PAWNS)
def test_words_with_pawns_are_those_of_python_chess(name: str) -> None:
    assert_words_agree(name, 4, 2)
