"""The solver for browsers, in node: made of these sources, and right."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from tbgen.apps.pages.export import files
from tbgen.index.layout import layout_of
from tbgen.material import Material, TableMaterial, build_order, materials, table_named
from tbgen.retro import MemoryStore, Solved
from tbgen.retro.drive.results import nothing_found
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.storage.writer import write_table
from tbgen.table import Cells, Dictionary, Run
from tbgen.verify.digesting import digests_of, read_digests
from tests.apps.site import node
from tests.apps.site.test_plain_files import TOLD, random_pairs, told_by_server
from tests.project import ROOT
from tests.retro.tables import solved, table_of

SCRIPT = ROOT / "scripts" / "wasm.py"
KERNELS = "kernels.wasm"
PLANS = "plans.bin"

SOLVE = """
import { appendFileSync, writeFileSync } from 'node:fs';
import { loadSolver } from './solving.js';

async ({ folder, explorer, names }) => {
  const solver = await loadSolver(async (name) => readFileSync(`${explorer}/${name}`));
  const values = new Map();
  const order = [];
  for (const name of names) solver.orderOf(name, [], order);
  for (const name of order) {
    const { runs, found, ...cells } = await solver.solve(name, (child) => values.get(child));
    values.set(name, { entry: cells.entry, dtg: cells.dtg });
    const beyond = new Uint8Array(solver.exports.memory.buffer, solver.used);
    if (beyond.some((byte) => byte)) throw Error(`${name} has left traces that are not cleared`);
    const rows = runs.flatMap((run) => [run.start, run.rows]);
    const arrays = [cells.entry, cells.dtg, cells.pattern, found, ...rows];
    writeFileSync(`${folder}/${name}`, '');
    for (const { buffer } of arrays) appendFileSync(`${folder}/${name}`, new Uint8Array(buffer));
    const sizes = runs.map((run) => [run.first, run.end, run.start.length, run.rows.length]);
    writeFileSync(`${folder}/${name}.json`, JSON.stringify(sizes));
  }
  return order;
}"""

READ = """
import { loadSolver } from './solving.js';
import { Packed, pack } from './packed.js';
import { SolvedShelf } from './solved.js';

async ({ explorer, names, asked }) => {
  const solver = await loadSolver(async (name) => readFileSync(`${explorer}/${name}`));
  const blobs = new Map();
  const order = [];
  for (const name of names) solver.orderOf(name, [], order);
  for (const name of order) {
    const valuesOf = async (child) => (await Packed.open(blobs.get(child))).values();
    const { slots, blocks } = solver.plans[name];
    blobs.set(name, await pack(await solver.solve(name, valuesOf), { slots, blocks }));
  }
  const tables = new Tables('', [], async (name) => SolvedShelf.of(blobs.get(name)));
  const ask = ([fen, accrued]) => tables.probe(fen, accrued).catch((error) => error.message);
  return Promise.all(asked.map(ask));
}"""

SMALL = ("KvK", "KNvK", "KPvK")
"""Without a block's children, with captures, with pawns, promotions and many blocks."""

FOUR_MEN = [str(each) for men in (2, 3, 4) for each in materials(men)]


def solve(names: list[str], folder: Path) -> list[str]:
    """Solve tables in node; their files are in the folder, and those of their children."""
    asked = {"folder": str(folder), "explorer": str(node.EXPLORER), "names": names}
    order: list[str] = node.run(SOLVE, asked)
    return order


class Columns:
    """Arrays that follow each other in a file."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self._at = 0

    def take(self, kind: str, items: int) -> np.ndarray:
        column = np.frombuffer(self._data, kind, items, self._at).copy()
        self._at += column.nbytes
        return column


def table_in(folder: Path, material: TableMaterial) -> Solved:
    """The table that node solved, as the solver itself hands one on."""
    path = folder / str(material)
    cells = layout_of(material).cells
    columns = Columns(path)
    entry, dtg, pattern = (columns.take(kind, cells) for kind in ("i1", "u2", "u4"))
    found = columns.take("i8", nothing_found().size).reshape(nothing_found().shape)
    nobody = (np.zeros(0, np.int8), np.zeros(0, np.uint16))
    store = MemoryStore()
    for first, end, starts, rows in json.loads(path.with_name(f"{path.name}.json").read_text()):
        start = columns.take("u4", starts).astype(np.int64)
        here = Cells(entry[first:end], dtg[first:end], pattern[first:end])
        often = np.bincount(here.pattern, minlength=starts - 1)
        counted = found if first == 0 else nothing_found()  # all are counted together
        run = Run(first, end, rows, counted, nobody)
        store.put(run, Dictionary(start, columns.take("i8", rows), often), here)
    return Solved(material, store)


def test_kernels_and_plans_are_made_of_these_sources() -> None:
    """If they are not, scripts/wasm.py makes them."""
    command = [sys.executable, str(SCRIPT), "--sources"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(gzip.decompress(files()[PLANS]))["sources"] == done.stdout.strip()


@node.NEEDED
def test_small_tables_equal_those_of_the_solver(tmp_path: Path) -> None:
    assert set(SMALL) <= set(solve(list(SMALL), tmp_path))
    for name in SMALL:
        here = solved(name)
        there = table_of(table_in(tmp_path, table_named(name)))
        assert there.tallies == here.tallies
        for column in ("entry", "dtg", "pattern"):
            assert np.array_equal(getattr(there, column), getattr(here, column)), (name, column)
        for column in ("start", "holder", "code", "outcome", "dtg"):
            ours = getattr(there.patterns, column)
            assert np.array_equal(ours, getattr(here.patterns, column)), (name, column)


@node.NEEDED
@pytest.mark.parametrize("name", ["KBvK", "KPvK"])
def test_solved_tables_answer_as_python_does(name: str, client: TestClient) -> None:
    asked = list(random_pairs(Material.parse(name), 30))
    question = {"explorer": str(node.EXPLORER), "names": [name], "asked": asked}
    for (fen, accrued), told in zip(asked, node.run(READ, question), strict=True):
        expected = told_by_server(client, fen, accrued)
        if "error" in expected:
            assert told.startswith("Impossible")
        else:
            assert {part: told[part] for part in TOLD} == expected


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("wasm-ld") is None, reason="needs wasm-ld (Debian's lld)")
def test_the_same_sources_make_the_same_bytes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, SCRIPT, tmp_path], check=True)
    for name in (KERNELS, PLANS):
        assert (tmp_path / name).read_bytes() == files()[name], name


@pytest.fixture(scope="module")
def folder_of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """All tables of up to four men as node solved them; they take 1.7 GB."""
    folder = tmp_path_factory.mktemp("solved")
    solve(FOUR_MEN, folder)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.slow
@node.NEEDED
@pytest.mark.parametrize("material", build_order(map(table_named, FOUR_MEN)), ids=str)
def test_all_tables_of_four_men_have_the_known_digests(
    material: TableMaterial, folder_of_all: Path, tmp_path: Path
) -> None:
    write_table(tmp_path, table_in(folder_of_all, material), generator="node", source="node")
    with TableFile(path_of(tmp_path, material)) as file:
        assert digests_of(file) == read_digests()[material]
