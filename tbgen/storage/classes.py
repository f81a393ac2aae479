"""Classes of mates in files, one for each placement of a pawn, sealed as tables are, and so as safe to pass on.

The name of a file says the material, the square of the pawn, and the digest of all that its classes rest on. For each
new man on each file of its last rank it has a slice: a byte for each placement of the other men.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np

from tbgen.errors import DamagedTableError, MaterialError, MissingTableError, TableError
from tbgen.index.layout import Slot, slots_of
from tbgen.material import MOST_BUILT_MEN, Material, Role
from tbgen.score import Mobility
from tbgen.storage.files import Layer, write_whole
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.order import Order
from tbgen.storage.schema import CHUNK, MOST_CHUNK_ITEMS, RULES, SEAL_BYTES, Dataset, Index, pack, sealed
from tbgen.table import Entries

SOUND: Final = 0, 4, 8, 12, 5, 10
"""The bytes that classes may have: a side that mates for certain may mate, and the other side may not."""
CLASSES: Final = "classes"
"""The folder of the files, in a folder of tables; their only dataset, and the layer in their seals."""
SUFFIX: Final = ".classes"
PLACEMENTS: Final = 24
"""Of a pawn, mirrored ones left out."""
_NAME: Final = re.compile(r"(\w+)-([a-d][2-7])-([0-9a-f]{40})\.classes")


def new_men(material: Material) -> list[Slot]:
    """The men that a promotion can have brought about, one of each kind."""
    return [man for man in dict.fromkeys(slots_of(material)) if man[1] not in (Role.PAWN, Role.KING)]


def shape_of(material: Material) -> tuple[int, int]:
    """How many slices the file of a placement has, and how many bytes each has before it is compressed."""
    return len(new_men(material)) * 8, 64 ** (material.men - 2)


class ClassesFile(LayerFile):
    """The classes of a placement, opened: they are part of the outcomes of a table that is not there."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, Layer.OUTCOMES)
        self.holds = CLASSES

    def _title(self) -> tuple[Material, Mobility]:
        material, self.square, self.key = title_of(self.path)
        return material, Mobility.RESET

    def _check_form(self, index: Index, order: Order) -> None:
        form = {name: (each.kind.str, each.items) for name, each in index.datasets.items()}
        rests = self.seal.outcomes, index.attributes["rests"]
        is_named = (form, rests) == ({CLASSES: ("|i1", math.prod(shape_of(self.material)))}, (self.key, self.key))
        self.expect(is_named, "its shape or the digest of what it rests on is not that of its name")
        self._check_chunks(index.datasets)


def files_in(folders: Iterable[Path]) -> tuple[list[ClassesFile], list[TableError]]:
    """The files of some folders, by name, read so far as to be listed and closed; and the faults of others."""
    found, faults = list[ClassesFile](), list[TableError]()
    for path in (path for folder in folders for path in sorted(folder.glob("*" + SUFFIX))):
        try:
            file = ClassesFile(path)
            _ = file.index
            file.close()  # there may be more of them than a process may open
        except MissingTableError:
            continue  # another process has just removed it
        except TableError as error:
            faults.append(error)
        else:
            found.append(file)
    return found, faults


def write_classes(path: Path, slices: Iterable[Entries]) -> None:
    """Write the slices of a placement, whole or not at all."""
    material, _, key = title_of(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    size = min(shape_of(material)[1], MOST_CHUNK_ITEMS)
    packed = [pack(part, shuffled=False) for codes in slices for part in codes.reshape(-1, size)]
    offsets = [*accumulate(map(len, packed), initial=SEAL_BYTES)]
    chunks = np.array([*zip(offsets, map(len, packed), map(crc32, packed), strict=False)], CHUNK)
    dataset, body = Dataset(np.dtype("i1"), len(packed) * size, size, False, chunks), b"".join(packed)
    index = Index({"rules": RULES[Mobility.RESET], "rests": key}, {CLASSES: dataset})
    write_whole(path, sealed(str(material), CLASSES, body, index, key))


def title_of(path: Path) -> tuple[Material, str, str]:
    """The material, the square and the digest that a file's name says."""
    found = _NAME.fullmatch(path.name)
    with contextlib.suppress(MaterialError):
        material = Material.parse(found[1] if found else "")
        if found and f"{material.canonical()}" == found[1] and material.pawns == 1 and material.men <= MOST_BUILT_MEN:
            return material, found[2], found[3]
    raise DamagedTableError(str(path), "its name is not that of classes")
