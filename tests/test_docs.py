"""What the pages for people promise about themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
LONGEST_LINE = 120
DECISIONS = ROOT / "docs" / "adr"
RECORDS = {int(path.name[:4]): path for path in sorted(DECISIONS.glob("[0-9]*.md"))}
STATUS = r"(?:in force|(?:in force, in part )?replaced by \d+)"


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_line_of_a_page_is_over_120_signs(page: Path) -> None:
    """A line is a sentence or a clause, so that a change shows as one."""
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
    assert [(number, len(line)) for number, line in lines if len(line) > LONGEST_LINE] == []


def anchors_of(page: Path) -> set[str]:
    """The names under which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\](?:\(|: )([^)\s]+)", page.read_text(encoding="utf-8"))
    broken = []
    for link in links:
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            broken.append(link)
    assert broken == []


def rows_of_decisions() -> dict[int, tuple[str, str]]:
    """From the table of decision records: file and status, by number."""
    text = (DECISIONS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\d+)\] \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)
    files = dict(re.findall(r"^\[(\d+)\]: (\S+)$", text, re.MULTILINE))
    assert list(files) == [number for number, _ in rows]
    return {int(number): (files[number], status) for number, status in rows}


def test_every_decision_record_is_in_the_table_in_ascending_order() -> None:
    rows = rows_of_decisions()
    assert {number: file for number, (file, _) in rows.items()} == {
        number: path.name for number, path in RECORDS.items()
    }
    assert list(rows) == sorted(rows)


@pytest.mark.parametrize("number", RECORDS)
def test_a_decision_record_begins_with_the_status_that_the_table_states(number: int) -> None:
    """`in force`, `in force, in part replaced by N` or `replaced by N`, where N is a record."""
    _, status = rows_of_decisions()[number]
    assert re.fullmatch(STATUS, status)
    title, blank, first = RECORDS[number].read_text(encoding="utf-8").splitlines()[:3]
    assert title.startswith(f"# {number}. ")
    assert blank == ""
    assert re.sub(r"\[(\d+)\]\(\S+\)", r"\1", first) == f"**Status:** {status}."
    assert {int(other) for other in re.findall(r"\d+", status)} <= set(RECORDS) - {number}


def test_paths_in_pages_exist() -> None:
    """Of the repository, or below `tbgen`; a decision that has been replaced may name what has gone since."""
    replaced = {RECORDS[number] for number, (_, status) in rows_of_decisions().items() if status.startswith("replaced")}
    missing = [
        f"{name_of(page)}: {path}"
        for page in PAGES
        if page not in replaced
        for path in re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:py|csv|pgn|md|json))`", page.read_text(encoding="utf-8"))
        if not (ROOT / path).exists() and not (ROOT / "tbgen" / path).exists()
    ]
    assert missing == []


def test_the_map_of_the_code_has_every_package() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    packages = {f"tbgen/{path.parent.name}/" for path in (ROOT / "tbgen").glob("*/__init__.py")}
    assert {name for name in packages if f"    {name} " not in text} == set()


GLOSSARY_TEXT = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
GLOSSARY = re.findall(r"^\* \*\*([^*]+)\*\*[^:]*: .+\.\n  In `([\w/]+\.py)`: `(\w+)`\.$", GLOSSARY_TEXT, re.MULTILINE)


def test_the_glossary_has_an_entry_a_noun_and_each_noun_once() -> None:
    nouns = [noun for noun, _, _ in GLOSSARY]
    assert len(nouns) == GLOSSARY_TEXT.count("\n* ")
    assert len(nouns) == len(set(nouns)) >= 50


@pytest.mark.parametrize(("noun", "file", "name"), GLOSSARY, ids=[noun for noun, _, _ in GLOSSARY])
def test_a_noun_of_the_glossary_lives_where_it_says(noun: str, file: str, name: str) -> None:
    """The module defines the name: as a class, a function, a field or a value."""
    text = (ROOT / "tbgen" / file).read_text(encoding="utf-8")
    assert re.search(rf"^ *(?:class |def )?{name}\b(?:\(|:| =)", text, re.MULTILINE), noun
