"""Checks of finished pages: strict HTML, links that lead somewhere, what a screen reader needs."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

import pytest
from tinyhtml5.parser import HTMLParser

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"
HEADINGS = {f"{HTML}h{level}": level for level in range(1, 7)}


def parsed(text: str) -> Element:
    """The tree of a page that breaks the grammar of HTML nowhere."""
    parser = HTMLParser()
    root: Element = parser.parse(text)
    for place, fault, details in parser.errors:
        pytest.fail(f"not HTML at line and column {place}: {fault} {details}")
    return root


def links_of(root: Element) -> list[str]:
    """Everything that a page refers to."""
    links = list[str]()
    for element in root.iter():
        for name in ("href", "src", f"{XLINK}href"):
            link = element.get(name)
            if link is not None:
                links.append(link)
    return links


def ids_of(root: Element) -> Counter[str]:
    ids = Counter[str]()
    for element in root.iter():
        name = element.get("id")
        if name is not None:
            ids[name] += 1
    return ids


def faults_of(site: Path) -> list[str]:
    """What is wrong with the pages of a site."""
    pages = dict[str, Element]()
    for page in sorted(site.rglob("*.html")):
        pages[page.relative_to(site).as_posix()] = parsed(page.read_text(encoding="utf-8"))
    ids = {name: ids_of(root) for name, root in pages.items()}
    faults = list[str]()
    for name, root in pages.items():
        for identifier, count in ids[name].items():
            if count > 1:
                faults.append(f"{name}: {identifier} twice")
        for link in links_of(root):
            if not leads(site, name, link, ids):
                faults.append(f"{name}: dead link {link}")
        for fault in unspoken(root):
            faults.append(f"{name}: {fault}")
    return faults


def leads(site: Path, name: str, link: str, ids: dict[str, Counter[str]]) -> bool:
    """Whether a link is relative, and what it names is there."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return False
    target = site / name
    if parts.path:
        target = target.parent / unquote(parts.path)
    if not target.resolve().is_file():
        return False
    there = target.resolve().relative_to(site.resolve()).as_posix()
    return not parts.fragment or parts.fragment in ids[there]


def unspoken(root: Element) -> list[str]:
    """What a screen reader could not tell, and headings that skip a level."""
    faults = list[str]()
    for element in root.iter():
        if is_silent_picture(element):
            faults.append(f"a picture without words: {element.attrib}")
    for button in root.iter(f"{HTML}button"):
        if not button.get("aria-label") and not button.text:
            faults.append("a nameless button")
    for table in root.iter(f"{HTML}table"):
        if not list(table.iter(f"{HTML}th")):
            faults.append("a table without column heads")
    levels = [HEADINGS[element.tag] for element in root.iter() if element.tag in HEADINGS]
    for above, level in itertools.pairwise([0, *levels]):
        if level > above + 1:
            faults.append(f"a heading {level} after {above}")
    if levels.count(1) != 1:
        faults.append("not one main heading")
    if root.get("lang") != "en":
        faults.append("no language")
    return faults


def is_silent_picture(element: Element) -> bool:
    is_picture = element.get("role") == "img" or element.tag == f"{SVG}svg"
    return is_picture and not (element.get("aria-label") or element.get("aria-hidden"))
