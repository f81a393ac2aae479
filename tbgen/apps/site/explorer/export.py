"""Export: the explorer and tables as files that any web server can give, if it knows Range requests."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tbgen.apps.site.explorer.files import INDEX, TABLES, files, index_page
from tbgen.library.catalog import CATALOG, Catalog, Entry
from tbgen.library.catalog import TABLES as TABLE_FOLDER
from tbgen.storage.files import write_whole

PAGE_FOLDER: Final = "explorer"


def write_explorer(folder: Path, catalog: Catalog, tell: Callable[[Entry], None] = lambda _: None) -> int:
    """Write the page, the tables and what they hold into a folder; says how many files there are.

    If the report's pages are in the folder, the explorer leads to them. A table of the same file system is linked
    and takes no room; `tell` hears of each before it is written.
    """
    pages, tables = folder / PAGE_FOLDER, folder / TABLE_FOLDER
    report, number = "../" if (folder / "material").is_dir() else "", 0
    for name, content in {**files(), INDEX: index_page(TABLES, report).encode()}.items():
        _write(pages / name, content)
        number += 1
    for entry in catalog.entries.values():
        tell(entry)
        facts = json.dumps(entry.summary().facts()) + "\n"
        _write(tables / f"{entry.material}.json", facts.encode())
        for file in entry.files:
            _link_or_copy(file.path, tables / file.path.name)
            number += 1
        number += 1
    _write(tables / CATALOG, (json.dumps(catalog.facts(), indent=1) + "\n").encode())
    return number + 1


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, [content])


def _link_or_copy(source: Path, target: Path) -> None:
    """A name appears when all of its bytes are there."""
    if target.exists() and target.samefile(source):
        return
    partial = target.with_name(f".{target.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        os.link(source.resolve(), partial)
    except OSError:
        shutil.copyfile(source, partial)
    partial.replace(target)
