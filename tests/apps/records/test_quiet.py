"""How long best play can stay quiet, from every position of small tables, beside the reference."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tbgen.apps.records.quiet import Stretches
from tbgen.apps.records.record import Record
from tbgen.material import Material
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.verify.resets import positions_among
from tbgen.verify.values import subject_of
from tests.apps.records.slow import waits_of


def waits_in(file: TableFile) -> Counter[tuple[int, int, int]]:
    """As the reference counts them."""
    layout = file.order.layout
    cells = positions_among(layout, np.arange(layout.cells))
    entry, dtg, _ = file.look_up(cells)
    waits = Stretches(subject_of(file.table()), cells, dtg.astype("int64")).waits
    side = cells // (layout.block_words * 64) % 2
    return Counter(zip(side.tolist(), entry.tolist(), waits.tolist(), strict=True))


@pytest.mark.parametrize("name", ["KvK", "KNvK", "KPvK"])
def test_every_position_stays_quiet_as_long_as_in_the_reference(
    table_folder: Path, records: dict[str, Record], name: str
) -> None:
    expected = waits_of(name)
    with TableFile(path_of(table_folder, Material.parse(name))) as file:
        assert waits_in(file) == expected
    quiet = records[name].quiet
    assert (quiet.exact, quiet.plies) == (True, max(plies for _, _, plies in expected))
