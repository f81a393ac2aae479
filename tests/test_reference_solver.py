"""The reference solver against published counts and values; its laws hold because tables that equal it obey them."""

import csv
from pathlib import Path

import chess
import numpy as np
import pytest

from .reference import BLACK, WHITE, ReferenceTable, outcome, solve

GOLDEN = Path(__file__).parent / "golden"
THREE_MEN = ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK"]
FEW_OR_ALL = [pytest.param(name, marks=() if name in ("KvK", "KNvK") else pytest.mark.slow) for name in THREE_MEN]
"""Every commit asks two of them; the solver changes rarely."""
FOUR_MEN = ["KNNvK", "KBvKN", "KRvKP", "KPvKP"]
MATE = 1  # code 0 as a signed number


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a golden file."""
    with (GOLDEN / name).open(newline="") as file:
        return list(csv.DictReader(file))


def signed(text: str) -> int:
    """The signed number of an outcome written like -G3.5."""
    holder = BLACK if text.startswith("-") else WHITE
    whole, half = text.lstrip("-").removeprefix("G").split(".")
    return outcome(holder, 2 * int(whole) + (half == "5"))


def place(board: chess.Board) -> tuple[ReferenceTable, tuple[int, ...]]:
    """The table of the board's men, as they are coloured, and the position's index."""
    men = sorted(board.piece_map().items(), key=lambda item: (not item[1].color, -item[1].piece_type))
    sides = ["".join(piece.symbol().upper() for _, piece in men if piece.color == color) for color in (True, False)]
    return solve("v".join(sides)), (WHITE if board.turn else BLACK, *[square for square, _ in men])


@pytest.mark.parametrize("row", rows("entry_counts.csv"), ids=lambda row: " ".join(row.values()))
def test_entry_values_are_as_many_as_the_rules_say(row: dict[str, str]) -> None:
    side = WHITE if row["side_to_move"] == "white" else BLACK
    entry = solve(row["material"]).entry[side]
    assert np.count_nonzero(entry == signed(row["outcome"])) == int(row["positions"])


@pytest.mark.parametrize("row", rows("entry_values.csv"), ids=lambda row: row["fen"])
def test_single_values_are_those_published_with_the_rules(row: dict[str, str]) -> None:
    table, position = place(chess.Board(row["fen"]))
    if row["accrued"]:
        accrued = signed(row["accrued"])
        value, _ = table.value(position, WHITE if accrued > 0 else BLACK, abs(accrued) - 1)
        assert value == signed(row["value"])
    else:
        assert table.entry[position] == signed(row["value"])


def test_the_longest_distance_of_bare_kings_is_fourteen() -> None:
    assert solve("KvK").dtg.max() == 14


def classes(holds: np.ndarray, pawns: list[int]) -> int:
    """How many of the positions are different up to symmetry (Burnside's count of orbits)."""
    total = int(np.count_nonzero(holds))
    if pawns:
        return total // 2  # nothing is its own mirror image
    diagonal = np.arange(8) * 9
    on_diagonal = int(np.count_nonzero(holds[np.ix_(*[diagonal] * holds.ndim)]))
    return (total + 2 * on_diagonal) // 8


def assert_ordinary(row: dict[str, str]) -> None:
    """Mates are as many and as long as in ordinary tables."""
    table = solve(row["material"])
    sides = (("white", table.entry[0], table.dtg[0], MATE), ("black", table.entry[1], table.dtg[1], -MATE))
    for name, entry, dtg, won in sides:
        for result, holds in (
            ("wins", entry == won),
            ("losses", entry == -won),
            ("draws", (entry != 0) & (abs(entry) != MATE)),
        ):
            found = classes(holds, table.material.pawns)
            assert found == int(row[f"{name}_to_move_{result}"]), (name, result)
        moves = int(row[f"longest_{name}_mate_moves"])
        assert dtg[entry == won].max(initial=-1) == 2 * moves - 1


def ordinary(material: str) -> dict[str, str]:
    """The row of the ordinary tables for one material."""
    return next(row for row in rows("ordinary_tables.csv") if row["material"] == material)


@pytest.mark.parametrize("material", THREE_MEN[1:])
def test_mates_of_three_men_are_those_of_ordinary_tables(material: str) -> None:
    assert_ordinary(ordinary(material))


@pytest.mark.slow
@pytest.mark.parametrize("material", FOUR_MEN)
def test_mates_of_four_men_are_those_of_ordinary_tables(material: str) -> None:
    assert_ordinary(ordinary(material))


@pytest.mark.parametrize("material", FEW_OR_ALL)
def test_reduction_by_symmetry_changes_nothing(material: str) -> None:
    whole, reduced = solve(material, reduced=False), solve(material, reduced=True)
    for name in ("own", "entry", "dtg"):
        assert np.array_equal(getattr(whole, name), getattr(reduced, name))
    for one, other in zip(whole.levels(), reduced.levels(), strict=True):
        assert one[:2] == other[:2]
        assert np.array_equal(one[2], other[2])
        assert np.array_equal(one[3], other[3])
