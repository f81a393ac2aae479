"""Records as files: their schema, their bytes, the lines in them, and folders of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import chess
import jsonschema
import pytest

from tbgen.apps.records.census import census_of, record_of
from tbgen.apps.records.record import Record, Replay, read_record, replay, write_record
from tbgen.errors import InputFileError, VerificationError
from tbgen.facts import plain
from tbgen.material import build_order, materials, table_named
from tbgen.reading import parse_json, read_as
from tbgen.score import Score
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tests.apps.records.slow import scores_of
from tests.project import RECORDS, ROOT

SMALL = [str(material) for material in build_order(materials(3))]
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((ROOT / "tbgen/apps/records/schema.json").read_text())
)


def promise_kept(fen: str, line: str) -> tuple[str, int]:
    """The score that has accrued after a line, and the ply since when."""
    *_, (_, score, _, since) = scores_of(fen, line)
    return score, since


@pytest.mark.slow
def test_every_published_record_has_the_form_of_the_schema_and_keeps_its_promises() -> None:
    for path in sorted(RECORDS.glob("K*.json")):
        facts = json.loads(path.read_text())
        VALIDATOR.validate(facts)
        assert read_record(path).to_text() == path.read_text()
        assert_promises(facts)


def assert_promises(facts: dict[str, Any]) -> None:
    """Every line reaches its score when it says."""
    for side in facts["sides"].values():
        for outcome, each in side["outcomes"].items():
            longest = each["longest"]
            assert longest["dtg"] == len(each["distances"]) - 1
            assert promise_kept(longest["fen"], longest["line"]) == (outcome, longest["dtg"]), (
                longest["fen"]
            )


@pytest.mark.parametrize("name", SMALL)
def test_a_published_record_is_what_the_table_gives(records: dict[str, Record], name: str) -> None:
    made, there = (
        json.loads(text)
        for text in (records[name].to_text(), (RECORDS / f"{name}.json").read_text())
    )
    assert {**made, "bytes": 0} == {**there, "bytes": 0}
    VALIDATOR.validate(made)
    assert_promises(made)


def test_a_record_comes_back_from_its_text(records: dict[str, Record], table_folder: Path) -> None:
    assert records["KBvK"] == record_of(table_folder, table_named("KBvK"))


def test_a_record_without_lines_has_the_form_of_the_schema(table_folder: Path) -> None:
    with TableFile(path_of(table_folder, table_named("KBvK"))) as file:
        record = census_of(file)
    VALIDATOR.validate(json.loads(record.to_text()))
    assert {line.line for _, _, line in record.lines()} == {None}
    assert read_as(Record, parse_json(record.to_text())) == record


def test_a_line_is_quiet_until_its_first_capture_or_pawn_move(records: dict[str, Record]) -> None:
    for line in (line for record in records.values() for _, _, line in record.lines()):
        board = chess.Board(line.fen)
        resets = list[int]()
        for ply, text in enumerate(line.moves):
            move = board.parse_san(text)
            if board.is_zeroing(move):
                resets.append(ply)
            board.push(move)
        assert line.quiet_plies == min(resets, default=line.dtg)
    quiet = (
        max(record.lines(), key=lambda line: line[2].quiet_plies) for record in records.values()
    )
    assert {str(outcome) for _, outcome, _ in quiet} >= {"G1.5", "G0.0"}


@pytest.mark.parametrize(
    ("moves", "outcome", "dtg", "proved"),
    [
        ("Ke5 Kh4 Kf4", "G1.5", 3, True),
        ("Ke5 Kh4 Kf4", "G1.5", 2, False),
        ("Ke5 Kh4 Kf4", "G3.5", 3, False),
        ("Ke5", "G3.5", 1, True),
        ("Ke5 Kh4", "G3.5", 2, False),
        ("", "-G14.5", 0, True),
    ],
)
def test_a_line_proves_its_outcome_at_its_end_and_not_before(
    moves: str, outcome: str, dtg: int, proved: bool
) -> None:
    assert (
        replay("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", moves.split()).proves(Score(outcome), dtg)
        == proved
    )


def test_a_line_that_breaks_its_promise_stops_the_record(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Replay, "proves", lambda *_: False)
    with pytest.raises(VerificationError, match="best play from"):
        record_of(table_folder, table_named("KvK"))


def test_a_file_that_is_no_record_is_refused(records: dict[str, Record], tmp_path: Path) -> None:
    path = tmp_path / "KvK.json"
    facts = plain(records["KvK"])
    for text, why in (
        ("", "Expecting value"),
        ("[]", "it is \\[\\], not an object"),
        ("[" * 100_000, "nested too deep"),
        (json.dumps({**facts, "format": 2}), "format is 2 instead of 1"),
        (json.dumps({**facts, "material": "KXvK"}), "KXvK"),
        (
            json.dumps({**facts, "bytes": float("nan")}),
            "bytes is nan, not a whole number from 0 on",
        ),
        (json.dumps({**facts, "bytes": -1}), "bytes is -1, not a whole number from 0 on"),
        (json.dumps({**facts, "sides": {}}), "it lacks sides.white"),
        (json.dumps({**facts, "widest": "G1.7"}), "G1.7"),
    ):
        path.write_text(text)
        with pytest.raises(InputFileError, match=f"is not a record: .*{why}"):
            read_record(path)


def test_a_record_under_another_name_is_refused(records: dict[str, Record], tmp_path: Path) -> None:
    write_record(tmp_path, records["KvK"])
    (tmp_path / "KvK.json").rename(tmp_path / "KBvK.json")
    with pytest.raises(InputFileError, match="it is the record of KvK"):
        read_record(tmp_path / "KBvK.json")
