"""Files of games that are read for a long time."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tbgen.cli.reading import reading


@pytest.mark.parametrize(("packed", "told"), [(b"", ", 50 %, 18 s, about 18 s to go"), (b"\x1f\x8b", ", 18 s")])
def test_the_time_that_is_left_is_told_where_the_size_is_known(
    packed: bytes, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seconds = tmp_path / "games.pgn", iter([0.0, 12.0, 18.0])
    path.write_bytes(packed.ljust(100))
    monkeypatch.setattr("tbgen.cli.terminal.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    with reading(str(path), quiet=False) as tell:
        tell(20, 1)
        tell(30, 2)
    assert capsys.readouterr() == ("", f"games.pgn: 3 games{told}\n")
