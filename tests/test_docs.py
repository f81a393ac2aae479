"""What the pages for people promise about themselves."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
DECISIONS = ROOT / "docs" / "adr"
PAGES = sorted(page for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if page.parent != DECISIONS)


def anchors_of(page: Path) -> set[str]:
    """The names under which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_links_of_every_page_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for link in re.findall(r"\](?:\(|: )([^)\s]+)", page.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if "://" not in link and (not target.exists() or (anchor and anchor not in anchors_of(target))):
                broken.append((str(page.relative_to(ROOT)), link))
    assert broken == []
