"""Games of several PGN files, and what is skipped."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.calls import tbgen


def test_what_is_skipped_is_named_with_its_reason(tmp_path: Path) -> None:
    short, broken = (
        '[White "{}"]\n\n1. e4 e5 *\n',
        '[White "b"]\n\n1. e4 Ke5 *\n\n[Event "x"]\n[White "good"]\n\n1. d4 *\n',
    )
    contents = {"a.pgn": short.format("a").encode(), "b.pgn": broken.encode(), "c.pgn": b"\0\1\2"}
    contents["d.pgn.gz"] = gzip.compress(short.format("d").encode())
    folder = tmp_path.joinpath(
        *"d" * (6 - str(tmp_path).count("/"))
    )  # a path has as many slashes as a FEN then
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    names = [str(folder / name) for name in ("a.pgn", "b.pgn", "missing.pgn", "c.pgn", "d.pgn.gz")]
    done = tbgen("score", "--json", "--pgn", *names)
    found = json.loads(done.stdout)
    assert [(game["white"], game["number"]) for game in found["games"]] == [
        ("a", 1),
        ("good", 2),
        ("d", 1),
    ]
    assert [
        (each["file"], each.get("number"), each.get("ply"), each["reason"])
        for each in found["skipped"]
    ] == [
        (names[1], 1, 2, "illegal move 'Ke5'"),
        (names[2], None, None, "No such file or directory"),
        (names[3], None, None, "it is a binary file, not text"),
    ]
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 3)
    decided = json.loads(tbgen("adjudicate", *names[:2], "--verdicts", "-").stdout)
    assert [(game["white"], game["number"], game["file"]) for game in decided["games"]] == [
        ("a", 1, names[0]),
        ("good", 2, names[1]),
    ]
    assert decided["skipped"] == found["skipped"][:1]


def test_several_files_are_annotated_into_one_copy(tmp_path: Path) -> None:
    game = '[White "{}"]\n[Black "x"]\n\n1. e4 e5 *\n'
    files = [tmp_path / "one.pgn", tmp_path / "two.pgn"]
    for file in files:
        file.write_text(game.format(file.stem))
    names = [str(file) for file in files]
    told = tbgen("annotate", *names).stdout
    assert f"{names[1]}, 1. two - x, *: no table knows" in told
    games = json.loads(tbgen("annotate", *names, "--json").stdout)
    assert [list(game)[:2] for game in games] == [["file", "number"]] * 2
    assert [game["file"] for game in games] == names
    copy = tmp_path / "copy.pgn"
    assert tbgen("annotate", *names, "-o", str(copy)).returncode == 0
    assert copy.read_text() == "\n".join(file.read_text() for file in files)
    refused = tbgen("annotate", *names, "--number", "1")
    assert (refused.returncode, refused.stderr) == (
        2,
        "tbgen: --number is of one file, and there are 2; name one\n",
    )


@pytest.mark.parametrize("moves", ["1. f3 e5 2. g4", "1. f3 e5 2. g4 Qh4#", ""])
@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "0-0", "1/2-0", "0-1/2", "*"])
def test_score_and_adjudicate_agree_on_every_result(
    tmp_path: Path, moves: str, result: str
) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(f'[White "A"]\n[Black "B"]\n[Result "{result}"]\n\n{moves} {result}\n')
    verdicts = tmp_path / "verdicts.json"
    tbgen("adjudicate", str(path), "--verdicts", str(verdicts), "-q")
    (decided,) = json.loads(verdicts.read_text())["games"]
    (scored,) = json.loads(tbgen("score", "--pgn", str(path), "--json").stdout)["games"]
    assert (decided["final"], decided["points"]) == (scored["final"], scored["points"])
    assert (decided["final"] is None) == (decided["source"] == "sheet")
    shown = tbgen("score", "--pgn", str(path), "--summary").stdout
    if decided["final"] is None:
        assert shown.endswith(f"no score, {result} on the score sheet\n")
    else:
        assert f"scored as {decided['final']}, {decided['points']['white']:.4f}-" in shown


@pytest.mark.parametrize("command", ["adjudicate", "standings"])
def test_a_tag_whose_case_is_wrong_is_said_once_a_file(tmp_path: Path, command: str) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(3 * '[white "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 1-0\n\n')
    said = tbgen(command, str(path), "-q").stderr.splitlines()
    assert said[0] == (
        f"tbgen: {path}: warning: 3 games have the tag white; did you mean White? "
        "Upper and lower case count"
    )
