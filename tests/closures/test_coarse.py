"""Blocks that are solved at a few cuts, and the mates after promotions beside a pawn.

Here a block may have two men beside its pawns, or three beside a single one, so that closures are
small.
"""

import contextlib
import itertools
import random
from dataclasses import replace
from pathlib import Path

import chess
import pytest

from tbgen.closures import placements, plan, policy, reading, solver, store
from tbgen.closures.answers import Solution
from tbgen.closures.bounds import ALL_OUTCOMES, ENDS, Bound, CutQuestion, Cuts
from tbgen.closures.closure import Closure
from tbgen.closures.placements import RootNode, node_on
from tbgen.closures.policy import Way
from tbgen.closures.reading import ENTRY, PATTERN, PATTERNS, RIGHTS
from tbgen.closures.solver import PositionSolver
from tbgen.closures.store import BlockStore
from tbgen.errors import UnprovedError
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase, stored
from tbgen.probe.opened import OpenTables
from tbgen.retro.drive import single
from tbgen.score import Score
from tbgen.storage.arrays import Array
from tests.closures.test_solving import (
    LATER,
    PIECES,
    SEED,
    Folder,
    contradictions,
    folder_of,
    forget_answers,
    names_in,
    outside,
    pairs,
)
from tests.closures.test_store import items_of

pytestmark = pytest.mark.usefixtures("unbundled")
"""Positions of three men are solved here, which have no table."""

__all__ = ["folder_of"]

FENS = (
    ("8/1P6/8/4k3/8/8/4p3/2K5 w - - 0 1", "-G9.5"),
    ("8/6P1/8/1k6/8/8/p7/4K3 w - - 0 1", "-G7.5"),
    ("7k/P7/8/8/8/1K6/7p/8 b - - 0 1", "G5.0"),
)
SOLVED = Way(4, 4, 2)
BOUNDED = Way(0, 0, 2)


def allow_few_men(monkeypatch: pytest.MonkeyPatch, most: int = 2) -> None:
    """Allow so many men in a block, and one more beside a pawn. Keep most arrays in files."""
    sizes = {
        "MOST_FREE": most,
        "MOST_COARSE_FREE": most + 1,
        "MOST_WHOLE_FREE": most - 1,
        "MOST_TABLE_MEN": most + 1,
        "MOST_IN_MEMORY": 1 << 12,
        "RUN": 64,
        "CELLS_AT_ONCE": 1 << 10 if most == 1 else 1 << 16,
        "PLACES_AT_ONCE": 1 << 9,
    }
    modules = (reading, store, placements, plan, single, solver, stored, policy)
    for module, (name, size) in itertools.product(modules, sizes.items()):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, size)

    def ways_with_coarse_blocks(free: int) -> list[Way]:
        return [replace(way, coarse_free=most) for way in policy.ways_of(free)]

    monkeypatch.setattr(plan, "ways_of", ways_with_coarse_blocks)


def answers(folder: Path, monkeypatch: pytest.MonkeyPatch, *given: Way) -> list[Solution]:
    """The solutions of some positions, in the given ways, or in all that there are."""
    with PositionSolver(folder) as solver, monkeypatch.context() as patch:
        if given:
            patch.setattr(plan, "ways_of", lambda free: given)
        found = [solver.solve(fen, accrued) for fen, accrued in FENS]
    forget_answers(folder)
    return found


def closer(near: list[Solution], other: list[Solution], far: list[Solution]) -> int:
    """How many brackets of `near` are closer than those of `far`.

    They lie within those of `far`, and contradict none of `other`.
    """
    count = 0
    for wide, value, close in zip(far, other, near, strict=True):
        assert outside(close, wide) == []
        assert close.bracket.lower <= value.bracket.upper
        assert value.bracket.lower <= close.bracket.upper
        count += wide.bracket != close.bracket
    return count


def test_cuts_of_promotions_make_bounds_closer_and_never_wrong(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(*PIECES, "KPvK")
    solved = answers(folder, monkeypatch, SOLVED)
    far = answers(folder, monkeypatch, BOUNDED)
    allow_few_men(monkeypatch)
    assert closer(answers(folder, monkeypatch), solved, far) > 0


@pytest.mark.slow
def test_no_bracket_by_cuts_excludes_the_value_of_a_table(
    folder_of: Folder, four_men_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_few_men(monkeypatch)
    asked = pairs(random.Random(SEED), ["KPkp", "KRkp", "KPPk", "KRPk"], 130)
    with PositionSolver(folder_of(*PIECES)) as solver, open_tablebase(four_men_folder) as tables:
        assert contradictions(solver, tables, asked) == []


def test_who_mates_after_the_last_pawn_promotes_makes_bounds_closer_and_never_wrong(
    folder_of: Folder, tables: Tablebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_few_men(monkeypatch, 1)
    asked = list(pairs(random.Random(SEED), ["KPk", "Kkp"], 10))

    def solutions_by(part: slice) -> list[Solution]:
        monkeypatch.setattr(plan, "ways_of", lambda free: policy.ways_of(free)[part])
        with PositionSolver(folder_of("KvK")) as solver:
            assert contradictions(solver, tables, asked) == []
            found = [solver.solve(board, accrued) for board, accrued in asked]
        forget_answers(folder_of())
        return found

    bounded = solutions_by(slice(3, 4))  # no promotion is solved
    with_mates = solutions_by(slice(1))
    with_queens = solutions_by(slice(2))
    with_knights = solutions_by(slice(3))
    assert closer(with_mates, with_mates, bounded) > 0
    assert closer(with_queens, with_queens, with_mates) > 0
    assert closer(with_knights, with_knights, with_queens) == 0, "beside bare kings"


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
    placements = ("k7/2P5/8/8/8/4p3/8/K7", "k7/8/8/8/8/4p3/8/KQ6", "k7/2P5/8/8/8/8/8/K3q3")
    nodes = [node_on(chess.Board(f"{placement} w - - 0 1")) for placement in placements]
    whole = Closure(OneTableAPiece((), 1, outcomes_only=True), way, question)
    whole.add(RootNode(nodes[0]))
    blocks = [whole.blocks[node] for node in nodes]
    assert [(block.is_exact, block.cuts) for block in blocks] == expected


@pytest.mark.parametrize("most", [1, 4])
def test_positions_without_pawns_are_solved_at_cuts_or_whole(
    folder_of: Folder, table_folder: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Captures lead to known values, so the same bits make both bounds, and the value is found."""
    allow_few_men(monkeypatch, most)
    asked = list(pairs(random.Random(SEED), ["KRk", "KQk", "KBk", "KNk"], 16))
    with PositionSolver(folder_of("KvK")) as solver, open_tablebase(table_folder) as tables:
        assert contradictions(solver, tables, asked) == []
        values = {solver.solve(board, accrued).bracket.exact for board, accrued in asked}
    assert None not in values
    assert len(values) > 5


def test_blocks_that_contradict_each_other_are_told(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "ways_of", lambda free: [BOUNDED])
    folder = folder_of("KvK")
    with PositionSolver(folder) as solver:
        solver.solve(LATER)
    forget_answers(folder)
    mate_of_bound = {"LOWER": 1, "UPPER": -1}
    with contextlib.closing(BlockStore(folder / "solved")) as store:
        for name in names_in(folder):
            _, _, bound = name.rpartition("-")
            parts = dict[str, Array]()
            for part in (ENTRY, RIGHTS, PATTERN, *PATTERNS):
                with contextlib.suppress(KeyError):  # the root alone has patterns
                    parts[part] = items_of(store, name, part)
            for part in (ENTRY, RIGHTS):
                parts[part][:] = mate_of_bound[bound]
            store.put({name: parts})
    with (
        PositionSolver(folder) as solver,
        pytest.raises(UnprovedError, match="remove the folder 'solved'"),
    ):
        solver.solve(LATER, Score("-G3.5"))
