"""Known tables: those that captures lead to; their outcomes are enough."""

from __future__ import annotations

import contextlib
from functools import cached_property

from tbgen.errors import NO_TABLE
from tbgen.index.layout import HOW_BITS, Squares
from tbgen.material import Material
from tbgen.probe.stored import OpenTables
from tbgen.table import Entries


class KnownTables(OpenTables):
    """The tables of some folders, opened when they are first asked for, one position or one plane at a time."""

    def has(self, material: Material) -> bool:
        """Whether there is the table of a canonical material; looked up once, for closures ask it of every edge."""
        if material not in self._there:
            self._there[material] = False
            with contextlib.suppress(*NO_TABLE):
                self.table(material)
                self._there[material] = True
        return self._there[material]

    @cached_property
    def _there(self) -> dict[Material, bool]:
        return {}

    def digest(self, material: Material) -> str:
        """The digest of a table's outcomes."""
        return self.table(material).file.digest

    def plane(self, material: Material, pawns: Squares, side: int) -> Entries:
        """The entry values of the block of some pawns with one side to move, in the order of the layout's cells."""
        file = self.table(material).file
        places, block = file.order.plane_places, file.order.layout.address_of(pawns) >> HOW_BITS
        first = (2 * block + side) * places
        entry: Entries = file.order.from_file(file.entries(first, first + places))
        return entry
