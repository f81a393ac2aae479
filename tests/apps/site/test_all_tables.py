"""The explorer on plain files and the server: both say of random positions of all tables what Python says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tbgen.apps.site.export import write_explorer
from tbgen.library.catalog import Catalog
from tbgen.probe import open_tablebase
from tests.apps.site.chromium import Chromium, browser
from tests.apps.site.conftest import client_of, running
from tests.apps.site.test_plain_files import Host, differences, golden

pytestmark = pytest.mark.skipif(browser() is None, reason="no Chromium on this system (Debian's package is `chromium`)")


def told_by(server: TestClient, asked: Sequence[str]) -> dict[str, Any]:
    """What a server answers, in the form of `golden`."""
    fen, accrued = asked
    found = server.get("/r-mobility", params={"fen": fen, "strip": "1", **({"accrued": accrued} if accrued else {})})
    told = found.json()
    if found.status_code == 400:
        return {"asked": asked, "impossible": told["message"]}
    for move in told["moves"]:
        del move["points"]
    return {"asked": asked, **told}


def find_differences(page: Chromium, folder: Path, site: Path, number: int) -> None:
    """Ask so many pairs of a position and an accrued score of each table in a folder."""
    write_explorer(site, Catalog([folder]))
    with open_tablebase(folder) as tables, client_of(folder) as server, running(Host(site)) as address:
        page.open(f"{address}/explorer/")
        for material in tables.available():
            expected = golden(tables, number, 1128, [material])
            assert [each for each in expected if told_by(server, each["asked"]) != each] == []
            assert differences(page, expected) == []


def test_the_browser_the_server_and_python_agree(page: Chromium, table_folder: Path, tmp_path: Path) -> None:
    find_differences(page, table_folder, tmp_path, 10)


@pytest.mark.given_tables
def test_the_browser_the_server_and_python_agree_on_a_set(page: Chromium, given_folder: Path, tmp_path: Path) -> None:
    """10,220 pairs, if all tables of up to five men are there."""
    find_differences(page, given_folder, tmp_path, 70)
