"""Five and six men over made-up children: single blocks, and seeded ones of whole tables, against the reference."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.apps.records.folder import FOLDER, path_of_record, read_record
from tbgen.cli.watch import BuildWatcher
from tbgen.index.bulk import cells_of
from tbgen.index.layout import fen_of, layout_of
from tbgen.library.build import Settings, build
from tbgen.material import Material, Role
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.table import Cells
from tbgen.verify import verify_file
from tests import reference
from tests.library.made_up import write_descent
from tests.retro.comparison import Comparison, Ints, men_of_slots
from tests.retro.excerpt import Excerpt

SEED = 5
SAMPLE = 2000
BLOCKS = 16


def squares(*names: str) -> tuple[int, ...]:
    return tuple(chess.parse_square(name) for name in names)


CLOSURES = {
    "either pawn may be taken after its double step": (
        "KPPvKP",
        [("c4", "e4", "d4"), ("c4", "e2", "d4"), ("c2", "e4", "d4"), ("c2", "e2", "d4")],
    ),
    "a double step turns the board": ("KPPvKP", [("c4", "f3", "d4"), ("c2", "f3", "d4")]),
    "two pawns may take": ("KPPvKP", [("c5", "e5", "d5"), ("c5", "e5", "d7")]),
    "both sides promote": ("KPPvKP", [("b7", "c6", "c2")]),
}

LARGE_CLOSURES = {
    "six men, either side may take": ("KPPvKPP", [("c4", "e5", "d4", "f5"), ("c2", "e5", "d4", "f7")]),
    "six men, three pawns and one": ("KPPPvKP", [("a6", "d4", "e2", "e4"), ("a6", "d2", "e2", "e4")]),
    "six men, four pawns": ("KPPPPvK", [("b7", "c2", "c6", "d3")]),
}


@pytest.mark.parametrize(
    ("name", "placements"),
    [
        *[pytest.param(*each, id=what) for what, each in CLOSURES.items()],
        *[pytest.param(*each, id=what, marks=pytest.mark.slow) for what, each in LARGE_CLOSURES.items()],
    ],
)
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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPPvKP", "KPPPPvK"])
def test_blocks_all_over_a_table_agree_with_the_reference_and_its_verifier(
    tmp_path: Path, four_men_folder: Path, name: str
) -> None:
    """Each is a real build, from plan to record; only what the table's captures and promotions lead to is made up."""
    material = Material.parse(name)
    write_descent(tmp_path, material, four_men_folder)
    build(tmp_path, [material], BuildWatcher(), Settings(threads=2, jobs=1))
    pairs, rights, found = differences_in_blocks(tmp_path, material, random.Random(SEED))
    assert found == []
    assert pairs > 100_000 * BLOCKS
    if Role.PAWN in material.black:
        assert rights > 500 * BLOCKS // 2
    else:
        assert rights == 0
    report = verify_file(tmp_path, material, sample=10_000, seed=SEED)
    assert report.violation is None
    assert read_record(path_of_record(tmp_path / FOLDER, material)).material == material


def differences_in_blocks(folder: Path, material: Material, draw: random.Random) -> tuple[int, int, list[str]]:
    """The pairs compared, the positions with a right to take en passant that they lead to, and what differs.

    Half of the blocks have double steps to where they may be taken, if there is any such.
    """
    blocks = layout_of(material).blocks
    passing = [pawns for pawns in blocks if any(beside_an_enemy(material, to) for to in double_steps(material, pawns))]
    rare = draw.sample(passing, BLOCKS // 2) if passing else []
    chosen = [*draw.sample(blocks, BLOCKS - len(rare)), *rare]
    pairs, rights, found = 0, 0, list[str]()
    for pawns in chosen:
        comparison = block_beside_reference(folder, material, closure(material, pawns))
        pairs += comparison.pairs
        rights += sum(int((each.nodes.en_passant != -1).sum()) for each in comparison.known.blocks.values())
        found += comparison.found
    return pairs, rights, found[:10]


def double_steps(material: Material, pawns: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The placements, as a block has them or their mirror image, that double steps lead to."""
    found = []
    for man, (color, _) in enumerate(layout_of(material).slots[: len(pawns)]):
        step = 8 if int(color) == 0 else -8
        way = {pawns[man] + step, pawns[man] + 2 * step}
        if pawns[man] // 8 == (1 if int(color) == 0 else 6) and not way & set(pawns):
            found.append((*pawns[:man], pawns[man] + 2 * step, *pawns[man + 1 :]))
    return found


def beside_an_enemy(material: Material, pawns: tuple[int, ...]) -> bool:
    """Whether a pawn of Black stands beside one of White's, on a rank that double steps lead to."""
    colors = [color for color, _ in layout_of(material).slots[: len(pawns)]]
    placed = list(zip(colors, pawns, strict=True))
    return any(
        one != other and here // 8 == there // 8 == (3 if one == 0 else 4) and abs(here - there) == 1
        for one, here in placed
        for other, there in placed
    )


def closure(material: Material, pawns: tuple[int, ...]) -> list[tuple[int, ...]]:
    """A placement after all those that its double steps lead to, one after another."""
    before = [each for to in double_steps(material, pawns) for each in closure(material, to)]
    return list(dict.fromkeys([*before, pawns]))


def block_beside_reference(folder: Path, material: Material, placements: list[tuple[int, ...]]) -> Comparison:
    """What a folder's files say of the last placement, beside what the reference makes of what they say of others."""

    def outside(name: str, side: Ints, squares: list[Ints]) -> tuple[np.ndarray, np.ndarray]:
        layout = layout_of(Material.parse(name))
        men = np.stack([squares[man] for man in men_of_slots(layout)], axis=1)
        with TableFile(path_of(folder, layout.material)) as file:
            entry, dtg, _ = file.look_up(cells_of(layout, side, men))
        return entry.astype(np.int16), dtg.astype(np.int16)

    known = reference.Excerpt(str(material), placements, outside)
    with TableFile(path_of(folder, material)) as file:
        comparison = Comparison(known, file.patterns, lambda cells: Cells(*file.look_up(cells)))
        comparison.block(known.blocks[placements[-1]])
    return comparison
