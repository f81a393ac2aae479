"""Five and six men over made-up children, by the reference and by the verifier."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import pytest

from tbgen.apps.records.census import keep_records
from tbgen.apps.records.record import FOLDER, path_of_record, read_record
from tbgen.index.layout import fen_of
from tbgen.library.build import build
from tbgen.library.plan import Settings
from tbgen.material import table_named
from tbgen.verify import verify_file
from tests.library.made_up import write_descent
from tests.retro.excerpt import Excerpt

SEED = 5
SAMPLE = 2000


def squares(*names: str) -> tuple[int, ...]:
    return tuple(chess.parse_square(name) for name in names)


CLOSURES = {
    "either pawn may be taken after its double step": (
        "KPPvKP",
        [("c4", "e4", "d4"), ("c4", "e2", "d4"), ("c2", "e4", "d4")],
    ),
    "a double step turns the board": ("KPPvKP", [("c4", "f3", "d4"), ("c2", "f3", "d4")]),
    "two pawns may take": ("KPPvKP", [("c5", "e5", "d5"), ("c5", "e5", "d7")]),
    "a pawn farther off may not take, nor one of the same side": (
        "KPPvKP",
        [("c5", "g5", "d5"), ("c4", "d4", "b4")],
    ),
    "both sides promote": ("KPPvKP", [("b7", "c6", "c2")]),
}

LARGE_CLOSURES = {
    "six men, either side may take": (
        "KPPvKPP",
        [("c4", "e5", "d4", "f5"), ("c2", "e5", "d4", "f7")],
    ),
    "six men, three pawns and one": (
        "KPPPvKP",
        [("a6", "d4", "e2", "e4"), ("a6", "d2", "e2", "e4")],
    ),
    "six men, four pawns": ("KPPPPvK", [("b7", "c2", "c6", "d3")]),
}


@pytest.mark.parametrize(
    ("name", "placements"),
    [
        *[pytest.param(*each, id=what) for what, each in CLOSURES.items()],
        *[
            pytest.param(*each, id=what, marks=pytest.mark.slow)
            for what, each in LARGE_CLOSURES.items()
        ],
    ],
)
def test_every_pair_of_a_block_agrees_with_the_reference(
    name: str, placements: list[tuple[str, ...]]
) -> None:
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
    legal = set(compared)
    draw = random.Random(SEED)
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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPPvKP", "KPPPPvK"])
def test_a_table_built_over_made_up_children_passes_its_verifier(
    tmp_path: Path, four_men_folder: Path, name: str
) -> None:
    """Each is really built and counted; only what captures and promotions lead to is made up."""
    material = table_named(name)
    write_descent(tmp_path, material, four_men_folder)
    build(tmp_path, [material], settings=Settings(threads=2, jobs=1))
    keep_records(tmp_path, [material], 2, lambda _: None)
    assert verify_file(tmp_path, material, sample=10_000, seed=SEED).violation is None
    assert read_record(path_of_record(tmp_path / FOLDER, material)).material == material
