"""Several files in one: each game stays what it was in its own file."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import random
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.games.edits import JoinedGames
from tbgen.apps.games.text import Chunk
from tbgen.errors import PgnError
from tests.apps.games.test_compiled_reader import texts
from tests.cli.calls import tbgen
from tests.project import S18


def game(event: str, round_: str, white: str, black: str, moves: str, result: str) -> str:
    tags = {"Event": event, "Round": round_, "White": white, "Black": black, "Result": result}
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    return "\n".join([*lines, "", moves])


def event(name: str, last: str, end: str) -> str:
    """Three games of two players, the last with these moves, and the end of their file."""
    white, black = f"{name} White", f"{name} Black"
    games = [
        game(name, "1", white, black, "1. f3 e5 2. g4 Qh4# 0-1", "0-1"),
        game(name, "2", black, white, "1. e4 e5 1/2-1/2", "1/2-1/2"),
        game(name, "3", white, black, last, "1-0"),
    ]
    return "\n\n".join(games) + end


FILES = {
    "plain.pgn": event("Plain", "1. e4 1-0", "\n"),
    "bare.pgn": event("Bare", "1. e4 1-0", ""),
    "semicolon.pgn": event("Semicolon", "1. e4 1-0", "\n; { Game Nr. 3 : A mates B }"),
    "escaped.pgn": event("Escaped", "1. e4 1-0", "\n% written by a program"),
    "comment.pgn": event("Comment", "1. e4 e5 {cut here", ""),
    "variation.pgn": event("Variation", "1. e4 (1. d4 d5", ""),
    "cut.pgn": event("Cut", "1. e4 e5 2. Nf3", ""),
    "windows.pgn": event("Windows", "1. e4 1-0", "\n\n").replace("\n", "\r\n"),
    "mark.pgn": "\ufeff" + event("Mark", "1. e4 1-0", "\n"),
    "packed.pgn.gz": event("Packed", "1. e4 1-0", "\n; end"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("joined")
    for name, text in FILES.items():
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    # A real file with 20 games.
    (folder / "archive.pgn").write_bytes(S18.read_bytes().rstrip() + b"\n; { the last game }")
    return folder


def standings(*names: Path | str) -> dict[str, object]:
    """The standings of each event of some files; what is unreadable is named without its place."""
    done = tbgen("standings", *map(str, names), "--json", "-q")
    events = json.loads(done.stdout)["events"]
    for facts in events:
        for fault in facts["by_sheet"]:
            for place in ("file", "number", "message"):
                fault.pop(place)
    return {facts["event"]: facts for facts in events}


ORDERS = random.Random(115)


def orders(names: list[str]) -> list[list[str]]:
    """Orders of files in which each stands directly behind each other one."""
    found = []
    pairs = set(itertools.permutations(names, 2))
    while pairs:
        order = ORDERS.sample(names, len(names))
        new = set(itertools.pairwise(order)) & pairs
        if new:
            found.append(order)
            pairs -= new
    return found


def told_alone(folder: Path) -> dict[str, object]:
    alone = dict[str, object]()
    for path in sorted(folder.iterdir()):
        alone |= standings(path)
    return alone


def test_files_in_every_order_are_joined_to_the_standings_of_each_alone(
    folder: Path, tmp_path: Path
) -> None:
    alone = told_alone(folder)
    for number, order in enumerate(orders(sorted(path.name for path in folder.iterdir()))):
        copy = tmp_path / f"{number}.pgn"
        done = tbgen("adjudicate", *(str(folder / name) for name in order), "-o", str(copy))
        assert f"{copy} has the 50 games of {len(order)} files\n" in done.stderr
        assert standings(copy) == alone, order


def test_annotated_files_are_kept_apart_too(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "annotated.pgn"
    paths = [str(folder / name) for name in FILES]
    tbgen("annotate", *reversed(paths), "-o", str(copy), "-q")
    told = standings(copy)
    for path in paths:
        for name, facts in standings(path).items():
            assert told[name] == facts


def test_a_game_that_a_cut_file_would_swallow_is_refused(tmp_path: Path) -> None:
    cut = tmp_path / "cut.pgn"
    cut.write_text('[White "A"]\n\n1. e4 e5 {cut here')
    untitled = tmp_path / "untitled.pgn"
    untitled.write_text('[White "B"]\n\n1. e4 1-0')
    out = tmp_path / "out.pgn"
    done = tbgen("adjudicate", str(cut), str(untitled), "-o", str(out), "-q")
    assert done.returncode == 2
    assert done.stderr.endswith(
        f"tbgen: {cut}: it is cut off at its end, so no game can follow it in the same file; "
        f"name it behind {untitled}\n"
    )
    assert not out.exists()
    again = tbgen("adjudicate", str(untitled), str(cut), "-o", str(out), "-q")
    assert "cut off at its end" not in again.stderr
    assert len(Chunk(out.read_bytes()).games) == 2


class Told(NamedTuple):
    """What a reader learns of a game."""

    tags: dict[str, str]
    moves: list[str]
    result: str | None
    problem: str | None


def told(text: bytes) -> list[Told]:
    games = Chunk(text).games
    return [Told(game.tags, game.moves, game.result, game.problem) for game in games]


@given(st.lists(texts, min_size=2, max_size=3))
def test_any_texts_are_joined_to_the_same_games_or_refused_behind_a_damaged_one(
    given_texts: list[bytes],
) -> None:
    file = io.BytesIO()
    joined = JoinedGames(file)
    apart = list[Told]()
    is_refused = False
    for number, text in enumerate(given_texts):
        joined.begin(f"{number}.pgn")
        try:
            joined.write(text)
        except PgnError:
            is_refused = True
            break
        apart += told(text)
    if is_refused:
        assert apart[-1].problem is not None
    else:
        assert told(file.getvalue()) == apart
