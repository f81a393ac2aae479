"""A reader of table files in another language, written from docs/tables.md alone: it agrees, and it refuses damage."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import chess
import pytest

from tbgen.errors import AccruedError, TbgenError
from tbgen.material import materials
from tbgen.probe import Tablebase, open_tablebase
from tbgen.probe.opened import has_pair_on
from tbgen.score import Score
from tests.attacks.tables import damaged, forged
from tests.copies import copy_tables
from tests.readers.c_reader import MOVES, SANITIZED, SEARCH, Reader, is_refusal, needs_compiler
from tests.readers.pairs import Case, Pair, random_pair, vectors

BISHOP = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30;G4.0"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(tmp_path_factory.mktemp("reader"))


@pytest.fixture(scope="module")
def careful_reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """The reader with the address and the undefined behaviour sanitizer, which end it with a report."""
    return Reader(tmp_path_factory.mktemp("reader"), SANITIZED)


def said(answer: str) -> str:
    return "" if is_refusal(answer) else answer


def differences_of_vectors(
    reader: Reader, folder: Path, rows: Sequence[dict[str, str]]
) -> list[object]:
    answers = reader.ask(folder, [f"{row['fen']};{row['accrued']}" for row in rows])
    expected = [f"{row['outcome']};{row['dtg']}" if row["outcome"] else "" for row in rows]
    return [
        (row, got)
        for row, got, wanted in zip(rows, answers, expected, strict=True)
        if said(got) != wanted
    ]


def differences_of_pairs(reader: Reader, folder: Path, pairs: Sequence[Pair]) -> list[object]:
    """Where the reader and the probe give different answers, or one of them none, by any door."""
    with open_tablebase(folder) as tables:
        found = tables.probe_many(
            [pair.board for pair in pairs], accrued=[pair.accrued for pair in pairs]
        )
    values = reader.ask(folder, [pair.line for pair in pairs])
    outcomes = reader.ask(folder, [pair.line for pair in pairs], SEARCH)
    differences = list[object]()
    for number, pair in enumerate(pairs):
        each = found[number]
        wanted = "" if each is None else f"{each[0]};{each[1]}"
        if said(values[number]) != wanted:
            differences.append((pair.line, values[number], wanted))
        if each is not None and outcomes[number] != f"{each[0]};?":  # it trusts whoever asks
            differences.append((pair.line, outcomes[number], wanted))
    return differences


def differences_of_moves(reader: Reader, folder: Path, pairs: Sequence[Pair]) -> list[object]:
    """Where the moves of a position, their values or the order of these are not those of the probe."""
    differences = list[object]()
    answers = reader.ask(folder, [pair.line for pair in pairs], MOVES)
    with open_tablebase(folder) as tables:
        for pair, answer in zip(pairs, answers, strict=True):
            try:
                moves = tables.probe_moves(pair.board, pair.accrued)
            except TbgenError:
                if not is_refusal(answer):
                    differences.append((pair.line, answer))
                continue
            wanted = [f"{move.uci} {move.outcome} {move.dtg}" for move in moves]
            got = answer.split(";") if answer else []
            if sorted(got) != sorted(wanted) or values_of(got) != values_of(wanted):
                differences.append((pair.line, got, wanted))
    return differences


def values_of(moves: Sequence[str]) -> list[str]:
    """Without the moves, which may stand in any order if their values are equal."""
    return [move.partition(" ")[2] for move in moves]


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
    assert set(tables) == {str(material) for men in (2, 3, 4) for material in materials(men)} | {
        "KRBvKN"
    }
    assert min(tables.values()) > 30
    assert {row["case"] for row in rows} == set(Case)
    assert {row["table"].count("P") for row in rows} == {0, 1, 2}


@needs_compiler
def test_the_reader_agrees_with_the_probe_on_random_pairs(
    reader: Reader, table_folder: Path
) -> None:
    draw = random.Random(210)
    names = [str(material) for men in (2, 3) for material in materials(men)]
    pairs = [random_pair(draw, name) for name in names for _ in range(100)]
    assert differences_of_pairs(reader, table_folder, pairs) == []
    assert differences_of_moves(reader, table_folder, pairs[::4]) == []


@needs_compiler
def test_the_reader_agrees_with_the_probe_on_a_table_of_pairs(
    reader: Reader, pairs_folder: Path
) -> None:
    draw = random.Random(213)
    drawn = [random_pair(draw, "KPvKP") for _ in range(4000)]
    opposed = [pair for pair in drawn if has_pair_on(pair.board)]
    others = [pair for pair in drawn if not has_pair_on(pair.board)][:300]
    assert len(opposed) > 50
    assert differences_of_pairs(reader, pairs_folder, opposed + others) == []
    assert differences_of_moves(reader, pairs_folder, opposed + others) == []
    answers = reader.ask(pairs_folder, [pair.line for pair in others])
    assert "error: there is no table of KPvKP" in answers


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    ("fixture", "men", "names"),
    [("four_men_folder", 4, [*map(str, materials(4))]), ("five_men_folder", 5, ["KRBvKN"])],
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
    assert differences_of_moves(reader, folder, pairs[::10]) == []


@pytest.fixture
def folder(table_folder: Path, tmp_path: Path) -> Path:
    """A folder with the table of the bishop, to be damaged."""
    copy_tables(table_folder, tmp_path, "KBvK")
    return tmp_path


@needs_compiler
def test_without_distances_the_outcome_is_known(reader: Reader, folder: Path) -> None:
    (folder / "KBvK.dtg.h5").unlink()
    assert reader.ask(folder, [BISHOP]) == ["G1.5;?"]


@needs_compiler
@pytest.mark.parametrize("changed", [damaged, forged])
def test_a_damaged_or_forged_file_gives_an_error_and_no_crash(
    careful_reader: Reader,
    table_folder: Path,
    folder: Path,
    changed: Callable[[bytes, random.Random], bytes],
) -> None:
    draw, refused = random.Random(212), 0
    lines = [random_pair(draw, "KBvK").line for _ in range(40)]
    right = careful_reader.ask(folder, lines)
    for number in range(60):
        path = folder / ("KBvK.h5", "KBvK.dtg.h5")[number % 2]
        whole = path.read_bytes()
        path.write_bytes(changed(whole, draw))
        answers = careful_reader.ask(folder, lines)
        if changed is damaged:
            assert all(
                is_refusal(got) or got == wanted for got, wanted in zip(answers, right, strict=True)
            )
            is_changed = (
                path.read_bytes() != whole
            )  # beside the assertion, which would compare them line by line
            assert is_refusal(careful_reader.verify(path)[0]) == is_changed
        refused += any(
            is_refusal(got) and not is_refusal(wanted)
            for got, wanted in zip(answers, right, strict=True)
        )
        path.write_bytes(whole)
    assert refused > 15


WILD = (
    *("", ";", "x", "8/8/8/8/8/8/8/8 w - - 0 1;", "k7/8/8/8/8/8/8/K6R x - - 0 1;", "KQkq" * 200),
    *(
        "k7/8/8/8/8/8/8/KR6 w - e9 0 1;",
        "k7/8/8/8/8/8/8/KR6 w - a1 0 1;",
        "k7/8/8/8/8/8/8/KP6 w - - 0 1;",
    ),
    *(
        "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/k7/8/K7 w - - 0 1;",
        "k7/8/8/8/8/8/8/KB6 w - - 0 1;G999999999999.0",
    ),
    *(
        "9/8/8/8/8/8/8/KBk5 w - - 0 1;",
        "k7/8/8/8/8/8/8/KB6 w - - 0 1;-G0.0",
        "k7/8/8/8/8/8/8/KQ6 w KQ - 0 1;",
    ),
)


@needs_compiler
def test_lines_that_make_no_sense_are_refused(careful_reader: Reader, folder: Path) -> None:
    answers = careful_reader.ask(folder, WILD)
    assert [answer for answer in answers if not is_refusal(answer)] == []
    assert len(answers) == len(WILD)
