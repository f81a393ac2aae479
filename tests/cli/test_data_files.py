"""Files of data: an output replaces what was there, but never what is read or written beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.apps.match.matches import scripted
from tests.cli.calls import complaint, printed, tbgen
from tests.project import S18

MATCH = ("match", *scripted("Ann"), *scripted("Bob"), "-srand", "1", "-games", "2")
NAMES = ("out", "./out", "soft", "hard")
"""Names of one file."""


@pytest.fixture
def folder(tmp_path: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with what commands read, and one file of four names."""
    monkeypatch.chdir(tmp_path)
    Path("one.pgn").write_text("1. e4 e5 1/2-1/2\n")
    Path("data").symlink_to(table_folder)
    Path("out").write_text("1. e4 *\n")
    Path("soft").symlink_to("out")
    Path("hard").hardlink_to("out")
    return tmp_path


def test_an_output_replaces_what_was_there(folder: Path) -> None:
    Path("out").write_bytes(S18.read_bytes())
    for option in ("-o", "--verdicts"):
        assert tbgen("adjudicate", "one.pgn", option, "out", "-q").returncode == 0
        assert Path("out").read_bytes().count(b"1/2-1/2") == 1


def test_what_is_read_is_not_written_over_by_any_of_its_names(folder: Path) -> None:
    """Transcripts have other commands and options."""
    for words in (("adjudicate", "one.pgn", "out"), ("pair", "out", "--rounds", "3")):
        for name in NAMES:
            code, line = complaint(*words, "-q", "-o", name)
            assert (code, line) == (2, f"tbgen: {name} is what is read; name another file")
            assert Path("out").read_text() == "1. e4 *\n"


TWO_OUTPUTS = [
    (MATCH, "-pgnout", "-jsonout"),
    (MATCH, "-pgnout", "-crosstable"),
    (MATCH, "-jsonout", "-crosstable"),
    (("adjudicate", "one.pgn", "-q"), "-o", "--verdicts"),
    (("pair", "one.pgn", "--rounds", "3", "-q"), "--players", "-o"),
]


@pytest.mark.parametrize(("words", "one", "other"), TWO_OUTPUTS)
def test_two_outputs_of_one_file_are_refused(
    folder: Path, words: tuple[str, ...], one: str, other: str
) -> None:
    for name in NAMES:
        code, line = complaint(*words, one, "out", other, name)
        assert code == 2
        assert line.startswith("tbgen: only one of ")
        assert line.endswith(" can go to out")
        assert Path("out").read_text() == "1. e4 *\n"


def test_a_list_of_digests_keeps_what_it_has(folder: Path) -> None:
    assert tbgen("verify", "KvK", "KBvK", "--digest", "-o", "known.csv", "-q").returncode == 0
    before = Path("known.csv").read_bytes()
    printed("build", "KBvK", "--outcomes", "--data", "outcomes", "-q")
    words = ("verify", "KBvK", "--digest", "-o", "known.csv", "--data", "outcomes", "-q")
    assert tbgen(*words).returncode == 0
    assert Path("known.csv").read_bytes() == before
