"""Brackets of 300 positions and of their moves, as an earlier solver found them.

That solver planned all ways before it solved one. `brackets.csv` has the positions, seeded.
"""

import csv
import shutil
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import chess
import pytest

from tbgen.closures.answers import MoveBracket, Solution, in_order, narrowed
from tbgen.closures.bounds import Bracket
from tbgen.closures.solver import PositionSolver
from tbgen.probe import Tablebase
from tbgen.probe.by_moves import ProvedByMoves
from tbgen.score import Score
from tests.project import ROOT

pytestmark = pytest.mark.usefixtures("unbundled")

FOUND_BEFORE = ROOT / "tests" / "closures" / "brackets.csv"
TABLES = {
    "kings": ("KvK",),
    "pieces": ("KvK", "KNvK", "KBvK", "KRvK", "KQvK"),
    "four": ("K*vK*",),
}
"""[name of a set] the tables that a solver has."""
EVERY = 13
"""The ordinary suite takes one position in so many."""

Row = dict[str, str]


def rows() -> list[Row]:
    with FOUND_BEFORE.open(newline="") as file:
        return list(csv.DictReader(file))


def in_words(bracket: Bracket) -> str:
    return f"{bracket.lower}/{bracket.upper}"


def moves_of(moves: Iterable[MoveBracket]) -> str:
    words = []
    for move in moves:
        best = "!" if move.best else ""
        words.append(f"{move.move.uci()}={in_words(move.bracket)}{best}")
    return " ".join(sorted(words))


def with_replies(row: Row, proof: ProvedByMoves) -> Row:
    """A row whose moves are bounded by replies into tables too, which that solver ignored."""
    proved = {move.move.uci(): move.bounds for move in proof.moves}
    brackets = dict[chess.Move, Bracket]()
    for word in row["moves"].split():
        move, ends = word.rstrip("!").split("=")
        lower, upper = map(Score, ends.split("/"))
        known = Bracket(*sorted((proved[move].least, proved[move].most)))
        brackets[chess.Move.from_uci(move)] = narrowed(Bracket(lower, upper), known)
    return {**row, "moves": moves_of(in_order(chess.Board(row["fen"]), brackets))}


def is_within(found: str, expected: str) -> bool:
    """Whether a bracket in words lies within another one."""
    lower, upper = map(Score, found.split("/"))
    least, most = map(Score, expected.split("/"))
    return least <= lower <= upper <= most


def is_closer(row: Row, answer: Solution) -> bool:
    """Whether an answer has the same bracket, and brackets of moves that are as close or closer."""
    expected = dict(word.rstrip("!").split("=") for word in row["moves"].split())
    found = {move.move.uci(): in_words(move.bracket) for move in answer.moves}
    return (
        row["bracket"] == in_words(answer.bracket)
        and expected.keys() == found.keys()
        and all(is_within(found[move], expected[move]) for move in found)
    )


def differing(asked: list[Row], tables: Path, folder: Path) -> Iterator[str]:
    """The positions whose answer differs from that of the file."""
    for (name, budget), some in groupby(asked, lambda row: (row["tables"], row["budget"])):
        of_set = folder / f"{name} {budget}"
        of_set.mkdir()
        for pattern in TABLES[name]:
            for path in tables.glob(f"{pattern}.h5"):
                shutil.copy(path, of_set)
        with (
            PositionSolver(of_set, budget=int(budget)) as solver,
            Tablebase(of_set, missing_ok=True) as known,
        ):
            for found_before in some:
                proof = known.prove(found_before["fen"], Score(found_before["accrued"]))
                row = with_replies(found_before, proof)
                # Solves of other positions may answer it, and tell more of its moves.
                is_known = solver.solved(row["fen"], Score(row["accrued"])) is not None
                answer = solver.solve(row["fen"], Score(row["accrued"]))
                is_same = (row["bracket"], row["moves"]) == (
                    in_words(answer.bracket),
                    moves_of(answer.moves),
                )
                if not is_same and not (is_known and is_closer(row, answer)):
                    yield row["fen"]


def test_brackets_with_tables_of_three_men_stay(table_folder: Path, tmp_path: Path) -> None:
    asked = [row for row in rows() if row["tables"] != "four"][::EVERY]
    assert list(differing(asked, table_folder, tmp_path)) == []


@pytest.mark.slow
def test_all_brackets_stay(four_men_folder: Path, tmp_path: Path) -> None:
    asked = rows()
    assert len(asked) == 300
    assert list(differing(asked, four_men_folder, tmp_path)) == []
