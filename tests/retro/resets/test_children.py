"""What the blocks of a wave ask for, against one look at the child for each position."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.material import Material
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
                    index = np.ix_(
                        *[np.arange(f, f + s) for f, s in zip(box.first, box.size, strict=True)]
                    )
                    place = sum(
                        np.arange(s).reshape([-1 if n == axis else 1 for n in range(len(box.size))])
                        * stride
                        for axis, (s, stride) in enumerate(
                            zip(box.size.tolist(), box.stride.tolist(), strict=True)
                        )
                    )
                    for column, there in zip(box.read(), plane, strict=True):
                        np.testing.assert_array_equal(
                            there.reshape(layout.shape[2:])[index], column[place]
                        )
