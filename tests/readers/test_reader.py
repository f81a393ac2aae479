"""A reader of table files in another language, written from docs/tables.md alone.

It agrees with the probe, and refuses damaged files.
"""

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
    """The reader with the sanitizers of addresses and undefined behaviour, which end it."""
    return Reader(tmp_path_factory.mktemp("reader"), SANITIZED)


def said(answer: str) -> str:
    """An answer; empty if it is a refusal."""
    return "" if is_refusal(answer) else answer


def differences_of_vectors(
    reader: Reader, folder: Path, rows: Sequence[dict[str, str]]
) -> list[object]:
    answers = reader.ask(folder, [f"{row['fen']};{row['accrued']}" for row in rows])
    differences = list[object]()
    for row, answer in zip(rows, answers, strict=True):
        expected = f"{row['outcome']};{row['dtg']}" if row["outcome"] else ""
        if said(answer) != expected:
            differences.append((row, answer))
    return differences


def differences_of_pairs(reader: Reader, folder: Path, pairs: Sequence[Pair]) -> list[object]:
    """Where the reader and the probe give different answers, or one of them none.

    The reader is asked for values, and for outcomes alone as a search asks.
    """
    boards = [pair.board for pair in pairs]
    scores = [pair.accrued for pair in pairs]
    lines = [pair.line for pair in pairs]
    with open_tablebase(folder) as tables:
        probes = list(tables.probe_many(boards, accrued=scores))
    values = reader.ask(folder, lines)
    outcomes = reader.ask(folder, lines, SEARCH)
    differences = list[object]()
    for line, probe, value, outcome in zip(lines, probes, values, outcomes, strict=True):
        if probe is None:
            if said(value):
                differences.append((line, value, "no answer"))
            continue  # a search is trusted: its questions are not refused
        best, plies = probe
        if value != f"{best};{plies}":
            differences.append((line, value, best, plies))
        if outcome != f"{best};?":
            differences.append((line, outcome, best))
    return differences


def differences_of_moves(reader: Reader, folder: Path, pairs: Sequence[Pair]) -> list[object]:
    """Where the moves, their values or the order of the values are not those of the probe."""
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
            expected = [f"{move.uci} {move.outcome} {move.dtg}" for move in moves]
            answered = answer.split(";") if answer else []
            has_same_moves = sorted(answered) == sorted(expected)
            if not has_same_moves or values_of(answered) != values_of(expected):
                differences.append((pair.line, answered, expected))
    return differences


def values_of(moves: Sequence[str]) -> list[str]:
    """Values without their moves, which may stand in any order if their values are equal."""
    return [move.partition(" ")[2] for move in moves]


def assert_vectors_are_the_probes(tables: Tablebase, rows: Sequence[dict[str, str]]) -> None:
    for row in rows:
        board = chess.Board(row["fen"])
        accrued = Score(row["accrued"])
        if row["outcome"]:
            found = tables.probe(board, accrued)
            assert str(found.outcome) == row["outcome"], row
            assert str(found.dtg) == row["dtg"], row
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
    smaller = [*materials(2), *materials(3), *materials(4)]
    assert set(tables) == {"KRBvKN", *map(str, smaller)}
    assert min(tables.values()) > 30
    assert {row["case"] for row in rows} == set(Case)
    assert {row["table"].count("P") for row in rows} == {0, 1, 2}


@needs_compiler
def test_the_reader_agrees_with_the_probe_on_random_pairs(
    reader: Reader, table_folder: Path
) -> None:
    draw = random.Random(210)
    names = [str(material) for material in (*materials(2), *materials(3))]
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
    folder = request.getfixturevalue(fixture)
    rows = vectors(men, men)
    draw = random.Random(211)
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
    draw = random.Random(212)
    refused_files = 0
    lines = [random_pair(draw, "KBvK").line for _ in range(40)]
    right = careful_reader.ask(folder, lines)
    for number in range(24):
        path = folder / ("KBvK.h5" if number % 2 == 0 else "KBvK.dtg.h5")
        whole = path.read_bytes()
        content = changed(whole, draw)
        path.write_bytes(content)
        answers = careful_reader.ask(folder, lines)
        if changed is damaged:
            for answer, expected in zip(answers, right, strict=True):
                assert is_refusal(answer) or answer == expected
            is_changed = content != whole
            (verdict,) = careful_reader.verify(path)
            assert is_refusal(verdict) == is_changed
        newly_refused = [
            answer
            for answer, expected in zip(answers, right, strict=True)
            if is_refusal(answer) and not is_refusal(expected)
        ]
        if newly_refused:
            refused_files += 1
        path.write_bytes(whole)
    assert refused_files > 6


WILD = (
    "",
    ";",
    "x",
    "8/8/8/8/8/8/8/8 w - - 0 1;",
    "k7/8/8/8/8/8/8/K6R x - - 0 1;",
    "KQkq" * 200,
    "k7/8/8/8/8/8/8/KR6 w - e9 0 1;",
    "k7/8/8/8/8/8/8/KR6 w - a1 0 1;",
    "k7/8/8/8/8/8/8/KP6 w - - 0 1;",
    "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/k7/8/K7 w - - 0 1;",
    "k7/8/8/8/8/8/8/KB6 w - - 0 1;G999999999999.0",
    "9/8/8/8/8/8/8/KBk5 w - - 0 1;",
    "k7/8/8/8/8/8/8/KB6 w - - 0 1;-G0.0",
    "k7/8/8/8/8/8/8/KQ6 w KQ - 0 1;",
)


@needs_compiler
def test_lines_that_make_no_sense_are_refused(careful_reader: Reader, folder: Path) -> None:
    answers = careful_reader.ask(folder, WILD)
    assert [answer for answer in answers if not is_refusal(answer)] == []
    assert len(answers) == len(WILD)
