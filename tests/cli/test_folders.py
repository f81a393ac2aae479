"""Where the tables are: one folder, several, or none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tbgen.storage.files import BUNDLED
from tests.cli.calls import complaint, printed
from tests.copies import copy_tables
from tests.positions import AFTER_KE5
from tests.project import S18


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("list", "KvK"),
        ("probe", AFTER_KE5),
        ("probe", "-"),
        ("probe", "--line", AFTER_KE5),
        ("verify",),
        ("study", "record"),
        ("adjudicate", str(S18)),
        ("standings", str(S18)),
        ("site",),
    ],
)
def test_a_missing_folder_is_the_same_error_everywhere(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    missing = tmp_path / "missing"
    hint = f"name another, or make it with: tbgen build --men 3 --data {missing}"
    wanted = 3, f"tbgen: there is no folder {missing}; {hint}"
    assert complaint(*arguments, "--data", str(missing)) == wanted
    assert complaint(*arguments, folder=missing) == wanted


@pytest.mark.usefixtures("unbundled")
def test_tables_may_lie_in_several_folders(table_folder: Path, tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("first", "second")]
    for folder, materials in zip(names, (["KvK"], ["KBvK", "KNvK"]), strict=True):
        Path(folder).mkdir()
        copy_tables(table_folder, Path(folder), *materials)
    joined = os.pathsep.join(names)
    asked: list[tuple[list[str], str | None]] = [
        (["--data", joined], None),
        (["--data", names[0], "--data", names[1]], None),
        ([], joined),
    ]
    for options, given in asked:
        listed = json.loads(printed("list", "--json", *options, folder=given))
        assert [row["material"] for row in listed] == ["KvK", "KNvK", "KBvK"]
        assert (
            json.loads(printed("probe", AFTER_KE5, "--line", "--json", *options, folder=given))[
                "outcome"
            ]
            == "G1.5"
        )


def test_without_any_folder_commands_use_the_tables_that_come_with_tbgen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TBGEN_DATA", raising=False)
    assert json.loads(printed("probe", AFTER_KE5, "--json"))["outcome"] == "G1.5"
    assert printed("list").count("tbgen itself\n") == 6
    assert [row["folder"] for row in json.loads(printed("list", "--json"))] == [str(BUNDLED)] * 6
    assert printed("verify", "KvK").splitlines()[1].endswith("right")
    assert complaint("probe", "8/8/8/4KBkq/8/8/8/8 w - - 0 1") == (
        3,
        "tbgen: no table KQvKB in data; build it with: tbgen build KQvKB",
    )
    assert not Path("data").exists()
