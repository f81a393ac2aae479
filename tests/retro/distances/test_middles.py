"""The sets of a middle: a partition of the cells, after each accrued code."""

from __future__ import annotations

import pytest

from tbgen.material import Material
from tbgen.retro import DistanceMethod, solve
from tbgen.retro.distances.forcer import Forcer
from tbgen.retro.patterns.worker import Worker
from tbgen.retro.words.block import BlockValues
from tests.retro.tables import values


class Watched(DistanceMethod):
    """Looks at the sets of a middle as soon as a code is done."""

    looks = 0

    def search(self, worker: Worker[Forcer], side: int, values: BlockValues, code: int) -> None:
        super().search(worker, side, values, code)
        if code > 0:
            forcer = (worker.white, worker.black)[side]
            middle, forced = forcer.middle, forcer.forced
            assert not (middle.unlabelled & middle.labelled).any()
            assert not (forced.free & ~middle.unlabelled & ~middle.labelled).any()
            assert (middle.out == forced.left & ~middle.labelled[side]).all()
            assert not middle.fresh.any()
            assert not middle.gained.any()
            self.looks += 1


@pytest.mark.parametrize("name", ["KNvK", "KBvK", "KQvK", pytest.param("KBvKN", marks=pytest.mark.slow)])
def test_each_cell_is_in_one_set_of_a_middle(name: str) -> None:
    method, material = Watched(), Material.parse(name)
    solve(material, {child: values(str(child)) for child in material.children()}, threads=1, method=method)
    assert method.looks > 2
