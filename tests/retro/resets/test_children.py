"""What the blocks of a wave ask for, against one look at the child for each position."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tbgen.errors import BuildError
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro import solve
from tbgen.retro.drive.runs import MemoryStore
from tbgen.retro.drive.task import Task, quiet
from tbgen.retro.resets import destinations
from tbgen.retro.resets.children import clear_table
from tbgen.retro.resets.destinations import NOT_HERE, ChildTables, empty_child_tables
from tbgen.score import Color
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.storage.writer import write_table
from tbgen.table import Child, EntryValues, Patterns, Table

SEED = 8


def made_up(material: Material) -> EntryValues:
    """A table in which every cell differs from most others, blanks among them."""
    draw, cells = np.random.default_rng(SEED), layout_of(material).cells
    entry = draw.integers(-127, 128, cells).astype(np.int8)
    return EntryValues(material, entry, draw.integers(0, 2000, cells).astype(np.uint16))


class Lazily(dict[Material, Child]):
    """Children that are made up when they are asked for."""

    def __missing__(self, material: Material) -> Child:
        self[material] = made_up(material)
        return self[material]


def after(layout: Layout, side: int, squares: list[int], slot: int, role: int) -> tuple[Material, bool, int]:
    """The material after a promotion, whether colours change sides, and the position's cell."""
    men = [
        (int(color), role if n == slot else int(kind), square)
        for n, ((color, kind), square) in enumerate(zip(layout.slots, squares, strict=True))
    ]
    white, black = ([kind for color, kind, _ in men if color == wanted] for wanted in (0, 1))
    material = Material.parse("v".join("".join(" PNBRQK"[kind] for kind in side) for side in (white, black)))
    flip = not material.is_canonical
    there = layout_of(material.canonical())
    left, found = list(men), []
    for color, kind in there.slots:
        man = next(man for man in left if man[:2] == (int(color) ^ flip, int(kind)))
        left.remove(man)
        found.append(man[2] ^ (56 if flip else 0))
    return material.canonical(), flip, there.cell_of(1 - int(side) if not flip else int(side), found)


def task_of(name: str, children: dict[Material, Child], pool: ThreadPoolExecutor) -> Task:
    return Task(layout_of(Material.parse(name)), children, MemoryStore(), 2, pool, quiet)


def with_promotions(task: Task) -> tuple[ChildTables, list[int]]:
    """What the promotions of some blocks lead to, and these blocks."""
    child_reader, layout = task.child_reader(), task.layout
    about_to = [
        number
        for number, pawns in enumerate(layout.blocks)
        if any(s >> 3 == (6 if c is Color.WHITE else 1) for (c, _), s in zip(layout.slots, pawns, strict=False))
    ]
    step = max(1, len(about_to) // 12)
    held = empty_child_tables(task.child_layouts)
    return held._replace(promotions=child_reader._promotions(held.promotions.start, about_to[::step])), about_to[::step]


def assert_promotions_agree(task: Task, held: ChildTables, blocks: list[int]) -> int:
    """Some positions of these blocks, and what each of their promotions leads to."""
    layout, draw, compared = task.layout, np.random.default_rng(SEED), 0
    half, start = layout.block_words * 64, held.promotions.start
    for number, slot, role in [(n, *pair) for n in blocks for pair in np.argwhere(start[n] != NOT_HERE).tolist()]:
        color = layout.slots[slot][0]
        for within in draw.integers(0, half, 40).tolist():
            squares = list(layout.squares_of((number * 2 + int(color)) * half + within)[1])
            squares[slot] += 8 if color is Color.WHITE else -8
            rest = squares[layout.pawns + 1 : -1]
            twins = any(squares[a:b] != sorted(squares[a:b]) for a, b in layout.twins)
            if len(set(squares)) < len(squares) or twins:
                continue
            material, flip, cell = after(layout, color, squares, slot, role)
            child, place = task.children[material].values(), int(start[number, slot, role]) + within
            sign = -1 if flip else 1
            assert held.promotions.entry[place] == sign * child.entry[cell], (number, squares, rest)
            assert held.promotions.dtg[place] == child.dtg[cell]
            compared += 1
    return compared


@pytest.mark.parametrize("name", ["KPvK", "KPPvK", "KPvKP", "KQPvK", "KRvKP", "KQvKP"])
def test_promotions_are_gathered_as_single_positions_are_found(name: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        task = task_of(name, Lazily(), pool)
        held, blocks = with_promotions(task)
    assert assert_promotions_agree(task, held, blocks) > 200


def striped(material: Material) -> Table:
    """A made-up table that takes little to pack, and in which every axis makes a difference."""
    layout = layout_of(material)
    cells, values = np.arange(layout.cells), np.zeros(layout.cells, np.int64)
    for size in layout.shape[:1:-1]:
        cells, digits = np.divmod(cells, size)
        values = values * 3 + digits
    kinds = (2, np.uint32), (0, np.uint8), (0, np.uint8), (0, np.int8), (0, np.uint16)
    nothing = Patterns(*[np.zeros(rows, kind) for rows, kind in kinds])
    entry = (values % 100 + 1).astype(np.int8)
    return Table(
        material, entry, values.astype(np.uint16), np.zeros(layout.cells, np.uint32), nothing, {c: {} for c in Color}
    )


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KPvK", "KQvKN", "KQvKP"])
def test_a_file_gives_the_planes_that_its_table_has(table_folder: Path, tmp_path: Path, name: str) -> None:
    material = Material.parse(name)
    layout = layout_of(material)
    if material.men > 3:
        table_folder = tmp_path
        write_table(tmp_path, striped(material), generator="test", source="test", threads=2)
    with TableFile(path_of(table_folder, material)) as file:
        whole = file.values()
        for block in {0, len(layout.blocks) // 2, len(layout.blocks) - 1}:
            for side in Color:
                plane = whole.boxes(block, side)[0].read()
                for box in file.boxes(block, side):
                    index = np.ix_(*[np.arange(f, f + s) for f, s in zip(box.first, box.size, strict=True)])
                    place = sum(
                        np.arange(s).reshape([-1 if n == axis else 1 for n in range(len(box.size))]) * stride
                        for axis, (s, stride) in enumerate(zip(box.size.tolist(), box.stride.tolist(), strict=True))
                    )
                    for column, there in zip(box.read(), plane, strict=True):
                        np.testing.assert_array_equal(there.reshape(layout.shape[2:])[index], column[place])


@pytest.mark.parametrize("name", ["KvK", "KNvK", "KPvK"])
def test_cells_without_a_position_are_cleared_when_a_file_is_read(table_folder: Path, name: str) -> None:
    material = Material.parse(name)
    with TableFile(path_of(table_folder, material)) as file:
        filled = file.values().entry
    with ThreadPoolExecutor(2) as pool:
        cleared = filled.copy()
        clear_table(layout_of(material), cleared, pool)
    solved = solve(material, {child: read(table_folder, child) for child in material.children()})
    np.testing.assert_array_equal(cleared, solved.entry)
    assert (filled != cleared).any()


def read(folder: Path, material: Material) -> EntryValues:
    with TableFile(path_of(folder, material)) as file:
        return file.values()


def test_a_reset_that_leads_to_no_position_of_a_file_is_refused(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reset is broken so that it puts both kings on one square, where a file has the value of a neighbour."""
    material = Material.parse("KNvK")

    def to_no_cell(pack: object) -> object:
        def packed(*given: object) -> destinations.Destinations:
            found: destinations.Destinations = pack(*given)  # type: ignore[operator]
            found.slots[..., 1] = found.slots[..., 0]
            return found

        return packed

    monkeypatch.setattr("tbgen.retro.resets.destinations.pack_destinations", to_no_cell(destinations.pack_destinations))
    path = path_of(table_folder, Material.parse("KvK"))
    with TableFile(path) as file, pytest.raises(BuildError, match="a child table has no value"):
        solve(material, {file.material: file})
