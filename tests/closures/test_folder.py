"""The folder of solved blocks, which several processes use at once."""

import errno
import multiprocessing
import os
import random
import resource
import shutil
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from tbgen.closures import folder as block_folder
from tbgen.closures.folder import BlockFolder
from tbgen.closures.solving import PositionSolver
from tbgen.errors import DamagedTableError
from tbgen.storage.arrays import write_arrays
from tests.positions import random_board

KEY = "KPvK-d2-0"
CELLS = np.arange(100_000, dtype=np.int64).astype(np.int8)


def shrink(folder: Path) -> None:
    BlockFolder(folder).shrink(0)


def test_a_block_that_another_process_has_removed_can_be_read_on(tmp_path: Path) -> None:
    here = BlockFolder(tmp_path)
    here.put(KEY, {"LOWER": CELLS})
    found = here.get(KEY)
    assert found is not None
    other = multiprocessing.get_context("spawn").Process(target=shrink, args=(tmp_path,))
    other.start()
    other.join(60)
    assert other.exitcode == 0
    assert list(tmp_path.iterdir()) == []
    np.testing.assert_array_equal(found.items("LOWER", 70_000, 99_999), CELLS[70_000:99_999])
    assert BlockFolder(tmp_path).get(KEY) is None, "for the next solve it is not solved"


def test_a_block_that_is_cut_short_empty_or_changed_is_not_solved(tmp_path: Path) -> None:
    BlockFolder(tmp_path).put(KEY, {"LOWER": CELLS})
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for content in (b"", whole[:40], whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1])):
        path.write_bytes(content)
        assert BlockFolder(tmp_path).get(KEY) is None
    path.write_bytes(whole)
    assert BlockFolder(tmp_path).get(KEY) is not None


def refuse(*_: object) -> None:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def test_a_block_of_another_user_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the owner of a file may mark it as used."""
    BlockFolder(tmp_path).put(KEY, {"LOWER": CELLS})
    monkeypatch.setattr(os, "utime", refuse)
    block = BlockFolder(tmp_path).get(KEY)
    assert block is not None
    np.testing.assert_array_equal(block.items("LOWER"), CELLS)


def test_a_block_that_only_another_user_may_read_is_not_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    BlockFolder(tmp_path).put(KEY, {"LOWER": CELLS})
    monkeypatch.setattr(os, "open", refuse)
    assert BlockFolder(tmp_path).get(KEY) is None


def test_a_disk_that_returns_other_bytes_than_it_took_ends_the_solve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = []

    def write_wrongly(path: Path, *arguments: Any) -> None:
        assert len(writes) < 5, "it writes for ever"
        writes.append(path)
        write_arrays(path, *arguments)
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))

    monkeypatch.setattr(block_folder, "write_arrays", write_wrongly)
    with pytest.raises(DamagedTableError, match=f"{KEY}.block"):
        BlockFolder(tmp_path).put(KEY, {"LOWER": CELLS})
    assert len(writes) == 1


def test_a_block_is_kept_although_its_folder_is_removed_at_the_wrong_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "solved"
    moments = iter(["before it is written", "before it is opened", "later"])

    def write_and_remove(*arguments: Any) -> None:
        moment = next(moments)
        if moment == "before it is written":
            shutil.rmtree(folder)
        write_arrays(*arguments)
        if moment == "before it is opened":
            shutil.rmtree(folder)

    monkeypatch.setattr(block_folder, "write_arrays", write_and_remove)
    BlockFolder(folder).put(KEY, {"LOWER": CELLS})
    assert BlockFolder(folder).get(KEY) is not None


def put_many(folder: Path) -> None:
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (400, most_files))
    blocks = BlockFolder(folder)
    for number in range(500):
        blocks.put(f"{KEY}-{number}", {"LOWER": CELLS[number : number + 9]})
    for number in range(500):
        found = blocks.get(f"{KEY}-{number}")
        assert found is not None
        assert (found.items("LOWER") == CELLS[number : number + 9]).all()
    blocks.shrink(0)
    assert len(list(folder.iterdir())) == 500, "all of them are used"


def test_more_blocks_are_used_than_a_process_may_open_files(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=put_many, args=(tmp_path,))
    process.start()
    process.join(60)
    process.kill()
    assert process.exitcode == 0


def solve_and_shrink(folder: Path, rounds: int) -> None:
    for number in range(rounds):
        blocks = BlockFolder(folder)
        key = f"KPvK-d2-{number % 7}"
        blocks.put(key, {"LOWER": CELLS})
        found = blocks.get(key)
        assert found is not None
        assert (found.items("LOWER", 5, 65_600) == CELLS[5:65_600]).all()
        blocks.shrink(0)


def test_two_processes_that_remove_each_others_blocks_read_what_they_have(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=solve_and_shrink, args=(tmp_path, 300)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]


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
    with PositionSolver(folder, threads=1) as solver:
        solver.cache_bytes = cache_bytes
        while len(found) < 5 or time.monotonic() < end:
            board = draw.choice(boards)
            bracket = str(solver.solve(board).bracket)
            assert found.setdefault(board.epd(), bracket) == bracket
    return found


@pytest.mark.parametrize("seconds", [1, pytest.param(600, marks=pytest.mark.slow)])
def test_two_solvers_share_a_folder_and_find_what_one_finds_alone(
    table_folder: Path, tmp_path: Path, seconds: int
) -> None:
    """The cache holds some ten blocks, so both remove all the time what the other one needs."""
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
