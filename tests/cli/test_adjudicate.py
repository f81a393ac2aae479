from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from tbgen.apps.games import batch
from tbgen.apps.games.text import Chunk
from tbgen.apps.match.journal import state_path
from tbgen.library import build
from tbgen.system.process import try_lock
from tests.cli.calls import GAME, complaint, tbgen
from tests.project import S18

HELD = """\
[Event "held"]
[Result "1/2-1/2"]
[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]

30. Bh3 Kg6 1/2-1/2
"""


def test_a_stream_is_read_and_written(table_folder: Path) -> None:
    words = ("adjudicate", "-", "-q", "--data", str(table_folder))
    done = tbgen(*words, given=HELD.encode())
    assert '[RMobilitySource "tablebase"]' in done.stdout
    again = tbgen(*words, given=done.stdout.encode())
    assert (again.stdout, again.stderr, done.stderr) == (done.stdout, "", "")


def test_a_file_that_a_match_writes_is_not_changed_in_place(games: Path) -> None:
    with open(state_path(games), "w") as state:
        assert try_lock(state.fileno())
        code, line = complaint("adjudicate", str(games), "--in-place", "-q")
    assert (code, line) == (
        1,
        f"tbgen: {games}: a match is writing to it; adjudicate it when the match is over",
    )
    assert games.read_text() == GAME
    assert tbgen("adjudicate", str(games), "--in-place", "-q").returncode == 0


def test_a_file_that_grows_while_it_is_read_is_not_changed_in_place(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = batch.GamesDecider.decide

    def growing(self: batch.GamesDecider, chunk: Chunk, name: str) -> batch.ChunkReport:
        games.write_text(f"{GAME}1. d4 *\n")
        return decide(self, chunk, name)

    monkeypatch.setattr(batch.GamesDecider, "decide", growing)
    code, line = complaint("adjudicate", str(games), "--in-place", "-q")
    assert (code, line) == (
        1,
        f"tbgen: {games}: it has changed since it was read, and stays as it is",
    )
    assert games.read_text().startswith(f"{GAME}1. d4 *\n")


@contextlib.contextmanager
def no_file_over(size: int) -> Iterator[None]:
    """The system refuses to write more bytes to a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    "words", [["-o", "out.pgn"], ["--in-place"], ["--verdicts", "out.json"], ["-o", "/dev/full"]]
)
def test_a_write_that_the_system_refuses_names_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(S18.read_bytes() * 10)
    monkeypatch.chdir(tmp_path)
    tbgen("adjudicate", "games.pgn", "-q")  # what is compiled meanwhile is written to a file
    with no_file_over(20_000):
        done = tbgen("adjudicate", "games.pgn", "-q", *words)
    reason = "No space left on device" if "/dev/full" in words else "File too large"
    name = "games.pgn" if words == ["--in-place"] else words[1]
    assert (done.returncode, done.stderr.splitlines()) == (1, [f"tbgen: {name}: {reason}"])
    assert [each.name for each in tmp_path.iterdir()] == ["games.pgn"]
    assert path.read_bytes() == S18.read_bytes() * 10


def test_tables_that_need_more_memory_than_is_free_have_no_false_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "available_memory", lambda: 1 << 20)
    game = tmp_path / "game.pgn"
    game.write_text('[FEN "8/8/8/4n3/8/3B4/1K3k2/8 w - - 0 60"]\n\n1/2-1/2\n')
    folder = tmp_path / "tables"
    folder.mkdir()
    said = tbgen("adjudicate", str(game), "--data", str(folder)).stderr.splitlines()
    assert said[-1].startswith("that makes 4 tables; 4 of them need more memory than is free")
    assert said[-1].endswith(f": tbgen build --for {game} --data {folder} --outcomes --plan")
