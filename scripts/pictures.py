#!/usr/bin/env python3
"""Make the pictures of the explorer in docs/pictures again, by a browser without a window.

    pictures.py TABLES

TABLES is a folder with all tables of three men. Needs Chromium. The positions are those of
docs/explorer.md.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen.apps.server.application import application  # noqa: E402
from tbgen.apps.server.service import ServerSettings  # noqa: E402
from tests.apps.site.chromium import Chromium  # noqa: E402
from tests.apps.site.conftest import running  # noqa: E402
from tests.apps.site.test_explorer import SHOWN, look_at  # noqa: E402
from tests.positions import BISHOP  # noqa: E402

MAPPED = "8/8/3k4/8/3K4/3P4/8/8 b - - 0 1"
BEST_PLAY = "document.getElementById('why').innerText.startsWith('Best play')"


def save(page: Chromium, name: str) -> None:
    taken = page.call("Page.captureScreenshot", format="png")
    (ROOT / "docs" / "pictures" / name).write_bytes(base64.b64decode(taken["data"]))


def main(tables: str) -> None:
    with (
        tempfile.TemporaryDirectory() as profile,
        running(application(ServerSettings([Path(tables)]))) as server,
        Chromium(Path(profile)) as page,
    ):
        page.look(1280, 800)
        look_at(page, server, BISHOP, "G4.0")
        page.press(" ")
        page.wait(f"document.getElementById('fen').value.includes(' b ') && {SHOWN} && {BEST_PLAY}")
        save(page, "explorer.png")
        look_at(page, server, MAPPED)
        page.run("(({ map }) => { map.value = 'd6'; map.onchange(); })(window)")
        page.wait("document.querySelector('#marks .field')")
        save(page, "explorer-map.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
