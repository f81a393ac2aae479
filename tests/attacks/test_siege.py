"""A besieged server answers all others, fast and rightly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.attacks.siege import besiege

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")


@pytest.mark.parametrize(
    ("half_open", "dripping", "deaf", "seconds", "longest"),
    [(150, 60, 20, 2, 20), pytest.param(600, 600, 150, 300, 1, marks=pytest.mark.slow)],
)
def test_a_besieged_server_answers(
    table_folder: Path,
    tmp_path: Path,
    half_open: int,
    dripping: int,
    deaf: int,
    seconds: int,
    longest: int,
) -> None:
    """For five minutes within a second, on an idle machine."""
    found = besiege(
        table_folder,
        tmp_path / "log",
        {"half_open": half_open, "dripping": dripping, "deaf": deaf},
        seconds,
    )
    assert not found.wrong, found.wrong[:3]
    assert max(found.seconds) < longest
    assert len(found.log) < 100_000
    assert "Traceback" not in found.log
    assert found.log.count("connections are open, and no more may be") > 0
    assert found.seconds_to_end < 5 + longest
