"""The memory that a process of its own takes while it makes a table."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

from tbgen.material import Material
from tbgen.storage.files import path_of
from tbgen.storage.layers import Layer

PROGRAM = """
import sys, pathlib
from tbgen import table
from tbgen.library.work import UNHEARD, make_table
if sys.argv[4] == "disk":
    table.MOST_KEPT_CELLS = 0
memory = int(sys.argv[5]) or None
print(make_table(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), UNHEARD, memory).file.peak_bytes)
"""


def link_tables(folder: Path, children: Path, material: Material) -> None:
    """Have all files of a material's children in a folder."""
    for child, layer in itertools.product(material.children(), Layer):
        path_of(folder, child, layer).symlink_to(path_of(children, child, layer))


def peak_of(folder: Path, children: Path, name: str, threads: int, where: str = "", memory: int = 0) -> int:
    """The most memory that a process of its own has while it makes a table; `where` says where solved blocks lie."""
    material = Material.parse(name)
    link_tables(folder, children, material)
    return peak_in_a_process(folder, name, threads, where, memory)


def peak_in_a_process(
    folder: Path, name: str, threads: int, where: str, memory: int = 0, kernels: Path | None = None
) -> int:
    """The same, with kernels from this folder."""
    command = [sys.executable, "-c", PROGRAM, str(folder), name, str(threads), where, str(memory)]
    environment = {**os.environ, "TBGEN_CACHE": str(kernels)} if kernels else None
    return int(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
