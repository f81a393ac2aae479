"""The sets of a middle: a partition of the cells, after each accrued code."""

from __future__ import annotations

import pytest

from tbgen.material import Material
from tbgen.retro import DISTANCES, solve
from tbgen.retro.distances.forcer import Forcer
from tbgen.retro.words.block import Block, BlockValues
from tests.retro.tables import values


class Watched:
    """Looks at the sets of a middle as soon as a code is done."""

    looks = 0

    def search(self, block: Block, forcer: Forcer, other: Forcer, values: BlockValues, code: int) -> None:
        DISTANCES.search(block, forcer, other, values, code)
        if code > 0:
            middle, forced = forcer.middle, forcer.forced
            assert not (middle.unlabelled & middle.labelled).any()
            assert not (forced.free & ~middle.unlabelled & ~middle.labelled).any()
            assert (middle.out == forced.left & ~middle.labelled[forcer.side]).all()
            assert not middle.fresh.any()
            self.looks += 1


@pytest.mark.parametrize("name", ["KNvK", "KBvK", "KQvK", pytest.param("KBvKN", marks=pytest.mark.slow)])
def test_each_cell_is_in_one_set_of_a_middle(name: str) -> None:
    watched, material = Watched(), Material.parse(name)
    method = DISTANCES._replace(search=watched.search)
    solve(material, {child: values(str(child)) for child in material.children()}, threads=1, method=method)
    assert watched.looks > 2
