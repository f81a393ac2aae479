"""When a server loads kernels: not for its first answers, but for thousands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tbgen.apps.server.service import POSITIONS_WORTH_KERNELS, Service
from tests.apps.site.conftest import client_of
from tests.positions import AFTER_KE5, BISHOP

ASKED = """
import sys
from pathlib import Path

from starlette.testclient import TestClient

from tbgen.apps.server.application import application
from tbgen.apps.server.service import ServerSettings

settings = ServerSettings([Path(sys.argv[1])], names=("testserver",))
with TestClient(application(settings)) as client:
    for path in sys.argv[2:]:
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.text)
print(*sys.modules)
"""

TEXT = {"Content-Type": "text/plain"}


def test_first_pages_and_first_answers_import_no_compiler(table_folder: Path) -> None:
    paths = [
        "/explorer/",
        "/health",
        "/tables",
        f"/r-mobility?fen={BISHOP}&strip=1",
        f"/r-mobility/line?fen={BISHOP}",
    ]
    command = [sys.executable, "-c", ASKED, str(table_folder), *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "tbgen.apps.server.service" in loaded
    assert loaded & {"numba", "llvmlite", "tbgen.board.board"} == set()


def test_kernels_are_loaded_once_positions_are_worth_them(table_folder: Path) -> None:
    asked = f"/r-mobility?fen={AFTER_KE5}&accrued=G4.0&strip=1"
    with client_of(table_folder) as client:
        service: Service = client.app.state.service  # type: ignore[attr-defined]
        first = client.get(asked).json()
        service.expect_positions(POSITIONS_WORTH_KERNELS - 4)
        client.post("/r-mobility?brief=1", content=f"{AFTER_KE5}\n{BISHOP}\n", headers=TEXT)
        before = service.loading
        client.get(asked)
        assert before is None
        assert service.loading is not None
        service.loading.join()
        assert client.get(asked).json() == first
