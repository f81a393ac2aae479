"""What a file that may be replaced tells of."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tbgen.cli.entries import JsonReader, entries_in

GAME = {"number": 12345, "moves": ["e4", "e5"], "players": {"white": "Jörg ]}", "black": "\\"}}


@pytest.mark.parametrize(
    ("facts", "number"),
    [
        ([], 0),
        ([GAME] * 3, 3),
        ({"games": [GAME] * 5, "missing": {"KBvK": 3}, "skipped": [GAME]}, 5),
        ({"seed": 1, "games": 7, "moves": "none"}, 7),
        ({"fen": "8/8", "moves": [["8/8", 3, "e2e4"]] * 4, "tables": ["KvK"]}, 4),
        ({"Event": "a", "Table": {"A": {"GamesAsWhite": 3}, "B": {"GamesAsWhite": 2}, "C": 1}}, 5),
        ({"Table": 1}, 0),
        ({}, 0),
    ],
)
@pytest.mark.parametrize("layout", [{}, {"indent": 4}, {"separators": (",", ":")}])
def test_entries_of_json_are_counted_however_it_is_written(
    facts: Any, number: int, layout: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(facts, **layout))
    assert entries_in(str(path)) == number


@pytest.mark.parametrize("text", ["{", "[{", '[{"a": 1} 2]', '{"games": [1, 2', "{1: 2}", '["a"x'])
def test_text_that_is_no_json_has_no_entries(text: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    assert entries_in(str(path)) == 0


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 100])
def test_a_value_may_lie_in_any_number_of_pieces(piece: int) -> None:
    values = [GAME, 12.5e3, True, None, "text", [[]], 987654321]

    class Trickle(io.StringIO):
        """A file that gives a few characters at a time, as a pipe may."""

        def read(self, size: int | None = -1) -> str:
            return super().read(piece)

    assert JsonReader(Trickle(json.dumps(values))).count_items() == len(values)
    reader = JsonReader(Trickle(" ".join(map(json.dumps, values))))
    assert [reader.value() for _ in values] == values
