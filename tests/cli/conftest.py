from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calls import GAME


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file with one short game."""
    path = tmp_path / "games.pgn"
    path.write_text(GAME)
    return path
