"""Checks of finished pages: strict HTML, links that lead somewhere, what a screen reader needs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"


def parsed(page: Path) -> Element:
    """The page's tree; html5lib's error if it breaks the grammar of HTML anywhere."""
    return html5lib.HTMLParser(strict=True).parse(page.read_text(encoding="utf-8"))


def links_of(root: Element) -> list[str]:
    """Everything that a page refers to."""
    found = [
        each.get(name)
        for each in root.iter()
        for name in ("href", "src", "{http://www.w3.org/1999/xlink}href")
    ]
    return [link for link in found if link is not None]


def ids_of(root: Element) -> Counter[str]:
    return Counter(name for each in root.iter() if (name := each.get("id")) is not None)


def faults_of(site: Path) -> list[str]:
    """What is wrong with the pages of a site."""
    pages = {
        page.relative_to(site).as_posix(): parsed(page) for page in sorted(site.rglob("*.html"))
    }
    ids = {name: ids_of(root) for name, root in pages.items()}
    faults = [
        f"{name}: {each} twice"
        for name, found in ids.items()
        for each, count in found.items()
        if count > 1
    ]
    for name, root in pages.items():
        faults += [
            f"{name}: dead link {link}"
            for link in links_of(root)
            if not leads(site, name, link, ids)
        ]
        faults += [f"{name}: {fault}" for fault in unspoken(root)]
    return faults


def leads(site: Path, name: str, link: str, ids: dict[str, Counter[str]]) -> bool:
    """Whether a link is relative, and what it names is there."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return False
    target = (site / name).parent / unquote(parts.path) if parts.path else site / name
    if not target.resolve().is_file():
        return False
    there = target.resolve().relative_to(site.resolve()).as_posix()
    return not parts.fragment or parts.fragment in ids[there]


def unspoken(root: Element) -> list[str]:
    """What a screen reader could not tell, and headings that skip a level."""
    faults = [
        f"a picture without words: {each.attrib}" for each in root.iter() if is_silent_picture(each)
    ]
    faults += [
        "a nameless button"
        for each in root.iter(f"{HTML}button")
        if not (each.get("aria-label") or each.text)
    ]
    faults += [
        "a table without column heads"
        for each in root.iter(f"{HTML}table")
        if not list(each.iter(f"{HTML}th"))
    ]
    levels = [
        int(each.tag[-1])
        for each in root.iter()
        if str(each.tag) in {f"{HTML}h{n}" for n in range(1, 7)}
    ]
    faults += [
        f"a heading {b} after {a}" for a, b in zip([0, *levels], levels, strict=False) if b > a + 1
    ]
    if levels.count(1) != 1:
        faults.append("not one main heading")
    if root.get("lang") != "en":
        faults.append("no language")
    return faults


def is_silent_picture(each: Element) -> bool:
    is_picture = each.get("role") == "img" or each.tag == f"{SVG}svg"
    return is_picture and not (each.get("aria-label") or each.get("aria-hidden"))
