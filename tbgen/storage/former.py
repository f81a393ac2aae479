"""Former: tables of format 2, one file with outcomes and distances together, read to be converted.

Such a file begins with a seal as today's do, but for the lines of game and layer, and ends with an index of the same
form. Its stream `state` has one number a cell; the columns say what a state is.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tbgen.errors import DamagedTableError
from tbgen.material import Material
from tbgen.score import Color, Outcome
from tbgen.storage.codec import crc32, unpack
from tbgen.storage.order import order_of
from tbgen.storage.schema import SEAL_BYTES, Index, digest_of
from tbgen.storage.states import States, smallest
from tbgen.storage.writer import Numbered
from tbgen.table import Patterns, Tally

FORMER: Final = 2
_STATE: Final = "state"


class FormerFile:
    """A table of format 2, in memory as it lay on disk; DamagedTableError if it is not whole."""

    def __init__(self, path: Path, material: Material) -> None:
        self.path, self.material = path, material
        self._content = memoryview(path.read_bytes())
        try:
            lines = bytes(self._content[:SEAL_BYTES]).decode("ascii").splitlines()[1:]
            words = {word: rest.strip() for word, rest in (line.split(maxsplit=1) for line in lines)}
            start, length, named = int(words["index"]), int(words["length"]), words["material"]
            digest, digest_of_index = words["sha256"], words["sha256-of-index"]
        except (ValueError, KeyError):
            raise self._damaged("its first bytes are not what was written") from None
        if (named, length) != (str(material), len(self._content)):
            raise self._damaged("its seal is that of another file")
        if digest != digest_of(self._content[SEAL_BYTES:]):
            raise self._damaged("its bytes are not what was written")
        if digest_of_index != sha256(self._content[start:]).hexdigest():
            raise self._damaged("its index is not what was written")
        self._index = Index.from_bytes(bytes(self._content[start:]))

    @property
    def attributes(self) -> Mapping[str, str]:
        """What made the file."""
        return self._index.attributes

    def numbered(self) -> Numbered:
        """The whole table."""
        columns = {name: self._column(name) for name in self._index.datasets if name != _STATE}
        states = States(*[columns[f"state_{name}"] for name in ("entry", "dtg", "pattern")])
        patterns = Patterns(*[columns[f"pattern_{name}"] for name in ("start", "holder", "code", "outcome", "dtg")])
        tallies: dict[Color, dict[Outcome, Tally]] = {side: {} for side in Color}
        rows = zip(
            *[columns[f"tally_{name}"].tolist() for name in ("side", "outcome", "count", "max_dtg", "cell")],
            strict=True,
        )
        for side, outcome, count, dtg, cell in rows:
            tallies[Color(side)][Outcome.from_byte(outcome)] = Tally(count, dtg, cell)
        numbers = self._column(_STATE)[: order_of(self.material).layout.cells]
        if int(numbers.max()) >= len(states):  # kernels look them up, and kernels check nothing
            raise self._damaged("a place has a state that the table does not have")
        numbers = numbers.astype(smallest(len(states)), copy=False)
        return Numbered(self.material, numbers, states, patterns, tallies)

    def _column(self, name: str) -> npt.NDArray[Any]:
        dataset = self._index.datasets[name]
        column = np.empty(len(dataset.chunks) * dataset.chunk_items, dataset.kind)
        for part, (offset, size, crc) in zip(
            column.reshape(-1, dataset.chunk_items), dataset.chunks.tolist(), strict=True
        ):
            packed = bytes(self._content[offset : offset + size])
            if crc32(packed) != crc:
                raise self._damaged(f"a chunk of {name} is not what was written")
            part[:] = unpack(packed, dataset.chunk_items, dataset.kind, shuffled=dataset.shuffled)
        return column[: dataset.items]

    def _damaged(self, reason: str) -> DamagedTableError:
        return DamagedTableError(str(self.path), reason)
