"""What README says about the longest best play, against the records in the repository."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ROW = re.compile(r"\| `(-?G\d+\.[05])` \| (\d+) \| (\w+) \| (White|Black) \| `([^`]+)` \|")


def longest_by_outcome() -> dict[str, list[dict[str, object]]]:
    """All records of a longest play, by outcome."""
    found: dict[str, list[dict[str, object]]] = {}
    for path in sorted((ROOT / "records").glob("K*.json")):
        record = json.loads(path.read_text())
        for side, counts in record["sides"].items():
            for outcome, count in counts["outcomes"].items():
                row = {**count["longest"], "material": record["material"], "side": side.capitalize()}
                found.setdefault(outcome, []).append(row)
    return found


def test_the_longest_best_play_to_a_score_is_what_the_records_say() -> None:
    longest, rows = longest_by_outcome(), ROW.findall((ROOT / "README.md").read_text())
    assert len(rows) > 20
    for outcome, plies, material, side, placement in rows:
        assert int(plies) == max(row["dtg"] for row in longest[outcome])  # type: ignore[type-var]
        given = {(row["dtg"], row["material"], row["side"], str(row["fen"]).split()[0]) for row in longest[outcome]}
        assert (int(plies), material, side, placement) in given


def test_the_longest_of_all_is_named() -> None:
    plies, outcome = max((row["dtg"], outcome) for outcome, rows in longest_by_outcome().items() for row in rows)  # type: ignore[type-var]
    assert any(row[0] == outcome and int(row[1]) == plies for row in ROW.findall((ROOT / "README.md").read_text()))
    assert f"`{outcome}` in {plies} plies" in (ROOT / "docs" / "scale.md").read_text()
