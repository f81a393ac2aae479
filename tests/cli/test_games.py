"""Games of PGN files: several of them, what is skipped, and what contradicts them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import printed, tbgen

SHORT = '[White "{}"]\n\n1. e4 e5 *\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in "abc":
        (tmp_path / f"{name}.pgn").write_text(SHORT.format(name))
    (tmp_path / "d.pgn.gz").write_bytes(gzip.compress(SHORT.format("d").encode()))
    return tmp_path


def scored(*arguments: str) -> Any:
    return json.loads(printed("score", "--json", *arguments))


def test_what_is_skipped_is_named_with_its_reason(folder: Path) -> None:
    (folder / "b.pgn").write_text('[White "b"]\n\n1. e4 Ke5 *\n\n[Event "x"]\n[White "good"]\n\n1. d4 *\n')
    (folder / "c.pgn").write_bytes(b"\0\1\2")
    names = [str(folder / name) for name in ("a.pgn", "b.pgn", "missing.pgn", "c.pgn", "d.pgn.gz")]
    done = tbgen("score", "--json", "--pgn", *names)
    found = json.loads(done.stdout)
    assert [game["white"] for game in found["games"]] == ["a", "good", "d"]
    assert [game["number"] for game in found["games"]] == [1, 2, 1]
    skipped = found["skipped"]
    assert [each["file"] for each in skipped] == names[1:4]
    assert [each["reason"] for each in skipped] == [
        "illegal move 'Ke5'",
        "No such file or directory",
        "it is a binary file, not text",
    ]
    assert (skipped[0]["number"], skipped[0]["ply"]) == (1, 2)
    assert len(done.stderr.splitlines()) == 3
    assert done.returncode == 2


MATE = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#"
STALEMATE = (
    "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7 9. Qxc8 Kg6 10. Qe6"
)


@pytest.mark.parametrize(("moves", "final", "points"), [(MATE, "G0.0", 1), (STALEMATE, "G0.5", 0.75)])
def test_the_board_decides_before_any_tag_and_each_command_says_so_once(
    tmp_path: Path, moves: str, final: str, points: float
) -> None:
    path = tmp_path / "games.pgn"
    tags = '[White "a"]\n[Black "b"]\n[Result "0-1"]\n[RMobilityResult "-G0.0"]\n[Points "0.0000-1.0000"]\n'
    path.write_text(f"{tags}\n{moves} 0-1\n")
    commands = (["score", "--pgn", str(path), "--json"], ["adjudicate", str(path), "--verdicts", "-"])
    for command in commands:
        done = tbgen(*command)
        assert json.loads(done.stdout)["games"][0]["final"] == final
        assert done.stderr.count('Result says "0-1", but the moves end in ') == 1
    done = tbgen("standings", str(path), "--json")
    assert {row["name"]: row["points"] for row in json.loads(done.stdout)["players"]} == {"a": points, "b": 1 - points}
    assert done.stderr.count('Result says "0-1", but the moves end in ') == 1
