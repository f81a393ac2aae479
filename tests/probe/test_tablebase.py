"""What a tablebase accepts, refuses and survives."""

from __future__ import annotations

import os
import pickle
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import chess
import pytest

from tbgen.errors import (
    AccruedError,
    CastlingError,
    DamagedTableError,
    FenError,
    IllegalPositionError,
    MissingFolderError,
    MissingTableError,
    TooManyMenError,
    UsageError,
)
from tbgen.material import materials, table_named
from tbgen.probe import Tablebase, open_tablebase
from tbgen.score import Score
from tbgen.storage import pooled
from tbgen.storage.files import path_of
from tests.copies import copy_tables
from tests.positions import AFTER_KE5, random_boards


def test_a_tablebase_says_which_tables_it_has(tables: Tablebase) -> None:
    assert len(tables.available()) == 6
    assert "KBvK" in tables
    assert "KvKB" in tables, "the colours do not matter"
    assert table_named("KBvK") in tables
    assert chess.Board(AFTER_KE5) in tables
    for other in ("KRvKB", "KBBBBvK", "rubbish", None, chess.Board(), chess.Board(None)):
        assert other not in tables
    assert tables.max_men == 3
    assert repr(tables) == f"<Tablebase of {tables.folders[0]}: 6 tables of 2 to 3 men>"


@pytest.mark.usefixtures("unbundled")
def test_an_empty_tablebase_says_so(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    with open_tablebase([tmp_path, tmp_path / "more"]) as tables:
        assert tables.available() == []
        assert "KBvK" not in tables
        assert tables.max_men == 0
        assert repr(tables) == f"<Tablebase of {tmp_path}, {tmp_path / 'more'}: no tables>"
    assert repr(tables).endswith("more: no tables, closed>")


@pytest.mark.usefixtures("unbundled")
def test_a_tablebase_of_one_table_says_so(tmp_path: Path, table_folder: Path) -> None:
    copy_tables(table_folder, tmp_path, "KvK")
    with open_tablebase(tmp_path) as tables:
        assert repr(tables) == f"<Tablebase of {tmp_path}: 1 table of 2 to 2 men>"


def test_a_position_may_be_a_fen_with_what_has_accrued(tables: Tablebase) -> None:
    fen = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"
    board = chess.Board(fen)
    for accrued in (None, "G4.0", "4.0"):
        text = fen if accrued is None else f"{fen} {accrued}"
        expected = tables.probe(board, accrued)
        assert tables[text] == expected
        assert tables.probe(text) == expected
        assert tables.get(text) == expected
        assert tables.probe_moves(text) == tables.probe_moves(board, accrued)
        assert tables.line(text) == tables.line(board, accrued)
    assert tables.probe(f"{fen} G4.0", "G3.0") == tables.probe(board, "G3.0")
    assert tables.probe_every_accrued(fen) == tables.probe_every_accrued(board)
    assert tables[board] == tables.probe(board)
    for ask in (tables.probe, tables.probe_moves, tables.line):
        with pytest.raises(FenError):
            ask("KBvK")


def test_another_process_opens_the_same_tables(table_folder: Path, whole_game_folder: Path) -> None:
    for folder, game in ((table_folder, "r-mobility"), (whole_game_folder, "whole-game")):
        with open_tablebase(folder, mobility=game, outcomes_only=True, compiled=True) as opened:
            again = pickle.loads(pickle.dumps(opened))
            assert again.folders == opened.folders
            assert again.mobility == opened.mobility
            with again:
                assert again.probe(AFTER_KE5) == opened.probe(AFTER_KE5)
                assert again.probe(AFTER_KE5).dtg is None


@pytest.mark.parametrize(
    ("fen", "error", "words"),
    [
        ("8/8/8/4KBkq/8/8/8/8 w - - 0 1", MissingTableError, "tbgen build KQvKB"),
        (chess.STARTING_FEN.replace("KQkq", "-"), TooManyMenError, "32 men"),
        ("6k1/8/8/8/8/8/8/4K2R w K - 0 1", CastlingError, "castling"),
        ("8/8/8/4KBK1/8/8/8/8 b - - 0 1", IllegalPositionError, "Black has no king"),
        ("8/8/8/4KBk1/8/8/8/8 w - e6 0 1", IllegalPositionError, "en passant"),
        ("8/8/4R3/4k3/8/8/8/K7 w - - 0 1", IllegalPositionError, "Black is in check"),
        ("8/8/8/3Kk3/8/8/8/8 w - - 0 1", IllegalPositionError, "next to each other"),
        ("8/8/8/3K1k~2/8/8/8/8 w - - 0 1", IllegalPositionError, "marked as a promoted pawn"),
        ("P7/8/8/3K1k2/8/8/8/8 w - - 0 1", IllegalPositionError, "last rank"),
    ],
)
def test_what_no_table_knows_is_one_clear_error(
    tables: Tablebase, fen: str, error: type[Exception], words: str
) -> None:
    for ask in (tables.probe, tables.probe_moves, tables.line):
        with pytest.raises(error, match=words):
            ask(chess.Board(fen))


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("G0.0", "would have ended"),
        ("-G0.5", "would have ended"),
        ("-G2.0", "gives no check"),
        ("G9.5", "at most 8 moves"),
    ],
)
def test_a_score_that_cannot_have_accrued_is_refused(
    tables: Tablebase, score: str, words: str
) -> None:
    board = chess.Board("8/8/8/8/8/5Q2/3k4/K7 w - - 9 9")
    with pytest.raises(AccruedError, match=words):
        tables.probe(board, Score(score))


@pytest.mark.usefixtures("unbundled")
def test_a_folder_that_is_not_there_is_no_tablebase(tmp_path: Path) -> None:
    for folders in (tmp_path / "nowhere", [tmp_path, tmp_path / "nowhere"]):
        with pytest.raises(MissingFolderError, match="nowhere"):
            Tablebase(folders)
        with Tablebase(folders, missing_ok=True) as opened:
            assert opened.available() == []


def test_a_damaged_table_is_refused_and_a_replaced_one_goes_on(
    table_folder: Path, tmp_path: Path
) -> None:
    path = path_of(tmp_path, table_named("KBvK"))
    copy_tables(table_folder, path.parent, "KBvK")
    with open_tablebase(tmp_path, cache_bytes=0) as opened:
        expected = opened.probe(chess.Board(AFTER_KE5))
        (tmp_path / "other").write_bytes(b"nonsense")
        (tmp_path / "other").replace(path)
        assert opened.probe(chess.Board(AFTER_KE5)) == expected
    with open_tablebase(tmp_path) as opened, pytest.raises(DamagedTableError, match="KBvK"):
        opened.probe(chess.Board(AFTER_KE5))


def test_more_tables_answer_than_files_may_be_open(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = list(random_boards(43, 60, materials(3)))
    with open_tablebase(table_folder) as opened:
        expected = [opened.probe(board) for board in boards]
    monkeypatch.setattr(pooled, "most_files", lambda: 6)
    before = len(os.listdir("/proc/self/fd"))
    with open_tablebase(table_folder, cache_bytes=0) as opened:
        for board, probe in zip(boards, expected, strict=True):
            assert opened.probe(board) == probe
            assert len(os.listdir("/proc/self/fd")) <= before + 3


def test_a_file_that_is_replaced_while_it_has_no_descriptor_is_refused(
    table_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_tables(table_folder, tmp_path, "KBvK")
    path = path_of(tmp_path, table_named("KBvK"))
    with open_tablebase(tmp_path, cache_bytes=0) as opened:
        opened.probe(chess.Board(AFTER_KE5))
        monkeypatch.setattr(pooled, "most_files", lambda: 0)
        opened.probe(chess.Board("8/8/8/3k4/8/3K4/8/8 w - - 0 1"))
        (tmp_path / "other").write_bytes(path.read_bytes())
        (tmp_path / "other").replace(path)
        with pytest.raises(DamagedTableError, match="it was replaced while it was open"):
            opened.probe(chess.Board(AFTER_KE5))


def test_closing_while_others_probe_is_an_answer_or_one_clear_error(table_folder: Path) -> None:
    boards = list(random_boards(41, 60, materials(3)))
    with open_tablebase(table_folder) as opened:
        expected = [opened.probe(board) for board in boards]
    started = threading.Barrier(5)

    def ask(opened: Tablebase, seed: int) -> str:
        draw = random.Random(seed)
        started.wait()
        while True:
            number = draw.randrange(len(boards))
            try:
                assert opened.probe(boards[number]) == expected[number]
            except UsageError as error:
                return str(error)

    for turn in range(20):
        opened = open_tablebase(table_folder, cache_bytes=0)
        with ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(ask, opened, 4 * turn + seed) for seed in range(4)]
            started.wait()
            opened.probe(boards[turn])
            opened.close()
            opened.close()
            for asker in asking:
                assert asker.result() == "the tablebase is closed"


@pytest.mark.usefixtures("unbundled")
def test_several_folders_are_searched_in_their_order(table_folder: Path, tmp_path: Path) -> None:
    one = tmp_path / "one"
    other = tmp_path / "other"
    one.mkdir()
    other.mkdir()
    copy_tables(table_folder, one, "KvK", "KBvK")
    copy_tables(table_folder, other, "KBvK", "KNvK")
    (other / "KBvK.h5").write_bytes(b"nonsense")
    asked: list[Any] = [f"{one}{os.pathsep}{other}", [str(one), other], (one, other)]
    for folders in asked:
        with open_tablebase(folders) as opened:
            assert opened.folders == (one, other)
            assert list(map(str, opened.available())) == ["KvK", "KNvK", "KBvK"]
            assert opened.probe(chess.Board(AFTER_KE5)).dtg == 4
            assert opened.get(chess.Board("8/8/8/4KNk1/8/8/8/8 b - - 0 1")) is not None
            with pytest.raises(MissingTableError, match="KRvK") as caught:
                opened.probe(chess.Board("8/8/8/8/8/5R2/3k4/K7 w - - 9 9"))
            assert caught.value.folder == f"{one}, {other}"
    with open_tablebase([other, one]) as opened, pytest.raises(DamagedTableError, match="KBvK"):
        opened.probe(chess.Board(AFTER_KE5))


def test_tables_are_looked_for_in_data_if_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TBGEN_DATA", "")
    assert Tablebase(missing_ok=True).folders == (Path("data"),)


def test_without_any_folder_small_endings_have_values(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TBGEN_DATA", raising=False)
    with Tablebase() as tables:
        assert tables.max_men == 3
        assert tables.probe(chess.Board(AFTER_KE5)).dtg == 4
        with pytest.raises(MissingTableError, match="no table KQvKB in data; build it with: tbgen"):
            tables.probe("8/8/8/4KBkq/8/8/8/8 w - - 0 1")
    assert not Path("data").exists()
    monkeypatch.setenv("TBGEN_DATA", "nowhere")
    with pytest.raises(MissingFolderError, match="nowhere"):
        Tablebase()


@pytest.mark.parametrize("wrong", [b"G4.0", 4.0, 9, True])
def test_what_is_no_score_is_refused_by_name(tables: Tablebase, wrong: object) -> None:
    for ask in (tables.probe, tables.get, tables.probe_moves, tables.line):
        with pytest.raises(UsageError, match="accrued must be a score"):
            ask(chess.Board(AFTER_KE5), wrong)  # type: ignore[arg-type]
