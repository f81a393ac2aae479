"""Tables with men of your own, as users ask them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import pytest

from tbgen.errors import MaterialError, UsageError
from tbgen.library.build import build_tables
from tbgen.material import Material
from tbgen.men import own_men
from tbgen.probe import Tablebase
from tbgen.rules.notation import parse_fen

POSITION = "8/8/8/3k4/8/8/1M6/2K5 b - - 0 1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """KMvK, where M is a commoner."""
    made = tmp_path_factory.mktemp("tables") / "M=WF"
    build_tables(["KMvK"], made, threads=1)
    return made


@pytest.fixture(scope="module")
def other_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """KMvK, where M steps and leaps."""
    made = tmp_path_factory.mktemp("tables") / "M=WD"
    build_tables(["KMvK"], made, threads=1)
    return made


def answers(tables: Tablebase, board: chess.Board) -> list[str]:
    """All that a position is asked for."""
    moves = tables.probe_moves(board, "G4.0")
    every = tables.probe_every_accrued(board)
    return [str(tables.probe(board, "G4.0")), *map(str, moves), *map(str, every)]


def asked_by_threads(work: Callable[[], list[str]]) -> set[tuple[str, ...]]:
    """The different answers of four threads that ask a hundred times each."""

    def hundred(_: int) -> set[tuple[str, ...]]:
        return {tuple(work()) for _ in range(100)}

    with ThreadPoolExecutor(4) as pool:
        return set[tuple[str, ...]]().union(*pool.map(hundred, range(4)))


def test_threads_may_share_a_board_with_men_of_ones_own(folder: Path) -> None:
    board, _ = parse_fen(POSITION, men=own_men(["M=WF"]))
    with Tablebase(folder) as tables:
        alone = answers(tables, board)
        assert asked_by_threads(lambda: answers(tables, board)) == {tuple(alone)}
    assert board.fen() == POSITION
    assert board.move_stack == []


@pytest.mark.parametrize(
    "fen", ["8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", "8/8/8/8/8/3k4/7P/K7 w - - 3 9"]
)
def test_threads_may_share_a_board_of_chess(tables: Tablebase, fen: str) -> None:
    board = chess.Board(fen)
    alone = answers(tables, board)
    assert asked_by_threads(lambda: answers(tables, board)) == {tuple(alone)}
    assert board.fen() == fen
    assert board.move_stack == []


def test_tables_with_men_of_ones_own_are_known_by_name(folder: Path) -> None:
    with Tablebase(folder) as tables:
        assert [str(material) for material in tables.available()] == ["KvK", "KMvK"]
        assert "KMvK" in tables
        assert "KvKM" in tables
        assert all(material in tables for material in tables.available())
        assert "KNvK" not in tables
        with pytest.raises(UsageError, match="many probes know the men of chess alone"):
            tables.probe_arrays("KMvK", True, [[2, 9, 35]])
        with pytest.raises(MaterialError, match="no man is called 'A'"):
            tables.probe_arrays("KAvK", True, [[2, 9, 35]])


def test_a_table_whose_men_move_otherwise_is_not_taken_for_another(folder: Path) -> None:
    others = Material.parse("KMvK", own_men(["M=WD"]))
    with Tablebase(folder) as tables:
        assert others not in tables
        with pytest.raises(UsageError, match=r"M moves as WF .*M=WF.*, not as WD"):
            tables.probe_arrays(others, True, [[2, 9, 35]])


def test_folders_that_define_a_letter_differently_are_not_opened_together(
    folder: Path, other_folder: Path
) -> None:
    for folders in ([folder, other_folder], [other_folder, folder]):
        with pytest.raises(UsageError, match=r"M moves as W. in .*, and as W. in "):
            Tablebase(folders)
    with Tablebase(folder) as tables, Tablebase(other_folder) as others:
        assert tables.probe(POSITION) != others.probe(POSITION)
