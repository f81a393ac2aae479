"""What the pages for people promise about themselves."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
LONGEST_LINE = 120


def test_no_line_of_the_pages_is_over_120_signs() -> None:
    """A line is a sentence or a clause, so that a change shows as one."""
    long = [
        f"{page.relative_to(ROOT)}:{number}: {len(line)} signs"
        for page in PAGES
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []
