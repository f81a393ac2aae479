"""Tables that are checked in parts, as if memory had no room for them."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from random import Random
from typing import NoReturn

import numpy as np
import pytest

from tbgen.index.layout import Layout, layout_of
from tbgen.material import TableMaterial, table_named
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.verify import parts, verify_table
from tbgen.verify.kept import cells_at
from tbgen.verify.parts import CheckedPart, parts_of
from tbgen.verify.resets import ENTRY_TASK, PAIRS_TASK, RESETS_TASK
from tests.positions import squares_of
from tests.retro.tables import report_of, solved

from .model import board_of, is_position


def blocks_with(part: CheckedPart, task: int) -> list[int]:
    """The blocks of which a part asks so much and no less."""
    return part.kept.blocks[part.task >= task].tolist()


@pytest.mark.parametrize(
    ("name", "most_blocks"),
    [("KvK", 0), ("KvK", 100), ("KRvK", 1), ("KPvK", 5)],
)
def test_a_table_that_is_right_passes_in_parts_as_a_whole(name: str, most_blocks: int) -> None:
    table = solved(name)
    layout = layout_of(table.material)
    cells = layout.cells // len(layout.blocks)
    whole = dataclasses.replace(report_of(table), seconds=0)
    parted = dataclasses.replace(report_of(table, most_cells=most_blocks * cells or 1), seconds=0)
    assert parted == whole
    assert parted.violation is None


def check_in_parts(folder: Path, name: str, most_cells: int, *, outcomes_only: bool) -> list[str]:
    """What the check of a file says on its way, if it finds nothing wrong."""
    phases = list[str]()

    def child_of(material: TableMaterial) -> TableFile:
        return TableFile(path_of(folder, material), outcomes_only=outcomes_only)

    with TableFile(path_of(folder, table_named(name)), outcomes_only=outcomes_only) as file:
        whole = verify_table(file, child_of, most_cells=file.order.layout.cells)
        report = verify_table(
            file,
            child_of,
            most_cells=most_cells,
            progress=lambda phase, *_: phases.append(phase),
        )
    assert report.violation is None
    assert (report.positions, report.pairs) == (whole.positions, whole.pairs)
    return phases


@pytest.mark.parametrize("outcomes_only", [False, True])
def test_a_file_is_checked_in_parts(table_folder: Path, outcomes_only: bool) -> None:
    cells = layout_of(table_named("KPvK")).cells
    phases = check_in_parts(table_folder, "KPvK", cells // 4, outcomes_only=outcomes_only)
    numbers = {phase.split(",")[0] for phase in phases if phase.startswith("part ")}
    assert len(numbers) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPvKP", "KPPvK", "KQvKP"])
def test_a_file_of_four_men_is_checked_in_parts(four_men_folder: Path, name: str) -> None:
    """With captures en passant, for which a part reads the resets of other blocks."""
    cells = layout_of(table_named(name)).cells
    assert check_in_parts(four_men_folder, name, cells // 20, outcomes_only=False)


@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_a_wrong_value_in_any_block_is_found(step: int) -> None:
    table = solved("KPvK")
    layout = layout_of(table.material)
    cells = layout.cells // len(layout.blocks)
    random = Random(5)
    for block in range(0, len(layout.blocks), step):
        there = np.flatnonzero(table.entry[block * cells : (block + 1) * cells])
        wrong = block * cells + int(random.choice(there.tolist()))
        entry = table.entry.copy()
        entry[wrong] = -entry[wrong]
        report = report_of(dataclasses.replace(table, entry=entry), most_cells=2 * cells)
        assert report.violation is not None, block


@pytest.mark.parametrize("name", ["KPvK", "KPPvKP.pairs", "KPvKP", "KPPvK"])
@pytest.mark.parametrize("share", [7, 300])
def test_a_part_has_all_that_its_moves_lead_to(name: str, share: int) -> None:
    """Moves are those of python-chess, from one random position of each block that is checked."""
    layout = layout_of(table_named(name))
    random = Random(3)
    parts_of_table = parts_of(layout, layout.cells // share)
    checked = [blocks_with(part, PAIRS_TASK) for part in parts_of_table]
    assert [*itertools.chain(*checked)] == [*range(len(layout.blocks))]
    for part in parts_of_table:
        kept = set(part.kept.blocks.tolist())
        has_resets = set(blocks_with(part, RESETS_TASK))
        for block in random.sample(sorted(has_resets), min(30, len(has_resets))):
            for after, has_takers in blocks_after(layout, block, random):
                assert after in kept
                assert after in has_resets or not has_takers


def blocks_after(layout: Layout, block: int, random: Random) -> list[tuple[int, bool]]:
    """The blocks after the pawn moves of a position, and whether en passant can answer."""
    cells = layout.cells // len(layout.blocks)
    drawn = (block * cells + random.randrange(cells) for _ in range(1000))
    cell = next((cell for cell in drawn if is_position(layout, cell)), None)
    if cell is None:
        return []
    board = board_of(layout, cell)
    found = list[tuple[int, bool]]()
    for move in [*board.legal_moves]:
        is_step = board.is_zeroing(move) and not board.is_capture(move) and not move.promotion
        if is_step:
            board.push(move)
            squares = squares_of(board, layout.slots)
            after = layout.cell_of(int(not board.turn), squares) // cells
            found.append((after, board.has_legal_en_passant()))
            board.pop()
    return found


class _Uncopied(set[int]):
    """A set that grows, and must not be copied for each block."""

    def __or__(self, other: object) -> NoReturn:
        raise AssertionError("all blocks so far are copied")


def test_finding_parts_copies_nothing_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = layout_of(table_named("KPPvK"))
    expected = [part.kept.blocks.tolist() for part in parts_of(layout, layout.cells // 7)]
    begin = parts._GrowingPart.__init__

    def begin_uncopied(blocks: parts._GrowingPart) -> None:
        begin(blocks)
        blocks.read = _Uncopied()

    monkeypatch.setattr(parts._GrowingPart, "__init__", begin_uncopied)
    found = parts_of(layout, layout.cells // 7)
    assert [part.kept.blocks.tolist() for part in found] == expected


def test_indices_are_those_of_the_cells_in_order() -> None:
    layout = layout_of(table_named("KPvK"))
    cells = layout.cells // len(layout.blocks)
    for part in parts_of(layout, 4 * cells):
        kept = part.kept
        numbers = kept.blocks[:, None] * cells + np.arange(cells)
        assert (cells_at(kept, np.arange(kept.total)) == numbers.ravel()).all()
        assert len(part.task_of_cells()) == kept.total + 1
        assert part.task_of_cells()[-1] == ENTRY_TASK
