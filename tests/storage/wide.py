"""Tables as those of six men would be: their numbers have 64 bits where they may have them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tbgen.compiled import arrays
from tbgen.material import Material
from tbgen.retro import solve
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.storage.writer import write_table
from tests.retro.tables import values


@contextlib.contextmanager
def wide_numbers(most: int = -1) -> Iterator[None]:
    """32 bits suffice for so many things, or for nothing, in memory and in files that are written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "MOST_NARROW", most)
        yield


def write_wide(folder: Path, narrow: Path, materials: Iterable[Material], most: int = -1) -> None:
    """The tables of another folder with wide columns, solved again and said to be made by the same program."""
    for material in materials:
        with TableFile(path_of(narrow, material)) as file:
            facts = file.attributes
        children = {child: values(str(child)) for child in material.children()}
        with wide_numbers(most):
            table = solve(material, children)  # not `solved`: that would keep it for tests that want it narrow
            write_table(folder, table, generator=facts["generator"], source=facts["source"], threads=2)
