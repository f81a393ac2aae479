#!/usr/bin/env python3
"""Write the solver for browsers: its kernels as WebAssembly, and a plan for each table.

    wasm.py [FOLDER]
    wasm.py --sources       print the digest of the sources that both files are made from

FOLDER is where the explorer finds both files (default: its own folder). Needs `wasm-ld` (Debian's
package lld) and the versions of numba and llvmlite in constraints.txt: other versions make other
bytes.

`kernels.wasm` has the kernels that solve a block, compiled from the instructions that numba makes
of the same Python functions. `plans.bin` has all that Python works out before the kernels run:
the layout of memory with what lies there at the beginning, the order of the work, and where the
values of other tables belong. docs/design/browser.md explains both.
"""

from __future__ import annotations

import argparse
import ast
import base64
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# Before numba is imported: nothing may depend on this machine, and no kernel may come from a cache.
os.environ["NUMBA_CPU_NAME"] = "generic"
os.environ["NUMBA_CPU_FEATURES"] = ""

import llvmlite.binding as llvm  # noqa: E402
import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402
from numba import typeof  # noqa: E402
from numba.core.dispatcher import Dispatcher  # noqa: E402

patch.object(Dispatcher, "enable_caching").start()

from tbgen.compiled import linking  # noqa: E402
from tbgen.compiled.folders import COMPILER, PACKAGE, SHARED, SOLVER  # noqa: E402
from tbgen.compiled.groups import GroupType  # noqa: E402
from tbgen.index.layout import layout_of  # noqa: E402
from tbgen.index.resets import NO_SLOT  # noqa: E402
from tbgen.index.words import EVERYTHING  # noqa: E402
from tbgen.material import TableMaterial, build_order, materials, table_named  # noqa: E402
from tbgen.retro.cells.worker import AnyWorker, Room  # noqa: E402
from tbgen.retro.drive.many_blocks import (  # noqa: E402
    close_block,
    most_run_blocks,
    open_block,
)
from tbgen.retro.drive.methods import DISTANCES, new_worker, solve_distances  # noqa: E402
from tbgen.retro.drive.results import nothing_found  # noqa: E402
from tbgen.retro.outcomes.en_passant import Inquiry  # noqa: E402
from tbgen.retro.patterns import dictionaries  # noqa: E402
from tbgen.retro.patterns.histories import NODES, forget_nodes  # noqa: E402
from tbgen.retro.resets.destinations import (  # noqa: E402
    ChildTables,
    child_layouts_of,
    empty_child_tables,
    new_at_hand,
)
from tbgen.retro.resets.promotions import (  # noqa: E402
    BoxValues,
    PromotionReader,
    copy_promotions,
)
from tbgen.retro.words.block import BlockValues  # noqa: E402
from tbgen.retro.words.geometry import geometry_of  # noqa: E402
from tbgen.score import Mobility  # noqa: E402
from tbgen.table import Box, Cells  # noqa: E402

FOLDER = PACKAGE / "apps" / "pages" / "explorer"
KERNELS = "kernels.wasm"
PLANS = "plans.bin"

MOST_MEN = 4
BASE = 1 << 20
"""The first address of a plan's arrays: the stack and the constants of the kernels lie below."""
LINE = 64
"""Arrays begin at multiples of so many bytes."""
WITH_ALL_KERNELS = "KPvK"
"""A small table that needs all kernels: a pawn promotes."""

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint"
"""All browsers of the last five years have them."""
LEVEL = 2


class Kernel(NamedTuple):
    """A kernel with arguments of the types that it is compiled for."""

    function: Any
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        return str(self.function.py_func.__name__).lstrip("_")


def digest_of_sources() -> str:
    """A digest of the code that both files depend on, without its prose."""
    paths = [PACKAGE / name for name in sorted({*SHARED, *COMPILER})]
    for package in SOLVER:
        paths += sorted((PACKAGE / package).rglob("*.py"))
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
        digest.update(code_of(path.read_text()).encode() + b"\0")
    return digest.hexdigest()


def code_of(source: str) -> str:
    """A module without comments, docstrings and blank lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            for row in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                lines[row - 1] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())


# The arrays of a table.


class Arrays(NamedTuple):
    """All arrays of a table that is solved whole: nothing is read or freed on the way."""

    worker: AnyWorker
    children: ChildTables
    cells: Cells
    goal_of: npt.NDArray[np.uint8]
    """Empty: nothing is answered from journals."""
    found: npt.NDArray[np.int64]
    squares: npt.NDArray[np.int64]
    """[block, pawn]"""
    lengths: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]
    """How many rows the histories of White and of Black have."""
    start: npt.NDArray[np.int64]
    """[pair of histories] -> its first row."""
    digits: npt.NDArray[np.int64]
    images: npt.NDArray[np.int64]

    @property
    def inquiry(self) -> Inquiry:
        values = BlockValues(self.cells.entry, self.cells.dtg)
        return Inquiry(self.worker, values, self.children, self.goal_of)


class Solving:
    """A table that a browser is to solve: its arrays, and where values of children belong in them.

    As memory has room for all values of a table of four men, there are no waves: each block's
    values have their place from the beginning, and what promotions lead to is copied before all.
    """

    def __init__(self, material: TableMaterial) -> None:
        self.layout = layout_of(material)
        geometry = geometry_of(self.layout)
        child_layouts = child_layouts_of(self.layout)
        with patch.object(np, "empty", np.zeros):  # nothing that lay in this machine's memory
            worker = new_worker(DISTANCES, geometry, Mobility.RESET, Room(geometry.words))
        tables = empty_child_tables(child_layouts)
        blocks = range(len(self.layout.blocks))
        self.half = self.layout.block_words * 64
        self.captures = list[tuple[str, int]]()
        """Children with the first cell of each among the values at hand."""
        starts = tables.planes.start
        starts[: 2 * len(blocks)] = np.arange(2 * len(blocks)) * self.half
        end = self.layout.cells
        resets = [reset for reset in child_layouts.resets if reset.gone != NO_SLOT]
        for table in sorted({child_layouts.number_of(reset.material) for reset in resets}):
            child = child_layouts.layouts[table]
            first = int(tables.shapes.plane_start[table])
            planes = 2 * len(child.blocks)
            starts[first : first + planes] = end + np.arange(planes) * child.block_words * 64
            self.captures.append((str(child.material), end))
            end += child.cells
        planes_at_hand = new_at_hand(starts, end)
        reader = PromotionReader(child_layouts)
        promotion_starts = tables.promotions.start
        self.requests, cells = reader.requests(blocks, promotion_starts)
        self.routes = reader.routes
        self.child_of = {
            request.table: child_layouts.layouts[request.table] for request in self.requests
        }
        tables = tables._replace(
            planes=planes_at_hand, promotions=new_at_hand(promotion_starts, cells)
        )
        squares = np.array(self.layout.blocks, np.int64).reshape(len(blocks), self.layout.pawns)
        nodes = len(worker.pairs.before)
        own = slice(0, self.layout.cells)
        self.arrays = Arrays(
            worker=worker,
            children=tables,
            cells=Cells(
                planes_at_hand.entry[own],
                planes_at_hand.dtg[own],
                np.zeros(self.layout.cells, np.uint32),
            ),
            goal_of=np.zeros(0, np.uint8),
            found=nothing_found(),
            squares=squares,
            lengths=(np.zeros(nodes, np.uint8), np.zeros(nodes, np.uint8)),
            start=np.zeros(nodes + 1, np.int64),
            digits=np.zeros(8, np.int64),
            images=np.zeros(8, np.int64),
        )

    def boxes(self) -> dict[int, BoxValues]:
        """[child] -> one of its planes, as promotions are copied from it."""
        boxes = dict[int, BoxValues]()
        for table, child in self.child_of.items():
            cells = child.block_words * 64
            entry = np.zeros(cells, np.int8)
            dtg = np.zeros(cells, np.uint16)
            box = Box.whole(child, lambda: (entry, dtg))  # noqa: B023 - it is not read
            boxes[table] = BoxValues(entry, dtg, box.first, box.size, box.stride)
        return boxes

    def kernels(self) -> list[Kernel]:
        """The kernels that solve the table, if it has a promotion."""
        arrays = self.arrays
        worker = arrays.worker
        tables = arrays.children
        pairs = (worker.pairs, worker.white.interner, worker.black.interner)
        box = next(iter(self.boxes().values()))
        routes = next(iter(self.routes.values()))
        targets = np.zeros((0, 3), np.int64)
        digits = (arrays.digits, arrays.images)
        rows = np.zeros(0, np.int64)
        return [
            Kernel(forget_nodes, (worker.pairs,)),
            Kernel(open_block, (arrays.inquiry, 0, arrays.squares[0], EVERYTHING)),
            Kernel(solve_distances, (arrays.inquiry,)),
            Kernel(close_block, (arrays.inquiry, False, 0, arrays.cells, arrays.found)),
            Kernel(dictionaries._find_lengths, (worker.pairs.before, arrays.lengths[0])),
            Kernel(dictionaries._fill_rows, (*pairs, arrays.start, rows)),
            Kernel(copy_promotions, (box, routes, 0, targets, tables.promotions, *digits)),
        ]

    def runs(self) -> Iterator[tuple[int, int]]:
        """Blocks that share a dictionary."""
        most = most_run_blocks(self.layout)
        for first in range(0, len(self.layout.blocks), most):
            yield first, min(first + most, len(self.layout.blocks))


class Memory:
    """The memory of the kernels: arrays by address, and what lies there at the beginning."""

    def __init__(self) -> None:
        self.end = BASE
        self.contents = list[tuple[int, bytes]]()
        self._placed = dict[int, tuple[npt.NDArray[Any], int]]()

    def address(self, array: npt.NDArray[Any]) -> int:
        """Where an array lies: one that is part of another lies in that."""
        whole = array
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        key = whole.ctypes.data
        if not whole.size:
            return BASE
        if key not in self._placed:
            data = whole.tobytes().rstrip(b"\0") if whole.any() else b""
            self._placed[key] = (whole, self._place(data, whole.nbytes))
        return self._placed[key][1] + array.ctypes.data - key

    def group(self, group: Any) -> int:
        """Where the words of a group lie (compiled/groups.py)."""
        words = list(self._words(group, typeof(group)))
        data = b"".join(word.to_bytes(8, "little", signed=True) for word in words)
        return self._place(data, len(data))

    def _words(self, value: Any, kind: Any) -> Iterator[int]:
        if isinstance(kind, GroupType):
            for field, kind_of_field in zip(value, kind.fields.types, strict=True):
                yield from self._words(field, kind_of_field)
        elif isinstance(value, np.ndarray):
            if kind.layout != "C":
                raise TypeError(f"an array of a group is not contiguous: {kind}")
            yield self.address(value)
            yield from value.shape
        else:
            yield int(value)

    def _place(self, data: bytes, size: int) -> int:
        address = self.end
        if data:
            self.contents.append((address, data))
        self.end += -(-size // LINE) * LINE
        return address


class Pool:
    """Contents that many plans share, as one string of bytes."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self._places = dict[bytes, int]()

    def place(self, data: bytes) -> int:
        if data not in self._places:
            self._places[data] = len(self.bytes)
            self.bytes += data
        return self._places[data]


def plan_of(material: TableMaterial, pool: Pool) -> dict[str, Any]:
    """All that Python works out before the kernels solve a table."""
    solving = Solving(material)
    arrays = solving.arrays
    memory = Memory()
    worker = arrays.worker
    interners = [worker.pairs, worker.white.interner, worker.black.interner]
    boxes = solving.boxes()
    routes = {table: memory.group(solving.routes[table]) for table in boxes}
    promotions = list[list[Any]]()
    for request, targets in solving.requests.items():
        rows = np.array(targets, np.int64)
        child = solving.child_of[request.table]
        plane = 2 * request.block + int(request.side)
        where = [routes[request.table], memory.address(rows), len(rows)]
        promotions.append([str(child.material), plane, request.how, *where])
    copied = {
        str(solving.child_of[table].material): {
            "group": memory.group(box),
            "entry": memory.address(box.entry),
            "dtg": memory.address(box.dtg),
            "cells": len(box.entry),
            "axes": len(box.first),
        }
        for table, box in boxes.items()
    }
    layout = solving.layout
    plan = {
        "children": [str(child) for child in material.children()],
        "pawns": layout.pawns,
        "blocks": [list(block) for block in layout.blocks],
        "mirrors": [int(layout.is_own_mirror(block)) for block in layout.blocks],
        "runs": list(solving.runs()),
        "half": solving.half,
        "captures": solving.captures,
        "copied": copied,
        "promotions": promotions,
        "worker": memory.group(worker),
        "tables": memory.group(arrays.children),
        "atHand": memory.group(arrays.children.promotions),
        "interners": [memory.group(interner) for interner in interners],
        "before": [memory.address(interner.before) for interner in interners],
        "event": memory.address(worker.pairs.event),
        "state": [memory.address(interner.state) + 8 * NODES for interner in interners],
        "lengths": [memory.address(length) for length in arrays.lengths],
        "start": memory.address(arrays.start),
        "squares": memory.address(arrays.squares),
        "entry": memory.address(arrays.cells.entry),
        "dtg": memory.address(arrays.cells.dtg),
        "pattern": memory.address(arrays.cells.pattern),
        "found": [memory.address(arrays.found), *arrays.found.shape],
        "digits": memory.address(arrays.digits),
        "images": memory.address(arrays.images),
        "slots": [
            f"{color.name} {role.name}".lower() for color, role in layout.slots[layout.pawns :]
        ],
    }
    plan["end"] = memory.end
    contents = list[int]()
    for address, data in memory.contents:
        contents += [address, pool.place(data), len(data)]
    plan["contents"] = contents
    return plan


# The kernels as WebAssembly.


def all_kernels() -> list[Kernel]:
    """The kernels that solve tables."""
    return Solving(table_named(WITH_ALL_KERNELS)).kernels()


def instructions_of(kernel: Kernel) -> tuple[str, str]:
    """What numba makes of a kernel, all that it calls included, and the name of its function."""
    caught = list[str]()

    def catch(library: linking.Whole) -> None:
        caught.append(str(library._final_module))

    dispatcher = kernel.function
    with patch.object(linking.Whole, "_optimize_final_module", catch):
        dispatcher.compile(tuple(typeof(argument) for argument in kernel.arguments))
    (result,) = dispatcher.overloads.values()
    text = caught[-1]  # after the kernels that it calls
    return text, result.fndesc.llvm_func_name


def object_of(number: int) -> tuple[str, bytes]:
    """A kernel's name, and its object file with its function under that name."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    kernel = all_kernels()[number]
    text, function = instructions_of(kernel)
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(opt=LEVEL, features=FEATURES)
    text = re.sub(r'target triple = ".*"', f'target triple = "{TRIPLE}"', text)
    text = re.sub(r'target datalayout = ".*"', f'target datalayout = "{machine.target_data}"', text)
    module = llvm.parse_assembly(text.replace("= common ", "= internal "))
    module.get_function(function).name = kernel.name
    for each in module.functions:
        if not each.is_declaration and each.name != kernel.name:
            each.linkage = llvm.Linkage.internal
    options = llvm.create_pipeline_tuning_options(speed_level=LEVEL)
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return kernel.name, bytes(machine.emit_object(module))


def link(path: Path) -> None:
    """Link all kernels into a file without imports. Each is compiled in a process of its own."""
    linker = shutil.which("wasm-ld")
    if linker is None:
        sys.exit("wasm.py needs wasm-ld: apt-get install lld")
    numbers = range(len(all_kernels()))
    spawned = get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(len(numbers), spawned) as pool,
    ):
        objects = list[str]()
        exports = list[str]()
        for name, content in pool.map(object_of, numbers):
            file = Path(folder, f"{name}.o")
            file.write_bytes(content)
            objects.append(str(file))
            exports.append(f"--export={name}")
        options = ["--no-entry", "--strip-all", "--gc-sections", "--export=__heap_base"]
        subprocess.run([linker, *options, *exports, *objects, "-o", str(path)], check=True)


def write(folder: Path) -> None:
    """Write both files."""
    link(folder / KERNELS)
    pool = Pool()
    wanted = [material for men in range(2, MOST_MEN + 1) for material in materials(men)]
    plans = {str(material): plan_of(material, pool) for material in build_order(wanted)}
    facts = {
        "sources": digest_of_sources(),
        "plans": plans,
        "pool": base64.b64encode(bytes(pool.bytes)).decode(),
    }
    text = json.dumps(facts, separators=(",", ":"))
    (folder / PLANS).write_bytes(gzip.compress(text.encode(), mtime=0))


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the solver for browsers.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--sources", action="store_true", help="print the digest of the sources")
    asked = parser.parse_args()
    if asked.sources:
        print(digest_of_sources())
    else:
        write(asked.folder)


if __name__ == "__main__":
    main()
