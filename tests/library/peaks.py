"""The memory that a process of its own takes while it makes a table."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tbgen.material import Material
from tbgen.storage.files import Layer, path_of

PROGRAM = """
import json, sys, pathlib, threading
from tbgen.library import costs
from tbgen.library.workers import make_table
if sys.argv[4] == "disk":
    costs.MOST_KEPT_CELLS = 0
memory, own, is_over = int(sys.argv[5]) or None, [0], threading.Event()
def look():
    while not is_over.wait(0.005):
        lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
        own[0] = max(own[0], int(lines["RssAnon"].split()[0]) * 1024)
looking = threading.Thread(target=look)
looking.start()
try:
    made = make_table(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), memory)
finally:
    is_over.set()
    looking.join()
print(json.dumps([made.file.peak_bytes, own[0]]))
"""


class Peak(NamedTuple):
    """The most memory that a process had."""

    bytes: int
    own: int
    """Without pages of files, which the system takes back when it needs them.

    Looked at 200 times a second.
    """


def link_tables(folder: Path, children: Path, material: Material) -> None:
    """Have all files of a material's children in a folder."""
    for child, layer in itertools.product(material.children(), Layer):
        path_of(folder, child, layer).symlink_to(path_of(children, child, layer))


def peak_in_a_process(
    folder: Path, name: str, threads: int, where: str, memory: int = 0, kernels: Path | None = None
) -> Peak:
    """The most memory that a process of its own has while it makes a table; `where` says where
    solved blocks lie.

    Its children are in the folder, and its kernels come from the usual folder unless another is
    given.
    """
    command = [sys.executable, "-c", PROGRAM, str(folder), name, str(threads), where, str(memory)]
    environment = {**os.environ, "TBGEN_CACHE": str(kernels)} if kernels else None
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return Peak(*json.loads(done.stdout))
