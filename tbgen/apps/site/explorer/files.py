"""Files: what the explorer's page consists of; the page itself is told where its answers come from."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from tbgen.apps.site.report.palette import DARK, LIGHT, colors

INDEX: Final = "index.html"
SERVER: Final = "server"
"""Answers come from `tbgen serve`."""
TABLES: Final = "tables"
"""Answers come from the files of tables, read in the browser."""

_HERE: Final = Path(__file__).parent / "static"
_STYLE: Final = "explorer.css"
_VENDORED: Final = "vendor/"
_MARGINS: Final = re.compile(rb"^[ \t]*(?:(?://.*|/\*.*\*/)?\n)?", re.MULTILINE)
"""Indentation, and lines that are empty or a comment: an eighth of what our own files weigh, packed."""
_PRELOAD: Final = '<link rel="modulepreload" href="{}">\n'
_WITHOUT_SERVER: Final = {
    _PRELOAD.format("server.js"): "".join(map(_PRELOAD.format, ("tables.js", "reader.js", "vendor/fzstd.js"))),
    'data-source="server"': 'data-source="tables"',
    ' action="plain"': "",
    "The board needs a script. Without one, put a FEN into the form and look it up.": "This page needs a script.",
}


@cache
def files() -> dict[str, bytes]:
    """Everything but the page itself: name -> content; what is our own without its margins."""
    found = {
        path.relative_to(_HERE).as_posix(): path.read_bytes() for path in sorted(_HERE.rglob("*")) if path.is_file()
    }
    del found[INDEX]
    for name in found:
        if name.endswith((".js", ".css")) and not name.startswith(_VENDORED):
            found[name] = _MARGINS.sub(b"", found[name])
    found[_STYLE] += theme().encode()
    return found


def index_page(source: str, report: str = "") -> str:
    """The page, for one kind of source; `report` leads to the pages of the report, if they are there."""
    text = (_HERE / INDEX).read_text(encoding="utf-8")
    if report:
        text = text.replace(' data-source="server"', f' data-report="{report}" data-source="server"')
    if source == SERVER:
        return text
    for there, instead in _WITHOUT_SERVER.items():
        assert there in text, there
        text = text.replace(there, instead)
    return text


def theme() -> str:
    """The colours of outcomes in light and in dark, as the report has them."""
    light, dark = ("".join(f"--{name}:{color};" for name, color in colors(each).items()) for each in (LIGHT, DARK))
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}\n"
