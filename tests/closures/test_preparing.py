"""Blocks that are solved at a few cuts, and who mates after promotions to the most men beside a
pawn.

Here a block may have two men beside its pawns, or three beside a single one, so that closures are
small.
"""

import itertools
import random
from dataclasses import replace
from pathlib import Path

import chess
import pytest

from tbgen.closures import blocks, nodes, planning, solving, ways
from tbgen.closures import folder as block_folder
from tbgen.closures.bracket import Solution
from tbgen.closures.closure import Closure
from tbgen.closures.cuts import ALL_OUTCOMES, ENDS, Bound, CutQuestion, Cuts
from tbgen.closures.folder import FRAME, NAMES
from tbgen.closures.nodes import node_on
from tbgen.closures.solving import PositionSolver
from tbgen.closures.ways import Way
from tbgen.errors import ClosureTooLargeError, UnprovedError
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase, stored
from tbgen.probe.opened import OpenTables
from tbgen.retro.drive import single
from tbgen.score import Score
from tbgen.storage.arrays import ArrayFile, write_arrays
from tests.closures.test_solving import (
    LATER,
    PIECES,
    SEED,
    Folder,
    contradictions,
    files_in,
    folder_of,
    outside,
    pairs,
)

pytestmark = pytest.mark.usefixtures("unbundled")
"""Positions of three men are solved here, which have no table."""

__all__ = ["folder_of"]

FENS = (
    ("8/1P6/8/4k3/8/8/4p3/2K5 w - - 0 1", "-G9.5"),
    ("8/6P1/8/1k6/8/8/p7/4K3 w - - 0 1", "-G7.5"),
    ("7k/P7/8/8/8/1K6/7p/8 b - - 0 1", "G5.0"),
)
SOLVED, BOUNDED = Way(4, 4, 2), Way(0, 0, 2)


def allow_few_men(monkeypatch: pytest.MonkeyPatch, most: int = 2) -> None:
    """So many men in a block, one more beside a pawn; all but the smallest arrays in files."""
    sizes = {
        "MOST_FREE": most,
        "MOST_COARSE_FREE": most + 1,
        "MOST_WHOLE_FREE": most - 1,
        "MOST_TABLE_MEN": most + 1,
    }
    sizes |= {
        "MOST_IN_MEMORY": 1 << 12,
        "RUN": 64,
        "CELLS_AT_ONCE": 1 << 10 if most == 1 else 1 << 16,
        "PLACES_AT_ONCE": 1 << 9,
    }
    for module, (name, value) in itertools.product(
        (blocks, block_folder, nodes, planning, single, solving, stored, ways), sizes.items()
    ):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(
        planning,
        "ways_of",
        lambda free: [replace(way, coarse_free=most) for way in ways.ways_of(free)],
    )


def answers(folder: Path, monkeypatch: pytest.MonkeyPatch, *given: Way) -> list[Solution]:
    """What is found of some positions, in some ways, or in all that there are."""
    with PositionSolver(folder) as solver, monkeypatch.context() as patch:
        if given:
            patch.setattr(planning, "ways_of", lambda free: given)
        return [solver.solve(*each) for each in FENS]


def closer(near: list[Solution], other: list[Solution], far: list[Solution]) -> int:
    """How many brackets are closer than others; they lie within those, and contradict none of a
    third kind.
    """
    for wide, value, close in zip(far, other, near, strict=True):
        assert outside(close, wide) == []
        assert max(each.bracket.lower for each in (close, value)) <= min(
            each.bracket.upper for each in (close, value)
        )
    return sum(wide.bracket != close.bracket for wide, close in zip(far, near, strict=True))


def test_cuts_of_promotions_make_bounds_closer_and_never_wrong(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(*PIECES, "KPvK")
    solved, far = answers(folder, monkeypatch, SOLVED), answers(folder, monkeypatch, BOUNDED)
    allow_few_men(monkeypatch)
    assert closer(answers(folder, monkeypatch), solved, far) > 0


@pytest.mark.slow
def test_prepared_blocks_make_bounds_closer_and_never_wrong(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, material = folder_of(*PIECES, "KPvK"), Material.parse("KPvKP")
    solved, far = answers(folder, monkeypatch, SOLVED), answers(folder, monkeypatch, BOUNDED)
    allow_few_men(monkeypatch)
    monkeypatch.setattr(
        planning, "ways_of", lambda free: [Way(3, 2, 1, mates_free=3, coarse_free=2)]
    )
    with PositionSolver(folder) as solver:
        assert solver.prepare(material).nodes == 2 * 2 * 24, (
            "a queen of either side beside a pawn, with either bound"
        )
        solver.prepare(material, watch=(told := list[float]()).append)
        assert (len(told), told[-1], solver.prepare(material).nodes) == (97, 1, 0)
    assert closer(answers(folder, monkeypatch), solved, far) > 0


@pytest.mark.slow
def test_no_bracket_by_cuts_excludes_the_value_of_a_table(
    folder_of: Folder, four_men_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_few_men(monkeypatch)
    with PositionSolver(folder_of(*PIECES)) as solver, open_tablebase(four_men_folder) as tables:
        assert (
            contradictions(
                solver, tables, pairs(random.Random(SEED), ["KPkp", "KRkp", "KPPk", "KRPk"], 130)
            )
            == []
        )


def test_who_mates_after_the_last_pawn_promotes_makes_bounds_closer_and_never_wrong(
    folder_of: Folder, tables: Tablebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_few_men(monkeypatch, 1)
    asked, found = [*pairs(random.Random(SEED), ["KPk", "Kkp"], 60)], list[list[Solution]]()
    for part in (slice(3, 4), slice(1), slice(2), slice(3)):
        monkeypatch.setattr(planning, "ways_of", lambda free, part=part: ways.ways_of(free)[part])
        with PositionSolver(folder_of("KvK")) as solver:
            assert contradictions(solver, tables, asked) == []
            found.append([solver.solve(*each) for each in asked])
    assert [closer(near, near, far) > 0 for far, near in itertools.pairwise(found)] == [
        True,
        True,
        False,
    ], "who mates, and what a queen is worth; a knight beside bare kings adds nothing"


class OneTableAPiece(OpenTables):
    """As if there were the tables of all materials without pawns, and of up to three men."""

    def digest(self, material: Material) -> str:
        return "" if material.pawns and material.men > 3 else str(material)


@pytest.mark.parametrize(
    ("way", "question", "expected"),
    [
        (Way(4, 4, 4), ALL_OUTCOMES, [(True, ())] * 3),
        (
            Way(4, 4, 4, mates_free=3),
            ALL_OUTCOMES,
            [(False, ()), (True, ENDS[:1]), (True, ENDS[1:])],
        ),
        (Way(4, 4, 4, coarse_free=2), CutQuestion(Bound.LOWER, ENDS), [(True, ENDS)] * 3),
    ],
)
def test_one_bit_of_a_cut_serves_both_bounds_of_what_is_solved_at_the_same_cuts(
    way: Way, question: CutQuestion, expected: list[tuple[bool, Cuts]]
) -> None:
    nodes = [
        node_on(chess.Board(f"{fen} w - - 0 1"))
        for fen in ("k7/2P5/8/8/8/4p3/8/K7", "k7/8/8/8/8/4p3/8/KQ6", "k7/2P5/8/8/8/8/8/K3q3")
    ]
    whole = Closure(OneTableAPiece((), 1, outcomes_only=True), way, question)
    whole.add(nodes[0])
    assert [(whole.blocks[node].is_exact, whole.blocks[node].cuts) for node in nodes] == expected


@pytest.mark.parametrize("most", [1, 4])
def test_positions_without_pawns_are_solved_at_cuts_or_whole(
    folder_of: Folder, table_folder: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """All that captures lead to is known, so the same bits make both bounds, and the value is
    found.
    """
    allow_few_men(monkeypatch, most)
    asked = [*pairs(random.Random(SEED), ["KRk", "KQk", "KBk", "KNk"], 30)]
    with PositionSolver(folder_of("KvK")) as solver, open_tablebase(table_folder) as tables:
        assert contradictions(solver, tables, asked) == []
        exact = {solver.solve(*each).bracket.exact for each in asked}
    assert len(exact - {None}) == len(exact) > 5


@pytest.mark.parametrize("name", ["KPvK", "KRvKP", "KPPvKPP"])
def test_only_promotions_to_six_men_with_one_pawn_or_none_are_prepared(
    folder_of: Folder, name: str
) -> None:
    with (
        PositionSolver(folder_of(*PIECES)) as solver,
        pytest.raises(ClosureTooLargeError, match="6 men with one pawn"),
    ):
        solver.prepare(Material.parse(name))


def test_blocks_that_contradict_each_other_are_told(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "ways_of", lambda free: [BOUNDED])
    with PositionSolver(folder := folder_of("KvK")) as solver:
        solver.solve(LATER)
    byte_of = {"LOWER": 1, "UPPER": -1}
    for file in map(ArrayFile, files_in(folder)):
        wrong = {part: file.items(part) for part in file.facts["columns"]}
        for number, name in enumerate(file.facts.get(NAMES, [file.path.stem])):
            for part, values in wrong.items():
                starts = file.facts.get(part, [0, len(values)])
                values[starts[number] : starts[number + 1]] = byte_of[name.rpartition("-")[2]]
        facts = {name: file.facts[name] for name in (NAMES, *wrong) if name in file.facts}
        write_arrays(file.path, facts, wrong, FRAME)
    with (
        PositionSolver(folder) as solver,
        pytest.raises(UnprovedError, match="remove the folder 'solved'"),
    ):
        solver.solve(LATER, Score("-G3.5"))
