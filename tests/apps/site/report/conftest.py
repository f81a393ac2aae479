from __future__ import annotations

import json
from pathlib import Path

import pytest

from tbgen.apps.records.folder import records_in
from tbgen.apps.records.record import Record
from tbgen.apps.site.report.event import read_event
from tbgen.apps.site.report.site import write_site

PUBLISHED = Path(__file__).parent.parent.parent.parent.parent / "records"
GAME = {
    "event": "A <cup> & more",
    "round": "1.1",
    "white": "Alpha",
    "black": "Beta",
    "result": "1/2-1/2",
    "plies": 120,
    "accrued": "G9.5",
    "reached_at_ply": 100,
    "end": "draw",
    "final": "G1.5",
    "source": "tablebase",
    "material": "KBvK",
    "dtg": 13,
    "fen": "8/8/8/4n3/8/4k3/1K1B4/8 b - - 3 61",
    "points": {"white": 0.5625, "black": 0.4375},
}
GAMES = [
    GAME,
    {
        **GAME,
        "round": "1.2",
        "white": "Beta",
        "black": "Alpha",
        "result": "0-1",
        "final": "-G0.0",
        "source": "result",
        "material": None,
        "dtg": None,
        "fen": None,
        "points": {"white": 0.0, "black": 1.0},
    },
]
EVENT = {"games": GAMES, "missing": {"KRPvKR": 12}, "skipped": [{"game": 3, "ply": 7, "why": "illegal move 'Ke9'"}]}


@pytest.fixture(scope="session")
def published() -> list[Record]:
    """The records that the repository keeps."""
    return records_in(PUBLISHED)


@pytest.fixture(scope="session")
def some(published: list[Record]) -> list[Record]:
    """A few of them that have something of everything."""
    return [record for record in published if str(record.material) in ("KvK", "KBvK", "KPvK", "KRvKN", "KPvKP")]


@pytest.fixture(scope="session")
def event_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two decided games as `tbgen adjudicate --json` writes them."""
    path = tmp_path_factory.mktemp("event") / "games.json"
    path.write_text(json.dumps(EVENT))
    return path


@pytest.fixture(scope="session")
def site(some: list[Record], event_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a few records and of an event."""
    folder = tmp_path_factory.mktemp("site")
    write_site(some, folder, read_event(event_file))
    return folder
