"""Files of tables that say something else than was written, with all checksums right."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from tbgen.storage.files import Layer
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.schema import SEAL_BYTES, Index, Seal, digest_of, pack

Items = npt.NDArray[Any]


def resealed(
    path: Path, change: Callable[[Index], object], more: bytes = b"", outcomes: str | None = None
) -> Seal:
    """Change the index of a file, put bytes before it, and make its checksums right again; the new
    seal.

    `outcomes` is the digest that a file of distances is to name in its seal.
    """
    whole = path.read_bytes()
    seal = Seal.from_bytes(whole[:SEAL_BYTES])
    body = whole[SEAL_BYTES : seal.index] + more
    index = Index.from_bytes(whole[seal.index :])
    change(index)
    end = index.to_bytes()
    changed = dataclasses.replace(
        seal,
        length=SEAL_BYTES + len(body) + len(end),
        index=SEAL_BYTES + len(body),
        sha256=digest_of(body, end),
        sha256_of_index=digest_of(end),
        outcomes=seal.outcomes if outcomes is None else outcomes,
    )
    path.write_bytes(changed.to_bytes() + body + end)
    return changed


def rewritten(
    outcomes: Path, layer: Layer, name: str, change: Callable[[Items], Items | None]
) -> None:
    """Change the first chunk of a dataset of a table, in place or for another one.

    The distances name the outcomes.
    """
    distances = outcomes.with_suffix(".dtg.h5")
    path = outcomes if layer is Layer.OUTCOMES else distances
    file = LayerFile(path, layer)
    dataset = file.dataset(name)
    items = file.part(name, 0).copy()
    seal = file.seal
    file.close()
    other = change(items)
    items = items if other is None else other
    packed = pack(items, shuffled=dataset.shuffled)

    def replace(index: Index) -> None:
        chunks = dataset.chunks.copy()
        chunks[0] = seal.index, len(packed), crc32(packed)
        described = dataclasses.replace(dataset, chunks=chunks)
        if other is not None:
            described = dataclasses.replace(described, items=len(items), chunk_items=len(items))
        index.datasets[name] = described  # type: ignore[index]

    digest = resealed(path, replace, packed).sha256
    if layer is Layer.OUTCOMES:
        resealed(distances, lambda index: index.attributes.update(outcomes=digest), outcomes=digest)


def with_one_more(items: Items, **fields: int) -> Items:
    """The items and one like the last but for some fields."""
    longer = np.append(items, items[-1:])
    for name, value in fields.items():
        longer[name][-1] = value
    return longer
