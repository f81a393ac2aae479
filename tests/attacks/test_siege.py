"""A besieged server behind nginx answers all others, fast and rightly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.attacks.siege import NGINX, besiege

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")

ORDINARY = [] if NGINX else [pytest.mark.slow]
"""Where nginx is missing, the slow suite says so by a failure."""

FEW = {"half_open": 150, "dripping": 60, "deaf": 20}
MANY = {"half_open": 600, "dripping": 600, "deaf": 150}
FEW_ASKING = {"hurrying": 20, "playing": 4}
MANY_ASKING = {"hurrying": 200, "playing": 8}


@pytest.mark.parametrize(
    ("attackers", "seconds", "longest"),
    [
        pytest.param(FEW, 2, 20, marks=ORDINARY, id="few idle"),
        pytest.param(FEW_ASKING, 2, 20, marks=ORDINARY, id="few asking"),
        pytest.param(MANY, 300, 1, marks=pytest.mark.slow, id="many idle"),
        pytest.param(MANY_ASKING, 300, 1, marks=pytest.mark.slow, id="many asking"),
    ],
)
def test_a_besieged_server_answers(
    table_folder: Path, tmp_path: Path, attackers: dict[str, int], seconds: int, longest: int
) -> None:
    """For five minutes within a second, on an idle machine."""
    found = besiege(table_folder, tmp_path, attackers, seconds)
    assert found.seconds
    assert not found.wrong, found.wrong[:3]
    assert max(found.seconds) < longest
    assert "Traceback" not in found.log
    assert len(found.log) < 100_000
    assert found.seconds_to_end < 15 + longest
