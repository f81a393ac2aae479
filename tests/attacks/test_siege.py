"""A besieged server answers all others, fast and rightly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.attacks.siege import USUAL_DESCRIPTORS, besiege

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")


FEW = {"half_open": 150, "dripping": 60, "deaf": 20}
MANY = {"half_open": 600, "dripping": 600, "deaf": 150}
FEW_ASKING = {"hurrying": 20, "playing": 4}
MANY_ASKING = {"hurrying": 200, "playing": 8}


@pytest.mark.parametrize(
    ("attackers", "seconds", "longest"),
    [(FEW, 2, 20), pytest.param(MANY, 300, 1, marks=pytest.mark.slow)],
    ids=["few", "many"],
)
def test_a_besieged_server_answers(
    table_folder: Path, tmp_path: Path, attackers: dict[str, int], seconds: int, longest: int
) -> None:
    """For five minutes within a second, on an idle machine."""
    found = besiege(table_folder, tmp_path / "log", attackers, seconds)
    assert not found.wrong, found.wrong[:3]
    assert max(found.seconds) < longest
    assert len(found.log) < 100_000
    assert "Traceback" not in found.log
    assert found.log.count("connections are open, and no more may be") > 0
    assert found.seconds_to_end < 5 + longest


@pytest.mark.parametrize(
    ("attackers", "seconds", "longest"),
    [(FEW_ASKING, 2, 20), pytest.param(MANY_ASKING, 300, 1, marks=pytest.mark.slow)],
    ids=["few", "many"],
)
def test_long_questions_hold_up_no_short_ones(
    table_folder: Path, tmp_path: Path, attackers: dict[str, int], seconds: int, longest: int
) -> None:
    """For five minutes within a second, on an idle machine."""
    found = besiege(table_folder, tmp_path / "log", attackers, seconds, USUAL_DESCRIPTORS)
    assert not found.wrong, found.wrong[:3]
    assert max(found.seconds) < longest
    assert "Traceback" not in found.log
