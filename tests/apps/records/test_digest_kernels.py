"""Keys of positions: they say the own code wherever it may cut off rows of the state, and nowhere else."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest

from tbgen.apps.records.counting import PlaceRun, men_of, rows_of
from tbgen.apps.records.digest_kernels import OWN_SHIFT, POSITIONS, Buffers, Found, Values, number_places
from tbgen.apps.records.digest_mobility import no_bound
from tbgen.apps.records.digesting import no_positions
from tbgen.board.board import BOARD_WORDS
from tbgen.index.layout import layout_of
from tbgen.material import Material
from tests.reference.digest import places_in_row
from tests.reference.material import material_of
from tests.reference.moves import MOST_MOVES, NO_SQUARE, legal_moves, own_code

MOVES = np.zeros((MOST_MOVES, 4), np.int64)
GOES_ON = 2
"""The least code of a position in which the game goes on; no row counts in others, whatever their key says."""

Rest = tuple[int, ...]
"""The squares of a row: those of the men that are neither kings nor pawns, and the black king's."""


def codes_in_keys(name: str, block: int, rest: Rest, highest: int) -> tuple[list[int], list[int]]:
    """The own codes in the keys of a row with White to move and with Black to move, 0 where a key has none.

    All its positions are of one state, which has a row at the code `highest`.
    """
    layout = layout_of(Material.parse(name))
    first = sum(square << 6 * n for n, square in enumerate(rest)) * layout.shape[2]
    states, found = np.zeros(layout.shape[2], np.uint32), [no_positions(64) for _ in range(2)]
    buffers = Buffers(np.zeros(BOARD_WORDS, np.uint64), rows_of(layout))
    men, run = men_of(layout, block), PlaceRun(first, states, states)
    number_places(men, run, one_state(highest), *found, no_bound(), buffers)
    return own_codes_of(found[0]), own_codes_of(found[1])


def one_state(highest: int) -> Values:
    """A state with the entry value G49.5, and a pattern of one row."""
    return Values(
        entry=np.array([100], np.int8),
        dtg=np.zeros(1, np.uint16),
        pattern=np.zeros(1, np.uint32),
        start=np.array([0, 1], np.uint32),
        holder=np.zeros(1, np.uint8),
        code=np.array([highest], np.uint8),
        outcome=np.array([-100], np.int8),
        row_dtg=np.zeros(1, np.uint16),
        possible=np.tile(np.arange(128, dtype=np.uint8), (2, 1)),
    )


def own_codes_of(found: Found) -> list[int]:
    keys = found.keys[found.numbers[: found.counts[POSITIONS]]]
    return [key >> OWN_SHIFT for key in keys.tolist()]


def exact_codes(name: str, block: int, rest: Rest, side: int) -> list[int]:
    """The own codes of a row's positions by the rules of chess."""
    material, pawns = material_of(name), layout_of(Material.parse(name)).blocks[block]
    codes = []
    for squares in places_in_row(material, pawns, side, rest):
        men_and_side = material.roles, material.colors, np.array(squares), side
        codes.append(own_code(*men_and_side, legal_moves(*men_and_side, NO_SQUARE, MOVES)))
    return codes


def expect_codes_in_keys(name: str, block: int, rest: Rest, highest: int) -> None:
    for side, found in enumerate(codes_in_keys(name, block, rest, highest)):
        exact = exact_codes(name, block, rest, side)
        expected = [code if code <= highest else 0 for code in exact]
        goes_on = [n for n, code in enumerate(exact) if code >= GOES_ON]
        assert len(found) == len(exact)
        assert [found[n] for n in goes_on] == [expected[n] for n in goes_on], (rest, side, highest)


def row_of(name: str, board: chess.Board) -> tuple[int, Rest]:
    """The block of a position whose men all differ, and its row."""
    layout = layout_of(Material.parse(name))
    squares = [next(iter(board.pieces(int(role), not color))) for color, role in layout.slots]
    return layout.blocks.index(tuple(squares[: layout.pawns])), tuple(squares[layout.pawns + 1 :])


# Two positions of a row that have one state; where the white king has stepped aside, the side to
# move is in check and has one move. Digests of KQvKQ and KBvKP were wrong by these alone, and by thirteen like them.
@pytest.mark.parametrize(
    ("name", "free", "checked"),
    [
        ("KQvKQ", "8/8/8/8/8/8/8/KQ2qk2 w - - 0 1", "8/8/8/8/8/8/8/1Q1Kqk2 w - - 0 1"),
        ("KBvKP", "8/8/5B2/4K3/8/8/p7/k7 b - - 0 1", "8/8/5B2/5K2/8/8/p7/k7 b - - 0 1"),
        ("KBvKP", "8/8/8/8/8/3k4/2p5/2K1B3 w - - 0 1", "8/8/8/8/8/3k4/2p5/3KB3 w - - 0 1"),
    ],
)
def test_a_check_that_leaves_one_move_is_seen_beside_a_position_of_the_same_state(
    name: str, free: str, checked: str
) -> None:
    before, board = chess.Board(free), chess.Board(checked)
    assert (before.is_check(), board.is_check(), board.legal_moves.count()) == (False, True, 1)
    assert row_of(name, before) == row_of(name, board)
    expect_codes_in_keys(name, *row_of(name, board), highest=2)


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KPvK", "KRvKB", "KQvKQ", "KNNvK", "KBvKP", "KQvKN", "KPvKP", "KRPvK"])
def test_keys_have_the_own_code_where_a_row_of_the_state_lies_at_it_or_above(name: str) -> None:
    layout, draw = layout_of(Material.parse(name)), random.Random(9)
    for _ in range(40):
        rest = tuple(draw.randrange(64) for _ in range(layout.others + 1))
        expect_codes_in_keys(name, draw.randrange(len(layout.blocks)), rest, draw.choice((2, 3, 4, 6, 11, 20, 41)))
