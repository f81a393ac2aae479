"""Lists of digests, and what `tbgen verify --digest` says of tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tbgen.errors import UsageError
from tbgen.material import all_materials, pairs_materials, table_named
from tbgen.verify.digesting import Digests, read_digests, write_digests
from tests.cli.calls import complaint, printed, tbgen

KVK = table_named("KvK")
ONE = "0" * 64
TWO = "f" * 64


def test_the_list_that_comes_with_the_program_has_all_tables() -> None:
    assert {*read_digests()} == {*all_materials(), *pairs_materials(6)}


def test_outcomes_alone_have_no_digest_of_distances(table_folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    known = read_digests()[KVK]
    write_digests(path, {KVK: Digests(known.outcomes)})
    assert read_digests(path) == {KVK: Digests(known.outcomes)}
    lines = printed("verify", "KvK", "--digest", "--list", str(path), folder=table_folder)
    assert lines.splitlines()[1].endswith("as known")
    write_digests(path, {KVK: Digests(ONE)})
    code, line = complaint(
        "verify", "KvK", "--digest", "--list", str(path), "-q", folder=table_folder
    )
    assert code == 7
    assert "its outcomes have the digest" in line


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it has no head material,outcomes,distances"),
        ("KvK,1,2\n", "it has no head material,outcomes,distances"),
        (
            f"material,outcomes,distances\nKvK,{ONE}\n",
            "line 2: not a table and two digests of 64 hexadecimal digits",
        ),
        (f"material,outcomes,distances\nKvK,{ONE},{TWO}0\n", "line 2: not a table"),
        (f"material,outcomes,distances\nKvK,{ONE},{TWO.upper()}\n", "line 2: not a table"),
        (
            f"# a list\n\nmaterial,outcomes,distances\n\nKvKB,{ONE},{TWO}\n",
            "line 5: unknown material",
        ),
        (f"material,outcomes,distances\nKXvK,{ONE},{TWO}\n", "line 2: unknown material 'KXvK'"),
        (
            f"material,outcomes,distances\nKvK,{ONE},{TWO}\nKvK,{ONE},{TWO}\n",
            "line 3: KvK is there twice",
        ),
        ("material,outcomes,distances\n\x00\n", "line 2: "),
        ("\udcff\udcfe", "it has no head material,outcomes,distances"),
    ],
)
def test_a_list_that_is_none_is_named_with_its_line(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "list.csv").write_text(text, errors="surrogateescape")
    with pytest.raises(UsageError) as error:
        read_digests(tmp_path / "list.csv")
    assert reason in str(error.value)
    assert "list.csv" in str(error.value)


def test_tables_are_as_known(table_folder: Path) -> None:
    """Those of the program's own list were built by an earlier version, and lay in files of format
    2.
    """
    lines = printed("verify", "--digest", folder=table_folder).splitlines()
    assert lines[0].split() == ["table", "outcomes", "distances", "verdict"]
    assert [line.split()[0] for line in lines[1:]] == [
        "KvK",
        "KNvK",
        "KBvK",
        "KRvK",
        "KQvK",
        "KPvK",
    ]
    assert all(line.endswith("as known") for line in lines[1:])


def test_a_table_with_other_values_is_told(table_folder: Path, tmp_path: Path) -> None:
    found = json.loads(printed("verify", "KvK", "--digest", "--json", folder=table_folder))[
        "tables"
    ][0]
    write_digests(tmp_path / "list.csv", {KVK: Digests(found["outcomes"], ONE)})
    code, line = complaint(
        "verify", "KvK", "--digest", "--list", str(tmp_path / "list.csv"), "-q", folder=table_folder
    )
    assert code == 7
    assert line == (
        f"tbgen: KvK is wrong: its distances have the digest {found['distances']},"
        f" those of the known table {ONE}"
    )


def test_digests_are_entered_in_a_list_and_never_overwritten(
    table_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mine.csv"
    for name in ("KBvK", "KvK"):
        printed("verify", name, "--digest", "-o", str(path), "-q", folder=table_folder)
    written = read_digests(path)
    assert {material: read_digests()[material] for material in written} == written
    write_digests(path, {KVK: Digests(ONE, TWO)})
    done = tbgen("verify", "KvK", "KBvK", "--digest", "-o", str(path), "-q", folder=table_folder)
    assert done.returncode == 7
    assert read_digests(path) == {
        KVK: Digests(ONE, TWO),
        table_named("KBvK"): written[table_named("KBvK")],
    }


@pytest.mark.usefixtures("unbundled")
def test_outcomes_alone_have_the_digest_that_they_have_beside_distances(
    table_folder: Path, tmp_path: Path
) -> None:
    for name in ("KvK", "KBvK", "KPvK"):
        shutil.copy(table_folder / f"{name}.h5", tmp_path)
    found = json.loads(printed("verify", "--digest", "--json", folder=tmp_path))["tables"]
    assert [(each["known"], each["difference"], each["distances"]) for each in found] == 3 * [
        (True, None, None)
    ]
