#!/usr/bin/env python3
"""Make the pictures of the explorer in docs/pictures again, by a browser without a window.

    pictures.py TABLES

TABLES is a folder with all tables of three men. Needs Chromium. The tests of the tour use the same
positions.
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
from tests.apps.site.test_tour import MAPPED, READ, choose_map, look_at, play_best  # noqa: E402


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
        look_at(page, server, READ)
        play_best(page)
        save(page, "explorer.png")
        look_at(page, server, MAPPED)
        choose_map(page, "d6")
        save(page, "explorer-map.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
