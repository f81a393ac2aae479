"""The functions of the reader in C, called with bitboards, as an engine calls them, and wrongly."""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tbgen.errors import ScoreFormatError
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.copies import copy_tables
from tests.positions import AFTER_KE5, BISHOP
from tests.readers.bindings import CPosition, Library, Status, Tables, position_of
from tests.readers.c_reader import CLIENT, STRICT, compiler, needs_compiler
from tests.readers.pairs import vectors

pytestmark = needs_compiler

ACCRUED = Score("G4.0")
"""In the position of the bishop."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("library"))


@pytest.fixture
def tables(library: Library, table_folder: Path) -> Iterator[Tables]:
    """All tables of two and three men."""
    opened = library.open(str(table_folder))
    assert isinstance(opened, Tables)
    yield opened
    opened.close()


def assert_vectors_agree(tables: Tables, rows: list[dict[str, str]]) -> None:
    """What three doors say of bitboards that are not the reader's own, beside vectors.csv."""
    assert rows
    for row in rows:
        board = chess.Board(row["fen"])
        position = position_of(board)
        accrued = Score(row["accrued"])
        value = tables.probe(position, accrued)
        root = tables.probe_root(position, accrued)
        if not row["outcome"]:
            assert value.status is Status.BAD_SCORE, row
            assert root.status is Status.BAD_SCORE, row
            continue
        outcome = Score(row["outcome"])
        own = own_score(board)
        carried = own if own.code < accrued.code else accrued
        assert value.found == (outcome, int(row["dtg"])), row
        assert tables.probe_outcome(position, own, carried).found == outcome, row
        assert isinstance(root.found, list)
        assert {move for move, _, _ in root.found} == set(board.legal_moves), row
        if root.found:
            _, best_outcome, best_plies = root.found[0]
            assert best_outcome == outcome, row
            assert best_plies == int(row["dtg"]) or outcome == carried, row


def test_bitboards_give_what_the_vectors_say(tables: Tables) -> None:
    assert_vectors_agree(tables, vectors(2, 3))


@pytest.mark.slow
@pytest.mark.parametrize(("fixture", "men"), [("four_men_folder", 4), ("five_men_folder", 5)])
def test_bitboards_of_more_men_give_what_the_vectors_say(
    library: Library, request: pytest.FixtureRequest, fixture: str, men: int
) -> None:
    opened = library.open(str(request.getfixturevalue(fixture)))
    assert isinstance(opened, Tables)
    assert_vectors_agree(opened, vectors(men, men))
    opened.close()


def test_moves_and_scores_of_whole_games_are_those_of_python_chess(library: Library) -> None:
    draw = random.Random(214)
    checked = 0
    for _ in range(25):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 150:
            board.push(draw.choice(list(board.legal_moves)))
            board.castling_rights = chess.BB_EMPTY
            position = position_of(board)
            moves = library.legal_moves(position)
            assert len(moves) == len(set(moves))
            assert set(moves) == set(board.legal_moves), board.fen()
            assert library.own_score(position).found == own_score(board), board.fen()
            checked += 1
    assert checked > 1500


def test_scores_are_read_and_written_as_elsewhere(library: Library) -> None:
    plain = ("G4.0", "-G3.5", "g3.5", "mG2.5", "G4", "+G4.0", "-g0.5", "G218.5", "G999.5")
    for text in (*plain, "4.0", "-3.5", "+2.0", "\u2212G2.5", "\u22122.5", " G2.5 ", "\tG4\n"):
        score = Score(text)
        assert library.read_score(text) == score, text
        assert library.write_score(score) == str(score)
    for text in (
        "",
        "G",
        "-",
        "4",
        "m2.5",
        "MG2.5",
        "G4.",
        "G4.1",
        "G4.55",
        "G04.0",
        "--G4.0",
        "mm",
        "G1000.0",
    ):
        with pytest.raises(ScoreFormatError):
            Score(text)
        assert library.read_score(text) is None, text


RANKS = """
#include "tbgen_reader.h"
#include <stdio.h>
int main(void)
{
    for (int holder = TBGEN_WHITE; holder <= TBGEN_BLACK; holder++)
        for (int code = 0; code < 2000; code++)
            printf("%d ", tbgen_rank((tbgen_score){holder, code}));
}
"""


def test_the_rank_of_a_score_is_the_same_in_c_and_in_python(tmp_path: Path) -> None:
    source = tmp_path / "ranks.c"
    source.write_text(RANKS)
    program = tmp_path / "ranks"
    subprocess.run(
        [str(compiler()), *STRICT, f"-I{CLIENT}", "-o", str(program), str(source)], check=True
    )
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    scores = [Score(code, holder) for holder in Color for code in range(2000)]
    assert list(map(int, said.split())) == [score.rank for score in scores]


def declarations_in(header: str) -> list[str]:
    """The lines of a header without its comments and preprocessor."""
    plain = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    lines = [" ".join(line.split()).rstrip(",") for line in plain.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def test_a_version_of_the_reader_adds_to_its_header_and_changes_nothing() -> None:
    """header.txt has the declarations of the first minor version."""
    header = (CLIENT / "tbgen_reader.h").read_text(encoding="utf-8")
    version = int(header.partition("#define TBGEN_READER_VERSION ")[2].partition("\n")[0])
    golden = (Path(__file__).parent / "header.txt").read_text(encoding="utf-8").splitlines()
    promised = Counter(golden[1:])
    declared = Counter(declarations_in(header))
    assert version // 100 == int(golden[0]), "a new major version has a new header.txt"
    assert promised <= declared
    assert promised == declared or version % 100


def test_tables_are_known_by_the_names_of_their_men(tables: Tables) -> None:
    assert tables.largest() == 3
    for name in ("KvK", "KQvK", "KvKQ"):
        assert tables.has_material(name), name
    for name in ("KQvKR", "KRPvKRP.pairs", "KQQvK", "QvK", "KK", "KvKvK", "KXvK", "", "KQvK.h5"):
        assert not tables.has_material(name), name
    assert tables.has_position(chess.Board(BISHOP))
    assert tables.has_position(chess.Board(BISHOP).mirror())
    assert not tables.has_position(chess.Board("8/8/4K3/5Bk1/8/8/8/7n w - - 33 30"))
    assert not tables.has_position(chess.Board())


def test_several_folders_are_one(library: Library, table_folder: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    copy_tables(table_folder, tmp_path / "first", "KBvK")
    copy_tables(table_folder, tmp_path / "second", "KvK", "KBvK")
    (tmp_path / "second" / "KBvK.h5").write_bytes(b"not asked: the first folder has that table")
    opened = library.open(f"{tmp_path / 'first'}:{tmp_path / 'second'}")
    assert isinstance(opened, Tables)
    for fen in (BISHOP, "8/8/8/3K1k2/8/8/8/8 w - - 0 1"):
        board = chess.Board(fen)
        assert opened.probe(position_of(board), own_score(board)).status is Status.OK
    opened.close()


def test_a_folder_that_is_not_there_is_an_error_and_an_empty_one_is_none(
    library: Library, tmp_path: Path
) -> None:
    assert (
        library.open(str(tmp_path / "nowhere"))
        == f"{tmp_path / 'nowhere'}: No such file or directory"
    )
    (tmp_path / "notes.h5").write_text("no table has that name")
    opened = library.open(str(tmp_path))
    assert isinstance(opened, Tables)
    assert opened.largest() == 0
    answer = opened.probe(position_of(chess.Board(BISHOP)), ACCRUED)
    assert answer == (Status.NO_TABLE, "there is no table of KBvK", None)
    opened.close()


def test_what_tables_have_not_is_said(tables: Tables) -> None:
    position = position_of(chess.Board("8/8/4K3/5Bk1/8/8/8/7n w - - 33 30"))
    answer = tables.probe(position, ACCRUED)
    assert answer == (Status.NO_TABLE, "there is no table of KBvKN", None)
    assert tables.probe_outcome(position, ACCRUED, ACCRUED) == answer
    start = position_of(chess.Board())
    assert tables.probe(start, Score("-G20.5")).message == "there is no table of 32 men"


def test_a_move_to_a_table_that_is_not_there_fails_the_root(
    library: Library, table_folder: Path, tmp_path: Path
) -> None:
    copy_tables(table_folder, tmp_path, "KPvK")
    opened = library.open(str(tmp_path))
    assert isinstance(opened, Tables)
    board = chess.Board("8/3P4/8/8/8/1k6/8/4K3 w - - 0 1")
    position = position_of(board)
    assert opened.probe(position, own_score(board)).status is Status.OK
    root = opened.probe_root(position, own_score(board))
    assert root.status is Status.NO_TABLE
    assert root.message == "there is no table of KQvK"
    opened.close()


def broken_positions() -> dict[str, CPosition]:
    """Each with what is said of it."""
    broken = {
        message: position_of(chess.Board(BISHOP))
        for message in (
            "no side 2 can be to move",
            "a square has not one man of one side",
            "a side has 0 kings",
            "a pawn stands on its first or last rank",
            "no pawn can be taken en passant on square 64",
            "the side that is not to move is in check",
        )
    }
    broken["no side 2 can be to move"].to_move = 2
    broken["a square has not one man of one side"].sides[1] |= 1 << chess.E6
    without_king = broken["a side has 0 kings"]
    without_king.sides[1] = 0
    without_king.roles[0] = 1 << chess.E6
    with_pawn = broken["a pawn stands on its first or last rank"]
    with_pawn.sides[0] |= 1
    with_pawn.roles[5] |= 1
    broken["no pawn can be taken en passant on square 64"].en_passant = 64
    in_check = position_of(chess.Board("8/8/4K3/4B1k1/8/8/8/6R1 w - - 0 1"))
    broken["the side that is not to move is in check"] = in_check
    return broken


@pytest.mark.parametrize(("message", "position"), broken_positions().items())
def test_an_illegal_position_is_refused_with_its_fault(
    library: Library, tables: Tables, message: str, position: CPosition
) -> None:
    refused = (Status.BAD_POSITION, message)
    assert library.own_score(position)[:2] == refused
    assert tables.probe(position, ACCRUED)[:2] == refused
    assert tables.probe_root(position, ACCRUED)[:2] == refused


@pytest.mark.parametrize("position", broken_positions().values())
def test_a_search_that_asks_for_an_illegal_position_goes_on(
    tables: Tables, position: CPosition
) -> None:
    tables.probe_outcome(position, ACCRUED, ACCRUED)  # any answer
    board = chess.Board(AFTER_KE5)
    own = own_score(board)
    assert tables.probe_outcome(position_of(board), own, own).found == Score("G1.5")


def test_a_position_with_the_game_over_has_no_moves(tables: Tables) -> None:
    mate = chess.Board("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1")
    root = tables.probe_root(position_of(mate), Score("G0.0"))
    assert root.status is Status.OK
    assert root.found == []


def test_a_damaged_table_says_so_at_every_question(
    library: Library, table_folder: Path, tmp_path: Path
) -> None:
    copy_tables(table_folder, tmp_path, "KBvK")
    path = tmp_path / "KBvK.h5"
    path.write_bytes(path.read_bytes()[:-1])
    opened = library.open(str(tmp_path))
    assert isinstance(opened, Tables)
    for _ in range(2):
        answer = opened.probe(position_of(chess.Board(BISHOP)), ACCRUED)
        assert answer.status is Status.DAMAGED
        assert answer.message.startswith(f"{path}: damaged: it has ")
    assert opened.has_material("KBvK"), "the file is there"
    opened.close()
