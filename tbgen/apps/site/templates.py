"""Templates: the HTML, words and colours of pages; and the explorer's page and its export.

Standings and annotated games are pages of a single file each, which load nothing else.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import chess

from tbgen.apps.games.annotate import Annotation
from tbgen.apps.games.event import Standings, in_decimals, knockout_rounds
from tbgen.apps.records.record import step_of
from tbgen.apps.site import need_extra
from tbgen.apps.site.boards import changes_of, in_words, man_on, map_of, shapes_of_men, with_numbers
from tbgen.apps.site.palette import bar_of, line_style, path_of, percent, plot_of, shade_of, told
from tbgen.library.catalog import CATALOG, Catalog, Entry
from tbgen.library.catalog import TABLES as TABLE_FOLDER
from tbgen.probe import Tablebase
from tbgen.rules.facts import to_json
from tbgen.score import Color, Score
from tbgen.storage.files import write_whole
from tbgen.text import counted, in_plies, in_so_many, in_units

if TYPE_CHECKING:
    from jinja2 import Environment, Template


HERE: Final = Path(__file__).parent
_MOST_ARROWS: Final = 6


def static(name: str) -> str:
    """A script or a picture that pages load."""
    return (HERE / "static" / name).read_text(encoding="utf-8")


def style() -> str:
    """The style sheet, with the colours of outcomes in light and in dark."""
    return static("style.css") + static("colors.css")


def environment(**given: Any) -> Environment:
    """The templates, with the values that all of them receive."""
    need_extra("report")
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters.update(_FILTERS)
    made.globals.update(men=shapes_of_men(), **given)
    return made


@cache
def template_of(name: str) -> Template:
    """A template that receives all its values when it is filled in, which is often."""
    return environment().get_template(name)


PAGE_FOLDER: Final = "explorer"
INDEX: Final = "index.html"
RULES: Final = "rules.html"
PREVIEW: Final = "preview.png"
"""The picture that other sites show beside a link; they do not draw SVG."""
SERVER: Final = "server"
"""Answers come from `tbgen serve`."""
TABLES: Final = "tables"
"""Answers come from the files of tables, read in the browser."""

_EXPLORER: Final = HERE / "explorer"
_MARGINS: Final = re.compile(rb"^[ \t]*(?:(?://.*|/\*.*\*/)?\n)?", re.MULTILINE)
"""Indentation, empty lines and comments: an eighth of the compressed size of tbgen's own files."""


@cache
def files() -> dict[str, bytes]:
    """Everything but the page itself: name -> content; tbgen's own files without indentation and comments."""
    found = {
        path.relative_to(_EXPLORER).as_posix(): path.read_bytes()
        for path in sorted(_EXPLORER.rglob("*"))
        if path.is_file()
    }
    found[PREVIEW] = (HERE / "static" / PREVIEW).read_bytes()
    for name in found:
        if name.endswith((".js", ".css")) and not name.startswith("vendor/"):
            found[name] = _MARGINS.sub(b"", found[name])
    found["explorer.css"] += static("colors.css").encode()
    return found


def index_page(
    source: str, tables: Iterable[Entry] = (), report: str = "", name: str = INDEX, **shown: str
) -> str:
    """A page for one kind of source; `report` leads to the pages of the report, if it is there.

    The page has the names of the tables, with a star if a table has no distances, so that it never asks for a missing
    one. Other sites show the `title`, `description` and `image` of `shown` beside a link to it.
    """
    names = " ".join(f"{each.material}{'' if each.files[1:] else '*'}" for each in tables)
    return (
        template_of(f"explorer-{name}").render(source=source, tables=names, report=report, **shown)
        + "\n"
    )


def write_explorer(
    folder: Path,
    catalog: Catalog,
    tell: Callable[[Entry], None] = lambda _: None,
    address: str | None = None,
) -> int:
    """Write the page, the tables and their figures into a folder; return the number of files.

    If the report's pages are in the folder, the explorer links to them. tbgen hard-links tables on the same file
    system, which takes no space. `tell` receives each table before it is written. With an `address`, links to the page
    have a picture.
    """
    report = "../" if (folder / "material").is_dir() else ""
    texts: dict[str, str | bytes] = {
        f"{PAGE_FOLDER}/{name}": content for name, content in files().items()
    }
    tables = catalog.entries.values()
    image = f"{address}{PAGE_FOLDER}/{PREVIEW}" if address else PREVIEW
    for name in (INDEX, RULES):
        texts[f"{PAGE_FOLDER}/{name}"] = index_page(TABLES, tables, report, name, image=image)
    if not report:
        texts[INDEX] = index_page(TABLES, name="root.html")
    texts[f"{TABLE_FOLDER}/{CATALOG}"] = to_json(catalog.facts(), indent=1) + "\n"
    (folder / TABLE_FOLDER).mkdir(parents=True, exist_ok=True)
    for entry in tables:
        tell(entry)
        texts[f"{TABLE_FOLDER}/{entry.material}.json"] = to_json(entry.figures()) + "\n"
        for file in entry.files:
            _link_or_copy(file.path, folder / TABLE_FOLDER / file.path.name)
    for name, content in texts.items():
        write_new(folder / name, content)
    return len(texts) + sum(len(entry.files) for entry in tables)


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


def standings_page(standings: Standings) -> str:
    """The ranks and points of an event with a cross table."""
    return _page(
        "standings.html",
        title=standings.event or "Standings",
        broad=True,
        standings=standings,
        rounds=knockout_rounds(standings.finished),
    )


def annotated_page(annotations: Sequence[Annotation], name: str) -> str:
    """Games to step through, with every ply's value; `name` is the title if there are several."""
    return _page("annotated.html", script=static("step.js"), name=name, annotations=annotations)


def _page(template: str, **context: Any) -> str:
    return template_of(template).render(style=style(), **context) + "\n"


def _line_of(annotation: Annotation) -> dict[str, str]:
    """A game as `static/step.js` steps through it."""
    first, *after = annotation.plies
    return {
        "fen": first.board.fen(),
        "moves": with_numbers(
            first.board.fen(), [f"{each.ply.san}{'?' * each.gives_away}" for each in after]
        ),
        "steps": " ".join(
            step_of(each.stood, each.ply.move) for each in after if each.stood and each.ply.move
        ),
        "scores": changes_of([each.ply.accrued for each in (first, *after)]),
    }


def picture_of_value(
    tables: Tablebase, board: chess.Board, accrued: Score | None, name: str | None
) -> str:
    """A position with its verdict and its best moves, or with the map of the man on a named square."""
    found, best, man, values = (
        tables.probe(board, accrued),
        list[chess.Move](),
        None,
        dict[chess.Square, Score](),
    )
    if name is None:
        best = [each.move for each in tables.probe_moves(board, accrued) if each.best]
    else:
        square = man_on(board, name)
        man, mapped = board.piece_at(square), map_of(tables, board, accrued, square)
        values = {each: value.outcome for each, value in mapped.items() if value}
    arrows = [_arrow(each) for each in best[:_MOST_ARROWS]]
    picture = template_of("picture.svg")
    return (
        picture.render(
            theme=static("colors.css"),
            shown=board,
            found=found,
            man=man,
            values=values,
            arrows=arrows,
        )
        + "\n"
    )


def _arrow(move: chess.Move) -> str:
    """The path of an arrow that leaves the men at both ends visible."""
    squares = (move.from_square, move.to_square)
    start, end = (
        complex(45 * (square % 8) + 22.5, 45 * (7 - square // 8) + 22.5) for square in squares
    )
    step = (end - start) / abs(end - start)
    first, last = start + 13 * step, end - 12 * step
    return f"M{first.real:.1f} {first.imag:.1f}L{last.real:.1f} {last.imag:.1f}"


_FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "bar": bar_of,
    "asked": lambda fen: fen.replace(" ", "_"),
    "position": chess.Board,
    "man_name": lambda man: f"{chess.COLOR_NAMES[man.color]}-{chess.piece_name(man.piece_type)}",
    "in_words": in_words,
    "counted": counted,
    "css": lambda number: f"{number:.3f}",
    "exact": lambda part, whole: f"{100 * part / whole:.4f} %",
    "factor": lambda factor: f"{float(factor):.3f}",
    "g": lambda code: str(Score(code, Color.WHITE)),
    "numeral": lambda number: {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}[number],
    "in_plies": in_plies,
    "percent": percent,
    "shade": shade_of,
    "share": lambda share: percent(share.numerator, share.denominator),
    "signed": lambda number: f"{float(number):+.3f}".replace("-", "−") if number else "0",
    "thousands": lambda number: f"{number:,}",
    "told": told,
    "line_style": line_style,
    "path": path_of,
    "plot": lambda part: plot_of(
        {outcome: each.distances for outcome, each in part.outcomes.items()}
    ),
    "changes": changes_of,
    "unbroken": lambda text: text.replace("-G", "\N{NON-BREAKING HYPHEN}G"),
    "units": in_units,
    "in_so_many": in_so_many,
    "decimals": in_decimals,
    "line_of": _line_of,
}
