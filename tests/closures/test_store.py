"""The store of solved blocks, which several processes use at once."""

import contextlib
import multiprocessing
import random
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import chess
import numpy as np
import pytest

from tbgen.closures.kept import KeptSolves
from tbgen.closures.solver import PositionSolver
from tbgen.closures.store import CHUNK, CHUNK_BITS, FILE, BlockStore
from tbgen.errors import DamagedTableError, UnreadableFileError
from tbgen.storage.arrays import Array
from tests.positions import random_board

NAME = "KPvK-d2-0-WHOLE"
CELLS = np.arange(100_000, dtype=np.int64).astype(np.int8)


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[BlockStore]:
    """A store of its own, as another process has it."""
    with contextlib.closing(BlockStore(folder)) as store:
        yield store


def lose(store: BlockStore, names: Iterable[str]) -> None:
    """Remove some blocks, as another process may."""
    rows = [(name,) for name in names]
    store._write(lambda file: file.executemany("DELETE FROM blocks WHERE name = ?", rows))


def entry_in(store: BlockStore, name: str = NAME) -> Array | None:
    return store.items(name, "entry")


def items_of(store: BlockStore, name: str, part: str) -> Array:
    """The items of a part of a block, which is there."""
    items = store.items(name, part)
    assert items is not None
    return items


def test_any_items_of_a_block_can_be_read(tmp_path: Path) -> None:
    arrays: dict[str, Array] = {
        "entry": CELLS,
        "none": CELLS[:0],
        "wide": np.arange(CHUNK + 1),
    }
    with opened(tmp_path) as store:
        store.put({NAME: arrays})
    with opened(tmp_path) as store:
        for part, array in arrays.items():
            whole = items_of(store, NAME, part)
            np.testing.assert_array_equal(whole, array)
            assert whole.dtype == array.dtype
        for first, end in ((0, 0), (70_000, 99_999), (5, CHUNK), (CHUNK, CHUNK + 1)):
            np.testing.assert_array_equal(store.items(NAME, "entry", first, end), CELLS[first:end])
            room = np.zeros(100_000, np.int8)
            items = store.items(NAME, "entry", first, end, room)
            assert items is not None
            assert np.shares_memory(items, room) or first == end
            np.testing.assert_array_equal(room[: end - first], CELLS[first:end])


def test_blocks_are_found_by_name_and_by_node(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert entry_in(store) is None
        assert store.names_of("KPvK-d2") == []
        assert not any(tmp_path.iterdir()), "reading makes no file"
        store.put({NAME: {"entry": CELLS}})
        assert store.has(NAME)
        assert not store.has("KPvK-d2-0")
        assert store.names_of("KPvK-d2") == [NAME]
        assert store.names_of("KPvK-d") == store.names_of("KPvK-d3") == []


def test_a_block_that_waits_is_read_as_if_it_were_in_the_file(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.put_later(NAME, {"entry": CELLS})
        assert not any(tmp_path.iterdir())
        assert store.has(NAME)
        np.testing.assert_array_equal(store.items(NAME, "entry", 5, 9), CELLS[5:9])
        room = np.zeros(4, np.int8)
        assert store.items(NAME, "entry", 5, 9, room) is room
        np.testing.assert_array_equal(room, CELLS[5:9])
        store.save()
        assert store.names_of("KPvK-d2") == [NAME]
        np.testing.assert_array_equal(items_of(store, NAME, "entry"), CELLS)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE chunks SET content = substr(content, 1, length(content) - 9)",
        "UPDATE chunks SET content = zeroblob(length(content))",
        f"DELETE FROM chunks WHERE number & {(1 << CHUNK_BITS) - 1} = 1",
        "UPDATE chunks SET content = (SELECT max(content) FROM chunks)",
    ],
)
def test_a_damaged_block_is_an_error(tmp_path: Path, damage: str) -> None:
    with opened(tmp_path) as store:
        store.put({NAME: {"entry": CELLS}, "other": {"entry": CELLS}})
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute(damage)
        connection.commit()
    with opened(tmp_path) as store:
        with pytest.raises(DamagedTableError, match=NAME):
            entry_in(store)
        assert not store.has(NAME)
        store.put({NAME: {"entry": CELLS}})
        np.testing.assert_array_equal(items_of(store, NAME, "entry"), CELLS)


def test_a_damaged_block_is_removed_once_however_many_threads_meet_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second thread may not remove what the first one has solved again."""
    read_chunks = BlockStore._read_chunks

    def read_after_other_thread(store: BlockStore, *given: Any) -> None:
        monkeypatch.undo()
        with pytest.raises(DamagedTableError):
            entry_in(store)
        store.put({NAME: {"entry": CELLS}})
        read_chunks(store, *given)

    with opened(tmp_path) as store:
        store.put({NAME: {"entry": CELLS}})
        store._write(lambda connection: connection.execute("DELETE FROM chunks"))
        monkeypatch.setattr(BlockStore, "_read_chunks", read_after_other_thread)
        assert entry_in(store) is None
        np.testing.assert_array_equal(items_of(store, NAME, "entry"), CELLS)


@pytest.mark.parametrize("content", [b"no database", bytes(8192)])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    with opened(tmp_path) as store:
        store.put({NAME: {"entry": CELLS}})
        store.put_answer("question", NAME, [1])
    for path in tmp_path.glob(f"{FILE}-*"):
        path.unlink()
    (tmp_path / FILE).write_bytes(content)
    with opened(tmp_path) as store:
        assert entry_in(store) is None
        assert store.answers("question", 9) == []
        store.put({NAME: {"entry": CELLS}})
        assert store.has(NAME)


def test_an_error_that_is_no_damage_removes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.put({NAME: {"entry": CELLS}})
        with pytest.raises(sqlite3.IntegrityError):
            store._write(lambda connection: connection.execute("INSERT INTO blocks DEFAULT VALUES"))
        assert store.has(NAME)


def test_a_file_that_could_not_be_prepared_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as store:
        with monkeypatch.context() as patched:
            patched.setattr("tbgen.closures.store._TABLES", "SELECT no_such_function()")
            with pytest.raises(UnreadableFileError):
                store.put({NAME: {"entry": CELLS}})
        store.put({NAME: {"entry": CELLS}})
        assert store.has(NAME)


def test_a_system_that_refuses_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with opened(tmp_path) as store, pytest.raises(UnreadableFileError, match=FILE):
        store.put({NAME: {"entry": CELLS}})


def test_the_least_recently_used_blocks_go_first(tmp_path: Path) -> None:
    noise = np.frombuffer(random.Random(1).randbytes(1 << 16), np.int8)
    names = [f"KPvK-d2-{number}-WHOLE" for number in range(6)]
    for name in names:
        with opened(tmp_path) as store:
            store.put({name: {"entry": noise}})
            store.shrink(1 << 30)
    with opened(tmp_path) as store:
        assert entry_in(store, names[0]) is not None
        store.shrink(4 << 16)
        left = [name for name in names if store.has(name)]
        assert left[0] == names[0], "it was used last"
        assert left[1:] == names[-len(left) + 1 :]
        assert 2 <= len(left) <= 4


def test_an_answer_stays_as_long_as_the_block_that_it_rests_on(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.put({NAME: {"entry": CELLS}, "other": {"entry": CELLS}})
        for answer, name in ((1, NAME), (2, "other"), (3, NAME), (4, "never there")):
            store.put_answer("question", name, answer)
        assert store.answers("question", 9) == [3, 2], "the last first, one for each block"
        assert store.answers("question", 1) == [3]
        store.shrink(1 << 30)
    with opened(tmp_path) as store:
        assert entry_in(store) is not None
        store.shrink(0)
        assert store.answers("question", 9) == [3]
    with opened(tmp_path) as store:
        store.shrink(0)
        assert store.answers("question", 9) == []


def test_a_solve_goes_on_although_the_folder_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "solved"
    with opened(folder) as store:
        store.put({NAME: {"entry": CELLS}})
        shutil.rmtree(folder)
        assert entry_in(store) is None
        store.put({"other": {"entry": CELLS}})
        assert store.has("other")
        with opened(folder) as other:
            assert other.has("other")


def test_blocks_of_a_folder_that_cannot_be_written_to_are_read_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as store:
        store.put({NAME: {"entry": CELLS}})
    monkeypatch.setattr(BlockStore, "_is_writable", lambda store: False)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with opened(tmp_path) as store:
        np.testing.assert_array_equal(items_of(store, NAME, "entry"), CELLS)
        with pytest.raises(UnreadableFileError, match="readonly"):
            store.shrink(0)
        with monkeypatch.context() as patch, opened(tmp_path) as other:
            patch.setattr(BlockStore, "_is_writable", lambda store: True)
            other.put({"other": {"entry": CELLS}})
        assert store.has("other"), "somebody who can has changed the file"
    assert before.keys() == set(tmp_path.iterdir())


@pytest.mark.parametrize("reads_only", [False, True])
def test_blocks_are_those_of_the_folder_that_has_some(tmp_path: Path, *, reads_only: bool) -> None:
    empty = tmp_path / "empty"
    with_blocks = tmp_path / "with"
    empty.mkdir()
    with_blocks.mkdir()
    with PositionSolver(with_blocks) as solver:
        board = chess.Board("8/8/8/8/8/2k5/2p1P3/2K5 w - - 0 1")
        expected = solver.solve(board).bracket
    with PositionSolver([empty, with_blocks], reads_only=reads_only) as solver:
        found = solver.solved(board)
    assert found is not None
    assert found.bracket == expected
    assert list(empty.iterdir()) == []


def put_and_shrink(folder: Path, rounds: int) -> None:
    with opened(folder) as store:
        for number in range(rounds):
            name = f"KPvK-d2-{number % 7}"
            store.put({name: {"entry": CELLS}})
            found = store.items(name, "entry", 5, 65_600)
            if found is not None:  # else the other one has removed it
                assert (found == CELLS[5:65_600]).all()
            store.shrink(0)


def test_two_processes_that_remove_each_others_blocks_read_what_they_have(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=put_and_shrink, args=(tmp_path, 100)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]


def put_for_ever(folder: Path) -> None:
    number = 0
    with opened(folder) as store:
        while True:
            number += 1
            store.put({f"{NAME}-{number}": {"entry": CELLS + np.int8(number % 100)}})


def test_a_killed_process_leaves_whole_blocks(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=put_for_ever, args=(tmp_path,))
    process.start()
    seen = 0
    with opened(tmp_path) as store:
        while seen < 5:
            time.sleep(0.01)
            seen += store.has(f"{NAME}-{seen + 1}")
        process.kill()
        process.join(60)
        number = 1
        while (entry := entry_in(store, f"{NAME}-{number}")) is not None:
            assert (entry == CELLS + np.int8(number % 100)).all()
            number += 1
    assert number > seen


def near_promotion(draw: random.Random) -> chess.Board:
    """A pawn of either side that has a step or two to go."""
    while True:
        board = random_board(draw, "KPvKP")
        (white_pawn,) = board.pieces(chess.PAWN, chess.WHITE)
        (black_pawn,) = board.pieces(chess.PAWN, chess.BLACK)
        if chess.square_rank(white_pawn) >= 5 and chess.square_rank(black_pawn) <= 2:
            return board


def solve_on(folder: Path, seed: int, seconds: float, cache_bytes: int) -> dict[str, str]:
    """Solve random ones of fifty positions, and return their brackets."""
    draw = random.Random(seed)
    boards = [near_promotion(random.Random(number)) for number in range(50)]
    found = dict[str, str]()
    end = time.monotonic() + seconds
    with (
        PositionSolver(folder, threads=1) as solver,
        mock.patch.object(KeptSolves, "find", return_value=None),  # so blocks are read
    ):
        solver.cache_bytes = cache_bytes
        while len(found) < 5 or time.monotonic() < end:
            board = draw.choice(boards)
            bracket = str(solver.solve(board).bracket)
            assert found.setdefault(board.epd(), bracket) == bracket
    return found


@pytest.mark.slow
def test_two_solvers_share_a_folder_and_find_what_one_finds_alone(
    table_folder: Path, tmp_path: Path
) -> None:
    """The cache holds some ten blocks, so both remove all the time what the other one needs."""
    seconds = 600
    shared = tmp_path / "shared"
    alone = tmp_path / "alone"
    for folder in (shared, alone):
        folder.mkdir()
        for name in ("KvK", "KNvK", "KBvK", "KRvK", "KQvK"):
            shutil.copy(table_folder / f"{name}.h5", folder)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        solves = [pool.submit(solve_on, shared, seed, seconds, 200_000) for seed in (1, 2)]
    with PositionSolver(alone) as solver:
        for solve in solves:
            for epd, bracket in solve.result().items():
                assert str(solver.solve(f"{epd} 0 1").bracket) == bracket
