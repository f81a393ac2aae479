"""A reader of table files in another language, written from docs/tables.md alone: it agrees, and it refuses damage."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import chess
import pytest

from tbgen.errors import AccruedError
from tbgen.material import materials
from tbgen.probe import Tablebase, open_tablebase
from tbgen.score import Score
from tests.copies import copy_tables
from tests.readers.c_reader import Reader, compiler, is_refusal
from tests.readers.pairs import Case, Pair, random_pair, vectors

needs_compiler = pytest.mark.skipif(
    compiler() is None, reason="no C compiler with libzstd on this system (Debian's packages are gcc and libzstd-dev)"
)

BISHOP = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30;G4.0"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(tmp_path_factory.mktemp("reader"))


def said(answer: str) -> str:
    return "" if is_refusal(answer) else answer


def differences_of_vectors(reader: Reader, folder: Path, rows: Sequence[dict[str, str]]) -> list[object]:
    answers = reader.ask(folder, [f"{row['fen']};{row['accrued']}" for row in rows])
    expected = [f"{row['outcome']};{row['dtg']}" if row["outcome"] else "" for row in rows]
    return [(row, got) for row, got, wanted in zip(rows, answers, expected, strict=True) if said(got) != wanted]


def differences_of_pairs(reader: Reader, folder: Path, pairs: Sequence[Pair]) -> list[object]:
    """Where the reader and the probe give different answers, or one of them none."""
    with open_tablebase(folder) as tables:
        found = tables.probe_many([pair.board for pair in pairs], accrued=[pair.accrued for pair in pairs])
    expected = ["" if each is None else f"{each[0]};{each[1]}" for each in found]
    answers = reader.ask(folder, [pair.line for pair in pairs])
    return [
        (pair.line, got, wanted)
        for pair, got, wanted in zip(pairs, answers, expected, strict=True)
        if said(got) != wanted
    ]


def assert_vectors_are_the_probes(tables: Tablebase, rows: Sequence[dict[str, str]]) -> None:
    for row in rows:
        board, accrued = chess.Board(row["fen"]), Score(row["accrued"])
        if row["outcome"]:
            found = tables.probe(board, accrued)
            assert (str(found.outcome), str(found.dtg)) == (row["outcome"], row["dtg"]), row
        else:
            with pytest.raises(AccruedError):
                tables.probe(board, accrued)


@needs_compiler
def test_the_reader_gives_what_the_vectors_say(reader: Reader, table_folder: Path) -> None:
    assert differences_of_vectors(reader, table_folder, vectors(2, 3)) == []


def test_the_probe_gives_what_the_vectors_say(table_folder: Path) -> None:
    with open_tablebase(table_folder) as tables:
        assert_vectors_are_the_probes(tables, vectors(2, 3))


def test_the_vectors_have_every_table_and_every_case() -> None:
    rows = vectors(2, 5)
    tables = Counter(row["table"] for row in rows)
    assert set(tables) == {str(material) for men in (2, 3, 4) for material in materials(men)} | {"KRBvKN"}
    assert min(tables.values()) > 30
    assert {row["case"] for row in rows} == set(Case)
    assert {row["table"].count("P") for row in rows} == {0, 1, 2}


@needs_compiler
def test_the_reader_agrees_with_the_probe_on_random_pairs(reader: Reader, table_folder: Path) -> None:
    draw = random.Random(210)
    names = [str(material) for men in (2, 3) for material in materials(men)]
    pairs = [random_pair(draw, name) for name in names for _ in range(100)]
    assert differences_of_pairs(reader, table_folder, pairs) == []


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    ("fixture", "men", "names"), [("four_men_folder", 4, [*map(str, materials(4))]), ("five_men_folder", 5, ["KRBvKN"])]
)
def test_the_reader_agrees_on_larger_tables(
    reader: Reader, request: pytest.FixtureRequest, fixture: str, men: int, names: list[str]
) -> None:
    folder, rows, draw = request.getfixturevalue(fixture), vectors(men, men), random.Random(211)
    assert differences_of_vectors(reader, folder, rows) == []
    with open_tablebase(folder) as tables:
        assert_vectors_are_the_probes(tables, rows)
    pairs = [random_pair(draw, name) for name in names for _ in range(300)]
    assert any(pair.board.has_legal_en_passant() for pair in pairs) == (men == 4)
    assert differences_of_pairs(reader, folder, pairs) == []


@pytest.fixture
def folder(table_folder: Path, tmp_path: Path) -> Path:
    """A folder with the table of the bishop, to be damaged."""
    copy_tables(table_folder, tmp_path, "KBvK")
    return tmp_path


@needs_compiler
def test_without_distances_the_outcome_is_known(reader: Reader, folder: Path) -> None:
    (folder / "KBvK.dtg.h5").unlink()
    assert reader.ask(folder, [BISHOP]) == ["G1.5;?"]
