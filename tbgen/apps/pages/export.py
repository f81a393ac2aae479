"""The explorer's page and files, for the server and for a folder of plain files."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Final

from tbgen.apps.pages.templates import HERE, static, template_of
from tbgen.library.catalog import CATALOG, Catalog, Entry
from tbgen.library.catalog import TABLES as TABLE_FOLDER
from tbgen.material import materials as materials_of
from tbgen.rules.facts import to_json
from tbgen.storage.files import write_whole
from tbgen.system import __version__

PAGE_FOLDER: Final = "explorer"
INDEX: Final = "index.html"
RULES: Final = "rules.html"
FINDER: Final = "finder.js"
"""The script that knows which endings a text asks for. Pages of records have it, too."""
PREVIEW: Final = "preview.png"
"""The picture that other sites show beside a link; they do not draw SVG."""
CARD: Final = "README.md"
SERVED_LINKS: Final = "static/served.js"
"""A script of pages without the explorer. The server gives one that links to its own."""
SOLVER: Final = ("kernels.wasm", "packed.js", "plans.bin", "solving.js")
"""The files that a table of the browser depends on: one that others have made is solved again."""
NAMES: Final = "files.json"
"""The names of the explorer's files, which a page keeps for visits without a network."""
SERVER: Final = "server"
"""Answers come from `tbgen serve`."""
TABLES: Final = "tables"
"""Answers come from the files of tables, read in the browser."""

_ENDINGS: Final = "material"
"""The folder of the pages of endings."""
_EXPLORER: Final = HERE / "explorer"
_MARGINS: Final = re.compile(rb"^[ \t]*(?:(?://.*|/\*.*\*/)?\n)?", re.MULTILINE)
"""Indentation, empty lines and comments: an eighth of the compressed size of tbgen's own files."""


@cache
def files() -> dict[str, bytes]:
    """Everything but the page itself: name -> content.

    tbgen's own files come without indentation and comments.
    """
    contents = dict[str, bytes]()
    for path in sorted(_EXPLORER.rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to(_EXPLORER).as_posix()
        content = path.read_bytes()
        is_ours = path.suffix in (".js", ".css") and not name.startswith("vendor/")
        contents[name] = _MARGINS.sub(b"", content) if is_ours else content
    contents["explorer.css"] += static("colors.css").encode()
    contents[PREVIEW] = (HERE / "static" / PREVIEW).read_bytes()
    return contents


@cache
def digest_of(names: tuple[str, ...]) -> str:
    """A short digest of some of the explorer's files, by which browsers tell versions apart."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(files()[name])
    return digest.hexdigest()[:16]


def endings_with_page(folder: Path) -> set[str]:
    """The endings that have a page of records in a folder."""
    return {page.stem for page in (folder / _ENDINGS).glob("*.html")}


def index_page(
    source: str,
    tables: Iterable[Entry] = (),
    site: Path | None = None,
    name: str = INDEX,
    **card: str,
) -> str:
    """A page for one kind of source, with links to the pages of records in the folder `site`.

    The page has the names of the tables, with a star if a table has no distances, so that it never
    asks for a missing one, and the names of those that have no page. Other sites show the `title`,
    `description` and `image` of the `card` beside a link to it.
    """
    with_page = set[str]() if site is None else endings_with_page(site)
    names = list[str]()
    pageless = list[str]()
    for entry in tables:
        has_distances = len(entry.files) > 1
        ending = str(entry.material)
        names.append(ending if has_distances else f"{ending}*")
        if ending not in with_page:
            pageless.append(ending)
    page = template_of(f"explorer-{name}").render(
        source=source,
        tables=" ".join(names),
        report="../" if with_page else "",
        pageless=" ".join(pageless) if with_page else "",
        solver=digest_of(SOLVER) if source == TABLES else "",
        build=digest_of(tuple(files())) if source == TABLES else "",
        **card,
    )
    return page + "\n"


def write_explorer(
    folder: Path,
    catalog: Catalog,
    tell: Callable[[Entry], None] = lambda _: None,
) -> int:
    """Write the page, the tables and their figures into a folder; return the number of files.

    If the report's pages are in the folder, the explorer links to them. tbgen hard-links tables on
    the same file system, which takes no space. `tell` receives each table before it is written.
    """
    tables = catalog.entries.values()
    table_folder = folder / TABLE_FOLDER
    if tables:
        table_folder.mkdir(parents=True, exist_ok=True)
    contents = _pages(folder, catalog)
    linked = 0
    for entry in tables:
        tell(entry)
        contents[f"{TABLE_FOLDER}/{entry.material}.json"] = to_json(entry.figures()) + "\n"
        for file in entry.files:
            _link_or_copy(file.path, table_folder / file.path.name)
            linked += 1
    for name, content in contents.items():
        write_new(folder / name, content)
    return len(contents) + linked


def _pages(folder: Path, catalog: Catalog) -> dict[str, str | bytes]:
    """The files of the explorer in a folder and the catalog of its tables: path -> content."""
    contents = dict[str, str | bytes]()
    for name, content in files().items():
        contents[f"{PAGE_FOLDER}/{name}"] = content
    contents[f"{PAGE_FOLDER}/{NAMES}"] = json.dumps([*files(), RULES]) + "\n"
    tables = catalog.entries.values()
    for name in (INDEX, RULES):
        page = index_page(TABLES, tables, folder, name)
        contents[f"{PAGE_FOLDER}/{name}"] = page
    if not endings_with_page(folder):
        contents[INDEX] = index_page(TABLES, tables, name="root.html")
    if tables:
        contents[f"{TABLE_FOLDER}/{CATALOG}"] = to_json(catalog.facts(), indent=1) + "\n"
        contents[CARD] = _card_of(catalog)
    return contents


def _card_of(catalog: Catalog) -> str:
    """What places for data sets show of the folder."""
    entries = list(catalog.entries.values())
    materials = [entry.material for entry in entries]
    most_men = max(material.men for material in materials)
    has_all = all(
        material in materials for men in range(2, most_men + 1) for material in materials_of(men)
    )
    card = template_of("card.md").render(
        tables=len(entries),
        positions=f"up to {most_men} men" if has_all else "the men that each table names",
        example=materials[-1],
        files=sum(len(entry.files) for entry in entries),
        bytes=sum(file.bytes for entry in entries for file in entry.files),
        version=__version__,
    )
    return card + "\n"


def write_new(path: Path, content: str | bytes) -> bool:
    """Write a file of a site, unless it is there already; return whether it was written."""
    data = content if isinstance(content, bytes) else content.encode()
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, [data])
    return True


def _link_or_copy(source: Path, target: Path) -> None:
    """Link or copy a file. The new name appears when all of its bytes are there."""
    if target.exists() and target.samefile(source):
        return
    partial = target.with_name(f".{target.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        os.link(source.resolve(), partial)
    except OSError:
        shutil.copyfile(source, partial)
    partial.replace(target)
