"""Where the files of the project are that tests read."""

from __future__ import annotations

import csv
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECORDS = ROOT / "records"
GOLDEN = ROOT / "tests" / "golden"
"""Facts from outside."""
S18 = GOLDEN / "tcec_s18.pgn"
"""Twenty published games."""


def golden_rows(name: str) -> list[dict[str, str]]:
    """The rows of a file of facts from outside."""
    with (GOLDEN / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
