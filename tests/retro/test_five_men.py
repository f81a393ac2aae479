"""Single blocks of five-man tables, with children that are made up, against the reference and python-chess."""

from __future__ import annotations

import random

import chess
import pytest

from tbgen.index.boards import fen_of
from tests.retro.excerpt import Excerpt

SEED = 5
SAMPLE = 2000


def squares(*names: str) -> tuple[int, ...]:
    return tuple(chess.parse_square(name) for name in names)


CLOSURES = {
    "either pawn may be taken after its double step": (
        "KPPvKP",
        [("c4", "e4", "d4"), ("c4", "e2", "d4"), ("c2", "e4", "d4"), ("c2", "e2", "d4")],
    ),
    "two pawns may take": ("KPPvKP", [("c5", "e5", "d5"), ("c5", "e5", "d7")]),
    "both sides promote": ("KPPvKP", [("b7", "c6", "c2")]),
}


@pytest.mark.parametrize(("name", "placements"), CLOSURES.values(), ids=CLOSURES.keys())
def test_every_pair_of_a_block_agrees_with_the_reference(name: str, placements: list[tuple[str, ...]]) -> None:
    excerpt = Excerpt(name, [squares(*each) for each in placements])
    pairs, found = excerpt.differences()
    assert found == []
    assert pairs > 100_000 * len(placements)
    assert_en_passant_agrees(excerpt, at_least=500 * (len(placements) - 1), can_be_pinned=False)


@pytest.mark.slow
def test_a_rook_pins_pawns_along_the_rank_as_the_reference_says() -> None:
    excerpt = Excerpt("KRPvKP", [squares("d4", "e4"), squares("d2", "e4")])
    pairs, found = excerpt.differences()
    assert found == []
    assert pairs > 10_000_000
    assert_en_passant_agrees(excerpt, at_least=50_000, can_be_pinned=True)


def assert_en_passant_agrees(excerpt: Excerpt, at_least: int, *, can_be_pinned: bool) -> None:
    """With the reference in value, and with python-chess in who may take at all."""
    compared, found = excerpt.en_passant_differences()
    assert found == []
    assert len(compared) >= at_least
    legal, draw = set(compared), random.Random(SEED)
    candidates = set(draw.sample(sorted(legal), min(SAMPLE, len(legal))))
    for side, men, over in sorted(candidates):
        moved = list(men)
        moved[draw.choice((excerpt.layout.pawns, len(men) - 1))] = draw.randrange(64)
        if len(set(moved)) == len(moved):
            candidates.add((side, tuple(moved), over))
    answers = []
    for side, men, over in sorted(candidates):
        board = chess.Board(fen_of(excerpt.layout, side, men))
        board.ep_square = over
        if board.is_valid():
            answers.append(board.has_legal_en_passant())
            assert ((side, men, over) in legal) == answers[-1], board.fen()
    assert not legal or len(answers) > SAMPLE // 2
    assert all(answers) != can_be_pinned
