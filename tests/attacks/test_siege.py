"""A besieged server answers all others, fast and rightly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.attacks.siege import Outcome, besiege

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")


def assert_it_holds(found: Outcome, longest: float) -> None:
    assert not found.wrong, found.wrong[:3]
    assert max(found.seconds) < longest
    assert len(found.log) < 100_000
    assert "Traceback" not in found.log
    assert found.log.count("connections are open, and no more may be") > 0
    assert found.seconds_to_end < 5 + longest


def test_a_besieged_server_answers(table_folder: Path, tmp_path: Path) -> None:
    found = besiege(table_folder, tmp_path / "log", {"half_open": 150, "dripping": 60, "deaf": 20}, 2)
    assert_it_holds(found, 20)


@pytest.mark.slow
def test_a_besieged_server_answers_for_five_minutes_within_a_second(table_folder: Path, tmp_path: Path) -> None:
    """A second on an idle machine."""
    found = besiege(table_folder, tmp_path / "log", {"half_open": 600, "dripping": 600, "deaf": 150}, 300)
    assert_it_holds(found, 1)
