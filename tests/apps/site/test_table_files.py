"""The catalog and the files, whole and in part."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tbgen.library.catalog import Catalog, figures_of
from tbgen.material import table_named
from tbgen.rules.facts import with_scores
from tests.apps.site.conftest import client_of
from tests.apps.site.test_plain_files import flipped
from tests.copies import copy_tables


def test_the_catalog_names_every_table_with_its_size_and_digest(
    client: TestClient, table_folder: Path
) -> None:
    found = client.get("/tables").json()["tables"]
    assert [each["material"] for each in found] == ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK"]
    for each in found:
        for stored in (each, each["distances"]):
            assert stored["bytes"] == (table_folder / stored["file"]).stat().st_size
            assert (
                client.head(f"/tables/{stored['file']}").headers["etag"] == f'"{stored["sha256"]}"'
            )
        assert each["men"] == len(each["material"]) - 1
        figures = figures_of(table_folder, table_named(each["material"]))
        assert client.get(f"/tables/{each['facts']}").json() == with_scores(figures)


@pytest.mark.parametrize("file", ["KBvK.h5", "KBvK.dtg.h5"])
def test_a_file_comes_whole_or_in_part(client: TestClient, table_folder: Path, file: str) -> None:
    content = (table_folder / file).read_bytes()
    whole = client.get(f"/tables/{file}")
    assert whole.status_code == 200
    assert whole.content == content
    assert whole.headers["accept-ranges"] == "bytes"
    assert whole.headers["content-type"] == "application/x-hdf5"
    size = len(content)
    for asked, first, last in (("512-1023", 512, 1023), ("-100", size - 100, size - 1)):
        part = client.get(f"/tables/{file}", headers={"Range": f"bytes={asked}"})
        assert part.status_code == 206
        assert part.content == content[first : last + 1]
        assert part.headers["content-range"] == f"bytes {first}-{last}/{size}"
    assert client.get(f"/tables/{file}", headers={"Range": f"bytes={size}-"}).status_code == 416
    codes = [
        client.get(f"/tables/{file}", headers={"Range": "bytes=0-9", "If-Range": etag}).status_code
        for etag in (whole.headers["etag"], '"another"')
    ]
    assert codes == [206, 200], "a part of another file is not given"


def test_distances_that_are_not_there_are_not_found(table_folder: Path, tmp_path: Path) -> None:
    for path in table_folder.glob("K*.h5"):
        if not path.name.endswith(".dtg.h5"):
            (tmp_path / path.name).hardlink_to(path)
    with client_of(tmp_path) as made:
        found = made.get("/tables/KBvK.dtg.h5")
        assert found.status_code == 404
        assert found.json()["message"] == "KBvK has no distances here"
        found = made.get("/r-mobility/line", params={"fen": "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"})
        assert found.status_code == 404
        assert found.json()["error"] == "MissingDistancesError"
        assert found.json()["message"] == (
            "only the outcomes of KBvK are here; for distances: tbgen build KBvK"
        )
        assert str(tmp_path) not in found.text


@pytest.mark.parametrize("file", ["KPvKP.pairs.h5", "KPvKP.pairs.dtg.h5"])
def test_the_files_of_a_table_of_pairs_come_by_their_names(pairs_folder: Path, file: str) -> None:
    with client_of(pairs_folder) as made:
        assert made.get(f"/tables/{file}").content == (pairs_folder / file).read_bytes()


@pytest.mark.usefixtures("unbundled")
def test_tables_that_cannot_be_used_are_left_out(table_folder: Path, tmp_path: Path) -> None:
    copy_tables(table_folder, tmp_path, "KvK", "KNvK", "KBvK")
    (tmp_path / "KNvK.h5").write_bytes(b"nonsense")
    (tmp_path / "KBvK.h5").write_bytes((tmp_path / "KBvK.h5").read_bytes() + b"more")
    catalog = Catalog([tmp_path])
    assert list(catalog.entries) == ["KvK"]
    assert [type(fault).__name__ for fault in catalog.faults] == [
        "DamagedTableError",
        "DamagedTableError",
    ]


@pytest.mark.parametrize("then", ["another table", "cut short", "cut in place", "none"])
def test_a_file_that_is_replaced_is_not_given_as_the_old_one(
    table_folder: Path, tmp_path: Path, then: str
) -> None:
    copy_tables(table_folder, tmp_path, "KvK", "KBvK")
    with client_of(tmp_path) as client:
        path = tmp_path / "KBvK.h5"
        again = path.read_bytes()
        path.unlink()
        path.write_bytes(again)
        assert client.get("/tables/KBvK.h5").content == again
        if then == "cut in place":
            os.truncate(path, len(again) - 1)
        else:
            path.unlink()
        if then in ("another table", "cut short"):
            path.write_bytes(
                again[:100] if then == "cut short" else (table_folder / "KNvK.h5").read_bytes()
            )
        for name in ("KBvK.h5", "KBvK.dtg.h5", "KBvK.json"):
            found = client.get(f"/tables/{name}")
            assert found.status_code == 404
            assert found.json()["error"] == "NotFound"
            assert "KBvK has been replaced or removed" in found.json()["message"]
        assert client.get("/tables/KvK.h5").status_code == 200


def test_a_damaged_table_is_an_error_that_tells_nothing_of_the_machine(
    table_folder: Path, tmp_path: Path
) -> None:
    copy_tables(table_folder, tmp_path, "KvK")
    (tmp_path / "KvK.h5").write_bytes(flipped((tmp_path / "KvK.h5").read_bytes(), -1))
    with client_of(tmp_path) as client:
        found = client.get("/r-mobility", params={"fen": "8/6k1/8/4K3/8/8/8/8 b - - 0 1"})
    assert found.status_code == 500
    assert found.json()["error"] == "DamagedTableError"
    assert str(tmp_path) not in found.text
