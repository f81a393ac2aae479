"""Files of data are never replaced by files with less in them, unless that is asked for."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from tbgen.apps.match.words import OPTIONS
from tests.apps.match.matches import scripted
from tests.cli.calls import complaint, printed, tbgen
from tests.cli.killing import FORTRESS
from tests.cli.test_help import all_commands
from tests.cli.test_kills import READ
from tests.project import RECORDS, S18

LOCKED = "8/8/1k6/1p1p4/1P1P4/8/1K6/8 w - - 0 1"
TWO = [*scripted("Ann"), *scripted("Bob"), "-srand", "1", "-games"]


@dataclass(frozen=True)
class Case:
    """A command that writes what an option names: first much, then less."""

    command: str
    option: str
    much: tuple[str, ...]
    less: tuple[str, ...]
    file: str
    """The file that has what is written, within the folder if the option names one."""
    said: str


CASES = [
    Case(
        "adjudicate",
        "-o",
        (str(S18),),
        ("one.pgn",),
        "out",
        "20 games, and 1 game would take their place",
    ),
    Case(
        "adjudicate", "--verdicts", (str(S18),), ("one.pgn",), "out", "20 games, and 1 game would"
    ),
    Case("annotate", "-o", (str(S18),), ("one.pgn",), "out", "20 games, and 1 game would"),
    Case(
        "annotate",
        "-o",
        (str(S18),),
        (str(S18), "--number", "2"),
        "out",
        "20 games, and 1 game would",
    ),
    Case(
        "annotate",
        "-o",
        (str(S18), "--json"),
        ("one.pgn", "--json"),
        "out",
        "20 games, and 1 game would",
    ),
    Case("annotate", "-o", (str(S18),), ("one.pgn", "--html"), "out", "20 games, and 1 game would"),
    Case(
        "hold",
        "--strategy",
        (LOCKED, "--side", "white", "--goal", "draw"),
        (FORTRESS, "--side", "white", "--goal", "draw"),
        "out",
        " entries, and 2 entries would take their place",
    ),
    Case("match", "-jsonout", (*TWO, "4"), (*TWO, "2"), "out", "4 entries, and 2 entries would"),
    Case("match", "-crosstable", (*TWO, "4"), (*TWO, "2"), "out", "4 entries, and 2 entries would"),
    Case(
        "study record",
        "-o",
        ("KBvK", "--data", "other", "--game", "whole-game"),
        ("KBvK",),
        "out/KBvK.json",
        "KBvK.json says something else of KBvK, perhaps of the other game",
    ),
    Case(
        "study find",
        "-o",
        ("KBvK", "--where", "check"),
        ("KBvK", "--where", "check", "--limit", "3"),
        "out",
        " entries, and 3 entries would",
    ),
    Case(
        "site",
        "-o",
        ("--records", "two"),
        ("--records", "one"),
        "out/index.html",
        "2 endings, and 1 ending would",
    ),
    Case(
        "site",
        "-o",
        ("--explorer", "--no-pages"),
        ("--explorer", "--no-pages", "--most-men", "2"),
        "out/tables/tables.json",
        "6 tables, and 1 table would",
    ),
]
MERGED = {("verify", "-o")}
"""What is there stays in such a file, whatever else comes."""
REFUSED = {("standings", "--pages")}
"""Fewer games never take the place of more in such a folder, see tests/apps/site."""


@pytest.fixture
def folder(
    tmp_path: Path, table_folder: Path, whole_game_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The current folder, with what the cases read."""
    monkeypatch.chdir(tmp_path)
    Path("one.pgn").write_text("1. e4 e5 1/2-1/2\n")
    Path("data").symlink_to(table_folder)
    Path("other").symlink_to(whole_game_folder)
    for name, materials in {"one": ["KvK"], "two": ["KvK", "KBvK"]}.items():
        Path(name).mkdir()
        for material in materials:
            shutil.copy(RECORDS / f"{material}.json", name)
    return tmp_path


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.command} {case.option} {case.file}"
)
def test_a_file_that_has_more_in_it_is_not_replaced_unless_that_is_asked_for(
    case: Case, folder: Path
) -> None:
    def words(more: tuple[str, ...]) -> list[str]:
        return [*case.command.split(), *more, case.option, "out"]

    assert tbgen(*words(case.much), "-q").returncode == 0
    before = (folder / case.file).read_bytes()
    code, line = complaint(*words(case.less), "-q")
    assert (code, case.said in line, line.endswith("or give --force")) == (2, True, True), line
    assert (folder / case.file).read_bytes() == before
    assert tbgen(*words(case.much), "-q").returncode == 0
    assert tbgen(*words(case.less), "-q", "--force").returncode == 0
    assert (folder / case.file).read_bytes() != before


def test_a_list_of_digests_keeps_what_it_has(folder: Path) -> None:
    assert tbgen("verify", "KvK", "KBvK", "--digest", "-o", "known.csv", "-q").returncode == 0
    before = Path("known.csv").read_bytes()
    printed("build", "KBvK", "--outcomes", "--data", "outcomes", "-q")
    assert (
        tbgen(
            "verify", "KBvK", "--digest", "-o", "known.csv", "--data", "outcomes", "-q"
        ).returncode
        == 0
    )
    assert Path("known.csv").read_bytes() == before


def test_a_match_of_fewer_games_is_refused_before_the_first(folder: Path) -> None:
    seen = folder / "seen"
    assert tbgen("match", *TWO, "4", "-jsonout", "out", "-q").returncode == 0
    words = [
        *scripted("Ann", "--seen", str(seen)),
        *scripted("Bob"),
        "-games",
        "2",
        "-jsonout",
        "out",
        "-q",
    ]
    assert complaint("match", *words)[0] == 2
    assert "go" not in seen.read_text().split()


MATCH = ("match", *TWO, "2")
TWO_OUTPUTS = [
    (MATCH, "-pgnout", "-jsonout"),
    (MATCH, "-pgnout", "-crosstable"),
    (MATCH, "-jsonout", "-crosstable"),
    (("adjudicate", "one.pgn", "-q"), "-o", "--verdicts"),
]


@pytest.mark.parametrize(("words", "one", "other"), TWO_OUTPUTS)
@pytest.mark.parametrize("name", ["out", "./out", "soft", "hard"])
def test_two_outputs_of_one_file_are_refused(
    folder: Path, words: tuple[str, ...], one: str, other: str, name: str
) -> None:
    Path("out").write_text("1. e4 *\n")
    Path("soft").symlink_to("out")
    Path("hard").hardlink_to("out")
    code, line = complaint(*words, one, "out", other, name)
    assert (code, "tbgen: only one of " in line, line.endswith(" can go to out")) == (2, True, True)
    assert Path("out").read_text() == "1. e4 *\n"


def test_json_that_was_written_anew_is_counted_all_the_same(folder: Path) -> None:
    much = ("adjudicate", str(S18), "--verdicts", "out", "-q")
    for layout in ({"indent": 4}, {"separators": (",", ":")}):
        assert tbgen(*much, "--force").returncode == 0
        text = json.dumps(json.loads(Path("out").read_text()), **layout)  # type: ignore[arg-type]
        Path("out").write_text(text)
        code, line = complaint("adjudicate", "one.pgn", "--verdicts", "out", "-q")
        assert (code, "20 games, and 1 game would" in line) == (2, True), line
        assert Path("out").read_text() == text


@pytest.mark.parametrize("text", ["{", "[{]", '{"Table": {"a": 1}}', '{"Table": 1}', "[]", "{}"])
def test_other_json_is_replaced(folder: Path, text: str) -> None:
    Path("out").write_text(text)
    assert tbgen("adjudicate", "one.pgn", "--verdicts", "out", "-q").returncode == 0
    assert Path("out").read_text() != text


def test_the_games_of_a_stream_are_counted_at_its_end(folder: Path) -> None:
    assert tbgen("adjudicate", "one.pgn", "-o", "out", "-q").returncode == 0
    assert tbgen("adjudicate", "-", "-o", "out", "-q", given=b"\n").returncode == 2
    assert tbgen("adjudicate", "-", "-o", "out", "-q", given=b"1. d4 *\n").returncode == 0
    assert "d4" in Path("out").read_text()


@pytest.mark.parametrize(("name", "command"), all_commands())
def test_every_option_that_names_what_is_written_has_a_case(
    name: str, command: click.Command
) -> None:
    tried = {(case.command, case.option) for case in CASES} | MERGED | REFUSED
    for option in command.params:
        if option.metavar in ("FILE", "DIR", "OUT.pgn") and not READ & set(option.opts):
            assert any((name, each) in tried for each in option.opts), option.opts


def test_every_file_that_a_match_writes_has_a_case() -> None:
    tried = {case.option for case in CASES if case.command == "match"}
    assert {f"-{each.name}" for each in OPTIONS.values() if each.form == "FILE"} - {
        "-config"
    } == tried
