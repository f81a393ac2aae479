"""The pages of events: one that stands alone, or a folder with a page for each event and game.

A folder is written again after each round. Only new and changed pages are made.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tbgen.apps.events.columns import columns_of
from tbgen.apps.events.crosstable import ratings_of
from tbgen.apps.events.endings import MARKS, MEANINGS, ended_in_words, mark_of, reason_of
from tbgen.apps.events.rounds import grid_of, rounds_of
from tbgen.apps.events.sources import GamesFile, files_in_words, games_file, rules_in_words
from tbgen.apps.events.standings import Standings
from tbgen.apps.events.told import NAMELESS, told_of
from tbgen.apps.games.annotate import annotate
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.read import PgnGame, game_of
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.text import GameText, chunks_in
from tbgen.apps.site.export import write_new
from tbgen.apps.site.templates import HERE, environment, static, style
from tbgen.errors import TbgenError
from tbgen.probe import Tablebase
from tbgen.rules.facts import to_json
from tbgen.score import Color
from tbgen.system import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

INDEX: Final = "index.html"
GAMES: Final = "pgn"
"""The folder with copies of the files of games."""
_STATIC: Final = ("replay.js", "step.js", "icon.svg")
_GENERATOR: Final = re.compile(rb'<meta name="generator" content="tbgen ([^"]*)">')
_HEAD_BYTES: Final = 1000
"""The generator stands within the first bytes of a page."""
_MOST_NAME: Final = 80
"""The most characters of a page's name."""

GameKey = tuple[str, int]
"""The file of a game, and its number there."""


def key_of(game: EventGame) -> GameKey | None:
    """The key of a game that can have a page; None for a bye, a forfeit and an unreadable game."""
    course = game.course
    if course is None or game.fault is not None:
        return None
    if not game.plies and not game.is_on_the_board:
        return None
    return course.file, course.number


def standings_page(
    ranked: Sequence[Standings], rules: Rules | None = None, files: Sequence[GamesFile] = ()
) -> str:
    """All events on a page that needs no other file."""
    events = [_event(standings, rules or Rules(), {}) for standings in ranked]
    titles = ", ".join(event["title"] for event in events)
    page = (
        _templates()
        .get_template("standings.html")
        .render(
            style=style(),
            title=titles,
            events=events,
            files=list(files_in_words(files)),
            broad=True,
        )
    )
    return page + "\n"


def _event(
    standings: Standings, rules: Rules, pages: Mapping[GameKey, _GamePage], beside: str = ""
) -> dict[str, Any]:
    """An event as its template receives it; the pages of its games are in the folder `beside`."""
    told = told_of(standings)
    rounds = rounds_of(standings)
    marks = {mark_of(game) for game in standings.finished}
    meanings = {}
    for ending, mark in MARKS.items():
        if mark in marks:
            meanings[mark] = MEANINGS[ending]
    ratings = ratings_of(standings)
    has_parts = any(game.points(Color.WHITE).denominator > 2 for game in standings.finished)
    return {
        "title": told.title,
        "told": told,
        "decimals": 4 if has_parts else 1,
        "by_sheet": list(_unreadable_in_words(standings)),
        "skipped": [without_folder(fault) for fault in standings.skipped],
        "standings": standings,
        "columns": columns_of(standings),
        "ratings": ratings if any(ratings.values()) else {},
        "grid": grid_of(standings, rounds) if standings.knockout is None else None,
        "meanings": meanings,
        "rounds": rounds,
        "rules": list(rules_in_words(standings, rules)),
        "pages": pages,
        "beside": beside,
    }


def _unreadable_in_words(standings: Standings) -> Iterator[str]:
    """The games that count by their score sheet, with their players and the reason."""
    for game in standings.finished:
        if game.fault is None:
            continue
        white, black = game.players
        result = game.result.replace("-", "–").replace("1/2", "½")
        told = f"{white} – {black}, {result}"
        if game.round_name:
            told = f"{game.round_name}, {told}"
        yield f"{told}: {without_folder(game.fault)}"


def without_folder(fault: TbgenError) -> TbgenError:
    """An error that names a file alone, because a folder of yours is nobody's business."""
    fields = dict(vars(fault))
    if "file" in fields:
        fields["file"] = Path(fields["file"]).name
    return type(fault)(**fields)


@dataclass
class EventSite:
    """The pages of some events of files of games."""

    ranked: Sequence[Standings]
    names: Sequence[str]
    """The files of games."""
    rules: Rules
    tables: Tablebase

    @cached_property
    def files(self) -> list[GamesFile]:
        return [games_file(name) for name in self.names]

    @cached_property
    def copies(self) -> list[str]:
        """The path of a copy of each file, which readers can fetch."""
        taken = set[str]()
        copies = []
        for file in self.files:
            name = file.name
            while name in taken:
                name = f"other-{name}"
            taken.add(name)
            copies.append(f"{GAMES}/{name}")
        return copies

    @cached_property
    def folders(self) -> list[str]:
        """The folder of each event, by its name."""
        names = _Names(("static", GAMES))
        return [names.free(_slug(standings.event, "event")) for standings in self.ranked]

    @cached_property
    def pages(self) -> dict[GameKey, _GamePage]:
        """The page of each game that has one."""
        pages = {}
        for standings, folder in zip(self.ranked, self.folders, strict=True):
            names = _Names(("index", "standings"))
            before: _GamePage | None = None
            for game in standings.listed:
                key = key_of(game)
                if key is None:
                    continue
                page = _GamePage(game, standings, folder, names.free(_game_slug(game)))
                if before is not None:
                    page.before = before
                    before.after = page
                before = page
                pages[key] = page
        return pages

    @property
    def is_single(self) -> bool:
        """Whether the first page is that of the only event."""
        return len(self.ranked) == 1

    def event_pages(self) -> Iterator[tuple[str, str]]:
        """The path and text of each page but those of games, and of the files beside them."""
        yield "static/style.css", style()
        for name in _STATIC:
            yield f"static/{name}", static(name)
        files = list(files_in_words(self.files))
        for standings, folder in zip(self.ranked, self.folders, strict=True):
            pages = {key: page for key, page in self.pages.items() if page.folder == folder}
            beside = f"{folder}/" if self.is_single else ""
            event = _event(standings, self.rules, pages, beside)
            path = INDEX if self.is_single else f"{folder}/{INDEX}"
            yield (
                path,
                _filled(
                    "standings.html",
                    _version(),
                    root="" if self.is_single else "../",
                    title=event["title"],
                    events=[event],
                    files=files,
                    copies=self.copies,
                    data=f"{beside}standings.json",
                    home=not self.is_single,
                    broad=True,
                ),
            )
            facts = standings.facts()
            facts["by_sheet"] = [without_folder(fault).facts() for fault in standings.by_sheet]
            facts["skipped"] = [without_folder(fault).facts() for fault in standings.skipped]
            yield f"{folder}/standings.json", to_json(facts, indent=1) + "\n"
        if not self.is_single:
            yield INDEX, self._contents(files)

    def _contents(self, files: list[str]) -> str:
        """The list of all events."""
        events = []
        for standings, folder in zip(self.ranked, self.folders, strict=True):
            event = {
                "told": told_of(standings),
                "href": f"{folder}/{INDEX}",
                "standings": standings,
            }
            events.append(event)
        return _filled(
            "events.html", _version(), root="", title="Events", events=events, files=files
        )


@dataclass
class _GamePage:
    """The page of a game, with its neighbours in the event."""

    game: EventGame
    standings: Standings
    folder: str
    name: str
    before: _GamePage | None = field(default=None, repr=False, compare=False)
    after: _GamePage | None = field(default=None, repr=False, compare=False)

    @property
    def file(self) -> str:
        return f"{self.name}.html"

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.file}"

    def digest(self, text: GameText, made_by: Sequence[str]) -> str:
        """The digest of everything that the page says; `made_by` names the rules and tables."""
        neighbours = [page.file if page else "" for page in (self.before, self.after)]
        assert self.game.course is not None
        anywhere = self.game._replace(course=self.game.course._replace(file=""))
        said = [_version(), self.standings.event, *neighbours, *made_by, repr(anywhere)]
        digest = hashlib.sha256("\0".join(said).encode())
        digest.update(text.chunk.text[text.span])
        return digest.hexdigest()[:32]


def write_events(
    site: EventSite, folder: Path, tell: Callable[[int, int], None] = lambda *_: None
) -> tuple[int, int]:
    """Write new and changed files, and remove pages of games that are no more.

    Returns the number of files, and of the written ones. `tell` receives the number of games whose
    page is ready, and of all.
    """
    written = 0
    for done, (path, page) in enumerate(_game_pages(site, folder), 1):
        if page is not None:
            written += write_new(folder / path, page)
        tell(done, len(site.pages))
    for name, copy in zip(site.names, site.copies, strict=True):
        written += write_new(folder / copy, Path(name).read_bytes())
    others = 0
    for path, text in site.event_pages():
        written += write_new(folder / path, text)
        others += 1
    _remove_stale(site, folder)
    return len(site.pages) + len(site.copies) + others, written


def game_pages_in(folder: Path) -> int:
    """The number of pages of games in a folder."""
    return len(_made_by_tbgen(folder))


def _made_by_tbgen(folder: Path) -> list[Path]:
    """The pages of games in a folder that tbgen wrote."""
    pages = []
    for path in folder.glob("*/*.html"):
        if path.name != INDEX and generator_of(path):
            pages.append(path)
    return pages


def generator_of(path: Path) -> str:
    """The version and digest that tbgen wrote into a page; empty for other pages."""
    try:
        with path.open("rb") as file:
            found = _GENERATOR.search(file.read(_HEAD_BYTES))
    except OSError:
        return ""
    return "" if found is None else found[1].decode(errors="replace")


def _remove_stale(site: EventSite, folder: Path) -> None:
    current = {folder / page.path for page in site.pages.values()}
    for path in _made_by_tbgen(folder):
        if path not in current:
            path.unlink()


def _game_pages(site: EventSite, folder: Path) -> Iterator[tuple[str, str | None]]:
    """The path and text of the page of each game; None instead of the text if it is there."""
    made_by = [repr(site.rules), *sorted(map(str, site.tables.available()))]
    for name in site.names:
        for chunk in chunks_in(name):
            for text in chunk.games:
                page = site.pages.get((name, text.number))
                if page is None:
                    continue
                digest = page.digest(text, made_by)
                if generator_of(folder / page.path) == digest:
                    yield page.path, None
                    continue
                yield page.path, _game_page(site, page, text, digest)


def _game_page(site: EventSite, page: _GamePage, text: GameText, digest: str) -> str:
    game = game_of(text, page.path, site.rules)
    if not isinstance(game, PgnGame):
        raise game  # the file has changed since it was read for the standings
    return _filled(
        "game.html",
        digest,
        root="../",
        title=f"{page.game.players[0]} – {page.game.players[1]}",
        game=page.game,
        event=page.standings.event or NAMELESS,
        back=f"../{INDEX}" if site.is_single else INDEX,
        anchor=page.name,
        before=page.before,
        after=page.after,
        each=annotate(site.tables, game),
    )


def _filled(template: str, generator: str, **context: Any) -> str:
    page = _templates().get_template(template).render(generator=generator, **context)
    return page + "\n"


@cache
def _templates() -> Environment:
    """The templates, with the words about a game."""
    templates = environment()
    templates.filters.update(ended=ended_in_words, mark=mark_of, reason=reason_of)
    return templates


def _version() -> str:
    """The version of the program and of its pages: a change of either makes pages anew."""
    return f"{__version__} {_templates_digest()}"


@cache
def _templates_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted((HERE / "templates").iterdir()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def _game_slug(game: EventGame) -> str:
    """A name for the page of a game: `r3-ann-bob`."""
    number = f"r{game.round_number}" if game.round_number else _slug(game.round_name, "")
    words = [number, *(_slug(name, "") for name in game.players)]
    return _slug(" ".join(words), "game")


def _slug(text: str, otherwise: str) -> str:
    """A text as part of an address: small letters, digits and hyphens.

    >>> _slug("Åke's Cup, 2026", "event"), _slug("棋", "event")
    ('ake-s-cup-2026', 'event')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall("[a-z0-9]+", plain))[:_MOST_NAME].strip("-") or otherwise


class _Names:
    """Names of files that nothing else has."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next = Counter[str]()
        """Name -> the number of times that it was asked for beyond the first."""

    def free(self, name: str) -> str:
        """The name, with a number if it is taken; it is taken then."""
        free = name
        while free in self._taken:
            self._next[name] += 1
            free = f"{name}-{self._next[name] + 1}"
        self._taken.add(free)
        return free
