"""Reads damaged and dishonest files of tables: FOLDER FILES SEED MATERIAL ...; prints how many it
refused.

Every file is a copy of one of a sound table. Its bytes are changed, or its index says something
else with all checksums right: more items than there are, chunks that share their bytes, chunks that
unpack to far more than they are.
"""

from __future__ import annotations

import random
import resource
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np

from tbgen.errors import TableError
from tbgen.storage.files import Layer
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import COLUMNS, SEAL_BYTES, STREAMS, Dataset, Index, Seal, pack
from tests.attacks.tables import damaged, forged
from tests.storage.forging import resealed

MEMORY = 1 << 30
Change = Callable[[random.Random, Path, Layer], None]


def damage(draw: random.Random, path: Path, _: Layer) -> None:
    path.write_bytes(damaged(path.read_bytes(), draw))


def forge(draw: random.Random, path: Path, _: Layer) -> None:
    path.write_bytes(forged(path.read_bytes(), draw))


def index_of(path: Path) -> Index:
    whole = path.read_bytes()
    return Index.from_bytes(whole[Seal.from_bytes(whole[:SEAL_BYTES]).index :])


def say_more(draw: random.Random, path: Path, layer: Layer) -> None:
    """A dataset has up to 2**28 items more, in chunks that share their bytes."""
    name = draw.choice([*COLUMNS[layer], *STREAMS[layer]])

    def change(index: Index) -> None:
        dataset = index.datasets[name]
        size = draw.choice([dataset.chunk_items, 1 << 13, 1 << 16])
        items = dataset.items + (1 << draw.randrange(29))
        chunks = (
            np.resize(dataset.chunks, min(-(-items // size), 1 << 20))
            if len(dataset.chunks)
            else dataset.chunks
        )
        longer = replace(dataset, items=items, chunk_items=size, chunks=chunks)
        index.datasets[name] = longer  # type: ignore[index]

    resealed(path, change)


def blow_up(draw: random.Random, path: Path, layer: Layer) -> None:
    """A column has many chunks that each unpack to as much as a chunk may, and have bytes of their
    own.
    """
    name = draw.choice([*COLUMNS[layer]])
    seal = Seal.from_bytes(path.read_bytes()[:SEAL_BYTES])
    dataset = index_of(path).datasets[name]
    size = draw.choice([1 << 13, 1 << 16])
    count = 1 << draw.randrange(14)
    packed = pack(
        np.full(size, draw.randrange(3), np.uint8).astype(dataset.kind), shuffled=dataset.shuffled
    )
    chunks = np.zeros(count, dataset.chunks.dtype)
    chunks["offset"] = seal.index + np.arange(count) * len(packed)
    chunks["size"] = len(packed)
    chunks["crc"] = crc32(packed)
    other = Dataset(
        dataset.kind, size * count - draw.randrange(size), size, dataset.shuffled, chunks
    )

    def change(index: Index) -> None:
        index.datasets[name] = other  # type: ignore[index]

    resealed(path, change, packed * count)


CHANGES: tuple[Change, ...] = (damage, forge, say_more, blow_up)


def read_all(path: Path, draw: random.Random) -> None:
    """All that readers ask of a table, but whole streams."""
    with TableFile(path) as table:
        table.check()
        for name in (*COLUMNS[Layer.OUTCOMES], *COLUMNS[Layer.DISTANCES]):
            table.column(name)
        _ = table.tallies, table.states, table.patterns, table.symbol_of_state
        table.look_up(
            np.array([draw.randrange(table.order.layout.cells) for _ in range(20)], np.int64)
        )


def main(folder: Path, files: int, seed: int, names: list[str]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    draw = random.Random(seed)
    refused = 0
    work = folder / "strangers"
    work.mkdir()
    for _ in range(files):
        name = draw.choice(names)
        paths = [work / f"{name}{suffix}" for suffix in (".h5", ".dtg.h5")]
        for path in paths:
            path.write_bytes((folder / path.name).read_bytes())
        which = draw.randrange(2)
        draw.choice(CHANGES)(draw, paths[which], (Layer.OUTCOMES, Layer.DISTANCES)[which])
        if which == 0:
            name_outcomes(paths)
        try:
            read_all(paths[0], draw)
        except TableError as error:
            refused += "\n" not in str(error)
    print(refused, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def name_outcomes(paths: list[Path]) -> None:
    """Have the distances name the changed outcomes, if these can be read so far."""
    try:
        digest = Seal.from_bytes(paths[0].read_bytes()[:SEAL_BYTES]).sha256
    except ValueError:
        return
    resealed(paths[1], lambda index: index.attributes.update(outcomes=digest), outcomes=digest)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
