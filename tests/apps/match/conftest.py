from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    """The file that a match writes to."""
    return tmp_path / "games.pgn"
