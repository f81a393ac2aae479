"""Shell, JSON, Python, HTTP, the explorer on plain files and C say the same of positions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import pytest
from starlette.testclient import TestClient

from tbgen.errors import NO_TABLE, InputError
from tbgen.probe import Tablebase
from tests.apps.site import node
from tests.apps.site.conftest import client_of, giving
from tests.cli.calls import tbgen
from tests.readers.c_reader import Reader, is_refusal, needs_compiler

WITH_TABLES = [
    ("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", "G4.0"),
    ("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", ""),
    ("8/6k1/8/4K3/8/8/8/8 b - - 0 1", ""),
    ("8/8/8/2K3k1/8/8/8/8 w - - 0 1", ""),
    ("8/8/8/4KBk1/8/8/8/8 b - - 1 1", "G3.5"),
    ("6k1/8/5K2/5B2/8/8/8/8 b - - 0 1", ""),
    ("8/8/8/2kNK3/8/8/8/8 b - - 0 1", ""),
    ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", ""),
    ("8/8/8/8/8/2k5/1r6/K7 b - - 3 9", "-G4.5"),
    ("8/8/8/1k6/8/8/P7/K7 w - - 0 1", ""),
    ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", ""),
    ("8/8/8/8/5b2/4k3/8/4K3 w - - 5 40", "mG3.5"),
    ("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", ""),
    ("5k2/5P2/5K2/8/8/8/8/8 b - - 0 1", ""),
]
WITHOUT = [
    ("8/8/4k3/8/3Rr3/8/2K5/8 w - - 4 60", ""),
    ("8/8/4k3/8/3Rr3/8/2K5/8 w - - 4 60", "G9.5"),
    ("8/8/4k3/8/3Rr3/8/2K5/8 b - - 4 60", ""),
    ("5k2/8/8/7N/8/3Kp3/8/8 b - - 0 1", ""),
    ("8/8/4k3/8/8/r7/2K5/7R w - - 4 60", ""),
    ("8/8/8/8/5k2/3n4/3R4/4K3 w - - 0 1", ""),
    ("8/8/8/8/2b5/1k6/3P4/1K6 w - - 0 1", ""),
    ("6k1/8/8/8/8/8/8/4K2R w K - 0 1", ""),
    ("4k3/8/8/8/8/8/8/4K2R w K - 2 2", "G12.5"),
    ("8/5p2/8/3k4/1r6/8/4PK2/R7 w - - 0 1", ""),
    ("4k2r/5p1p/8/8/8/7P/8/4K2R w - - 0 1", ""),
    (chess.STARTING_FEN, ""),
    ("6rk/5Npp/8/8/8/8/8/K7 b - - 3 60", ""),
    ("7k/5K2/5PQ1/8/8/8/8/8 b - - 3 60", ""),
]
REFUSED = [
    ("8/8/8/3kK3/8/8/8/8 w - - 0 1", ""),
    ("k6R/8/8/8/8/8/8/K7 w - - 0 1", ""),
    ("k6P/8/8/8/8/8/8/K7 w - - 0 1", ""),
    ("8/8/8/8/8/8/8/K7 w - - 0 1", ""),
    ("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", "G0.5"),
    ("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", "4"),
    ("8/8/4k3/8/3Rr3/8/2K5/8 w - - 4 60", "G3,5"),
]
ALL = [*WITH_TABLES, *WITHOUT, *REFUSED]

VALUE = ("own", "accrued", "outcome", "dtg")
Facts = dict[str, Any] | None
"""The value of a position, or what is proved of it; None if it is refused."""

PAGE = """import { canonical, materialOf, parsePosition } from './chess.js';
import { placeOf } from './game.js';
import { bareAnswer, withKnown } from './known.js';

({ positions, names }, tables) => {
  const hasTable = (position) => names.includes(canonical(materialOf(position)).name);
  const isHere = (position) => position.castles.castlingRights.isEmpty() && hasTable(position);
  const outcomes = (fens) => tables.outcomes(fens);
  const told = async ([fen, score]) => {
    const place = placeOf({ fen, accrued: score });
    const position = parsePosition(place.fen);
    if (isHere(position)) {
      const { own, accrued, outcome, dtg } = await tables.probe(place.fen, place.accrued);
      return { own, accrued, outcome, dtg };
    }
    const bare = bareAnswer(position, place);
    const { bounds, moves } = await withKnown(bare, position, { isHere, outcomes });
    const ends = [bounds.least, bounds.most];
    const [lower, upper] = position.turn === 'white' ? ends : ends.reverse();
    const best = bounds.isProved ? moves.filter((move) => move.best).map((move) => move.san) : [];
    return { lower, upper, exact: bounds.isProved, best };
  };
  return Promise.all(positions.map((asked) => told(asked).catch(() => null)));
}"""


def proved(facts: dict[str, Any]) -> dict[str, Any]:
    """What is proved, of a Solved position in JSON."""
    return {
        "lower": facts["lower"]["outcome"],
        "upper": facts["upper"]["outcome"],
        "exact": facts["exact"],
        "best": [move["san"] for move in facts["moves"] if move["best"]],
    }


@pytest.fixture(scope="module")
def expected(tables: Tablebase) -> list[Facts]:
    """What Python says."""
    said = list[Facts]()
    for fen, accrued in ALL:
        try:
            facts = tables.probe(fen, accrued or None).facts()
            said.append({name: facts[name] for name in VALUE})
        except NO_TABLE:
            try:
                said.append(proved(tables.prove(fen, accrued or None).facts()))
            except InputError:
                said.append(None)
        except InputError:
            said.append(None)
    return said


def in_json(answer: dict[str, Any], nothing: Facts) -> Facts:
    """What a document says; `nothing` stands for bounds that tell nothing, which it leaves out."""
    if "outcome" in answer:
        return {name: answer[name] for name in VALUE}
    if "proved" in answer:
        return proved(answer["proved"])
    if answer["error"] in [error.__name__ for error in NO_TABLE]:
        return nothing
    return None


def nothing_of(facts: Facts) -> Facts:
    """Bounds that tell nothing, as they are; of all others None, which no answer is."""
    if facts is not None and (facts.get("lower"), facts.get("upper")) == ("-G0.0", "G0.0"):
        return facts
    return None


def test_the_list_has_something_of_everything(expected: list[Facts]) -> None:
    kinds = [
        "refused" if facts is None else "value" if "outcome" in facts else str(facts["exact"])
        for facts in expected
    ]
    assert kinds[: len(WITH_TABLES)] == ["value"] * len(WITH_TABLES)
    assert kinds[-len(REFUSED) :] == ["refused"] * len(REFUSED)
    assert {kinds.count(kind) > 3 for kind in ("True", "False")} == {True}
    assert [nothing_of(facts) for facts in expected].count(None) < len(ALL)


def test_the_shell_says_it(expected: list[Facts], table_folder: Path, tables: Tablebase) -> None:
    for (fen, accrued), facts in zip(ALL, expected, strict=True):
        done = tbgen("probe", f"{fen} {accrued}".strip(), "--brief", folder=table_folder)
        if facts is None:
            assert (done.returncode, done.stdout) == (2, ""), fen
        elif "outcome" in facts:
            shown = dict(
                line.split(None, 1) for line in done.stdout.splitlines()[-7:] if " " in line
            )
            assert shown["outcome"].startswith(f"{facts['outcome']}: "), fen
            assert shown["accrued"].strip() == facts["accrued"]
        else:
            words_of_proof = str(tables.prove(fen, accrued or None))
            assert done.stdout == (f"{words_of_proof}.\n" if words_of_proof else ""), fen
            assert (done.returncode == 0) == facts["exact"]


def test_json_says_it(expected: list[Facts], table_folder: Path) -> None:
    for (fen, accrued), facts in zip(ALL, expected, strict=True):
        done = tbgen("probe", f"{fen} {accrued}".strip(), "--json", folder=table_folder)
        if done.stdout:
            assert in_json(json.loads(done.stdout), None) == facts, fen
        else:
            assert nothing_of(facts) == facts, fen


def test_lines_of_the_shell_say_it(expected: list[Facts], table_folder: Path) -> None:
    lines = "".join(f"{fen} {accrued}\n" for fen, accrued in ALL)
    done = tbgen("probe", "-", folder=table_folder, given=lines.encode())
    for row, facts in zip(done.stdout.splitlines(), expected, strict=True):
        assert in_json(json.loads(row), nothing_of(facts)) == facts, row


@pytest.fixture(scope="module")
def client(table_folder: Path) -> Iterator[TestClient]:
    with client_of(table_folder) as made:
        yield made


def test_http_says_it(expected: list[Facts], client: TestClient) -> None:
    asked = [{"fen": fen} | ({"accrued": accrued} if accrued else {}) for fen, accrued in ALL]
    rows = client.post("/r-mobility", json=asked).json()
    for given, row, facts in zip(asked, rows, expected, strict=True):
        one = client.get("/r-mobility", params=given).json()
        for answer in (one, row):
            assert in_json(answer, nothing_of(facts)) == facts, given


@node.NEEDED
def test_the_explorer_says_it_on_plain_files(
    expected: list[Facts], table_folder: Path, tables: Tablebase
) -> None:
    names = [str(material) for material in tables.available()]
    with giving(table_folder) as address:
        told = node.run(PAGE, {"positions": ALL, "names": names}, f"{address}/")
    for asked, said, facts in zip(ALL, told, expected, strict=True):
        assert said == facts, asked


@needs_compiler
def test_the_reader_in_c_says_the_values(
    expected: list[Facts], table_folder: Path, tmp_path: Path
) -> None:
    said = Reader(tmp_path).ask(table_folder, [f"{fen};{accrued}" for fen, accrued in ALL])
    for asked, answer, facts in zip(ALL, said, expected, strict=True):
        if facts is None or "outcome" not in facts:
            assert is_refusal(answer), asked
        else:
            assert answer == f"{facts['outcome']};{facts['dtg']}", asked
