#!/usr/bin/env python3
"""Write tests/readers/vectors.csv: pairs of a position and an accrued score, and what tables say of
them.

    vectors.py FOLDER                      the same file for the same tables and seed
    vectors.py FOLDER --reference KPvKP    compare this table's pairs with the slow reference too

Other programs that read tables try themselves on these pairs. Values are those of tbgen's own
probe: the file says whether readers agree, and proves nothing of the tables. The slow reference
(tests/reference), which shares no code with tbgen, solves tables of two and three men each time; a
table of four men takes it minutes and gigabytes.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import chess

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen.material import Material  # noqa: E402
from tbgen.probe import Tablebase, open_tablebase  # noqa: E402
from tbgen.probe.many import Fault  # noqa: E402
from tbgen.rules.position import own_score  # noqa: E402
from tbgen.score import Score  # noqa: E402
from tests import reference  # noqa: E402
from tests.readers.pairs import Case, case_of, random_pair  # noqa: E402
from tests.reference.moves import BLACK, NO_SQUARE, WHITE  # noqa: E402

DRAWN = 4000
"""Pairs that are drawn of each table; of each case the first few of them are written."""
MOST = {
    Case.REFUSED: 1,
    Case.GAME_OVER: 2,
    Case.IMPROVED: 2,
    Case.TIE: 6,
    Case.EN_PASSANT: 16,
    Case.BREAKS: 16,
}
MOST_OF_OTHERS = 8
COLUMNS = ("table", "case", "fen", "accrued", "outcome", "dtg")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "-o", "--output", type=Path, default=ROOT / "tests" / "readers" / "vectors.csv"
    )
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--reference", nargs="*", default=[], metavar="MATERIAL")
    wanted = parser.parse_args()
    with open_tablebase(wanted.folder) as tables, wanted.output.open("w", newline="") as file:
        write_vectors(tables, file, wanted.seed)
    rows = list(csv.DictReader(wanted.output.open(newline="")))
    print(f"{len(rows)} pairs of {len({row['table'] for row in rows})} tables in {wanted.output}")
    compared = Counter(
        row["table"] for row in rows if is_referred(row, wanted.reference) and compare(row)
    )
    pairs = f"{compared.total()} pairs of {len(compared)} tables"
    print(f"{pairs} agree with the reference: {', '.join(compared)}")


def write_vectors(tables: Tablebase, file: TextIO, seed: int) -> None:
    """Write the pairs of all tables of a folder, as CSV."""
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for material in tables.available():
        writer.writerows(vectors_of(tables, material, random.Random(f"{seed} {material}")))


def vectors_of(
    tables: Tablebase, material: Material, draw: random.Random
) -> Iterator[dict[str, object]]:
    """Some pairs of one table, of each case that it has."""
    pairs = [random_pair(draw, str(material)) for _ in range(DRAWN)]
    boards = [pair.board for pair in pairs]
    accrued = [pair.accrued for pair in pairs]
    entries = tables.probe_many(boards)
    values = tables.probe_many(boards, accrued=accrued)
    written = Counter[Case]()
    for number, pair in enumerate(pairs):
        entry = entries[number]
        found = values[number]
        if entry is None or (found is None and values.fault_of(number) is not Fault.ACCRUED):
            raise SystemExit(f"{pair.line} has no answer: {entries.fault_of(number)}")
        case = case_of(pair, entry[0], None if found is None else found[0])
        written[case] += 1
        if written[case] <= MOST.get(case, MOST_OF_OTHERS):
            outcome, dtg = ("", "") if found is None else found
            values_of_row = (material, case, pair.fen, pair.accrued, outcome, dtg)
            yield dict(zip(COLUMNS, values_of_row, strict=True))


def is_referred(row: dict[str, str], names: list[str]) -> bool:
    """Whether the reference is asked for a row: it knows no scores that are refused."""
    return row["outcome"] != "" and (len(row["table"]) <= len("KvKB") or row["table"] in names)


def compare(row: dict[str, str]) -> bool:
    """Compare a row with the reference; SystemExit if they differ."""
    board = chess.Board(row["fen"])
    accrued = Score(row["accrued"])
    expected = Score(row["outcome"])
    if not Material.parse(material_name(board)).is_canonical:
        board = board.mirror()
        accrued = flipped(accrued)
        expected = flipped(expected)
    own = own_score(board)
    carried = own if own.code < accrued.code else accrued
    men = sorted(board.piece_map().items(), key=lambda man: (not man[1].color, -man[1].piece_type))
    position = (WHITE if board.turn else BLACK, *[square for square, _ in men])
    jumped = NO_SQUARE
    if board.ep_square is not None and board.has_legal_en_passant():
        jumped = board.ep_square
    found = reference.solve(row["table"]).value(position, int(carried.holder), carried.code, jumped)
    if found != (expected.signed, int(row["dtg"])):
        raise SystemExit(f"the reference has {found} of {row}")
    return True


def material_name(board: chess.Board) -> str:
    """The men of a board, White's first."""
    sides = {chess.WHITE: "", chess.BLACK: ""}
    for man in board.piece_map().values():
        sides[man.color] += man.symbol()
    return f"{sides[chess.WHITE]}v{sides[chess.BLACK]}"


def flipped(score: Score) -> Score:
    """The same score with colours exchanged."""
    return Score(score.code, score.holder.other)


if __name__ == "__main__":
    main()
