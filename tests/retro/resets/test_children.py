"""What the blocks of a wave ask for, against one look at the child for each position."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tbgen.errors import BuildError
from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.retro import solve
from tbgen.retro.resets import destinations
from tbgen.score import Color
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile


@pytest.mark.parametrize("name", ["KQvK", "KPvK"])
def test_a_file_gives_the_planes_that_its_table_has(table_folder: Path, name: str) -> None:
    material = Material.parse(name)
    layout = layout_of(material)
    with TableFile(path_of(table_folder, material)) as file:
        whole = file.values()
        for block in {0, len(layout.blocks) // 2, len(layout.blocks) - 1}:
            for side in Color:
                plane = whole.boxes(block, side)[0].read()
                for box in file.boxes(block, side):
                    index = np.ix_(*[np.arange(f, f + s) for f, s in zip(box.first, box.size, strict=True)])
                    place = sum(
                        np.arange(s).reshape([-1 if n == axis else 1 for n in range(len(box.size))]) * stride
                        for axis, (s, stride) in enumerate(zip(box.size.tolist(), box.stride.tolist(), strict=True))
                    )
                    for column, there in zip(box.read(), plane, strict=True):
                        np.testing.assert_array_equal(there.reshape(layout.shape[2:])[index], column[place])


def test_a_reset_that_leads_to_no_position_of_a_file_is_refused(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reset is broken so that it puts both kings on one square, where a file has the value of a neighbour."""
    material = Material.parse("KNvK")

    def to_no_cell(pack: object) -> object:
        def packed(*given: object) -> destinations.Destinations:
            found: destinations.Destinations = pack(*given)  # type: ignore[operator]
            found.slots[..., 1] = found.slots[..., 0]
            return found

        return packed

    monkeypatch.setattr("tbgen.retro.resets.destinations.pack_destinations", to_no_cell(destinations.pack_destinations))
    path = path_of(table_folder, Material.parse("KvK"))
    with TableFile(path) as file, pytest.raises(BuildError, match="a child table has no value"):
        solve(material, {file.material: file})
