"""The pages of events: a folder with a page for each event and each of its games.

A folder is written again after each round; only new and changed pages are made. Its list of events
tells the pages of one run from those of another, so that events of several files share a folder.
The first page lists the events; if there is one event alone, it is that event's and needs no file.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from tbgen.apps.events.rendered import (
    INDEX,
    GameKey,
    GamePage,
    event_shown,
    filled,
    game_page,
    key_of,
    version,
)
from tbgen.apps.events.standings import Standings
from tbgen.apps.events.told import facts_of_event, told_of
from tbgen.apps.games.annotate import Annotation, annotate
from tbgen.apps.games.batch import MOST_SOLVED_MEN
from tbgen.apps.games.dates import Day
from tbgen.apps.games.decide import FindSolved
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.read import PgnGame, game_of
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.text import GameText, chunks_of
from tbgen.apps.pages.export import write_new
from tbgen.apps.pages.templates import static, style
from tbgen.errors import InputFileError
from tbgen.facts import plain
from tbgen.library.catalog import Catalog
from tbgen.probe import Tablebase
from tbgen.reading import parse_json, read_as
from tbgen.rules.facts import to_json
from tbgen.system.inputs import PACKED_SUFFIXES

ENTRIES: Final = "events.json"
"""The list of the events of a folder."""
GAMES: Final = "pgn"
"""The folder with copies of the files of games."""
_STATIC: Final = ("replay.js", "step.js", "icon.svg")
_GENERATOR: Final = re.compile(rb'<meta name="generator" content="tbgen ([^"]*)">')
_HEAD_BYTES: Final = 1000
"""The generator stands within the first bytes of a page."""
_MOST_NAME: Final = 80
"""The most characters of a page's name."""


@dataclass(frozen=True, eq=False)
class GamesFile:
    """A file of games that has been read once, for the table, the pages and the copy beside them.

    A running match may append games meanwhile.
    """

    path: str
    text: bytes
    """Its copy, unpacked, with the tags of every decision."""
    digest: str
    """The SHA-256 of what was read."""
    modified: float
    """When it had been changed last, before it was read."""

    @property
    def name(self) -> str:
        """Its name without a folder and without the ending of a packed file."""
        path = Path(self.path)
        return path.stem if path.suffix in PACKED_SUFFIXES else path.name

    @property
    def changed(self) -> str:
        """When the file had been changed last, in words."""
        changed = datetime.fromtimestamp(self.modified, UTC)
        day = Day(changed.year, changed.month, changed.day)
        return f"{day}, {changed:%H:%M} UTC"


def files_in_words(files: Iterable[GamesFile]) -> list[str]:
    """Each file with its time and digest."""
    return [f"{file.name}, changed {file.changed}, SHA-256 {file.digest}" for file in files]


@dataclass(frozen=True)
class EventEntry:
    """An event in the list of a folder."""

    event: str
    """The name by which it is known again; empty for games without one."""
    folder: str
    title: str
    dates: str
    games: int
    players: int
    headline: str
    doubtful: int
    """The number of scores that are not final."""
    files: dict[str, str]
    """The name of each of its files of games -> the path of the copy."""


def entries_in(folder: Path) -> list[EventEntry]:
    """The events whose pages are in a folder, by its list; those that somebody removed are not."""
    try:
        entries = read_as(list[EventEntry], parse_json((folder / ENTRIES).read_bytes()))
    except FileNotFoundError:
        return []
    except ValueError as error:
        raise InputFileError(str(folder / ENTRIES), f"it is no list of events: {error}") from None
    for entry in entries:
        copies = [PurePosixPath(copy) for copy in entry.files.values()]
        is_inside = _is_name(entry.folder) and all(
            copy.parent == PurePosixPath(GAMES) and _is_name(copy.name) for copy in copies
        )
        if not is_inside:
            raise InputFileError(str(folder / ENTRIES), "it names files of another folder")
    return [entry for entry in entries if (folder / entry.folder / INDEX).is_file()]


def _is_name(text: str) -> bool:
    """Whether a text names something in a folder, and not beside or below it."""
    return PurePosixPath(text).name == text and text != ".."


class EventSite:
    """The pages of some events, and the list of all events of their folder."""

    def __init__(
        self,
        ranked: Sequence[Standings],
        files: Sequence[GamesFile],
        rules: Rules,
        tables: Tablebase,
        before: Sequence[EventEntry] = (),
        find_solved: FindSolved | None = None,
    ) -> None:
        """Arguments:
        ranked: The events.
        files: The files of their games.
        rules: The rules by which they are decided.
        tables: The tables that the pages of games ask.
        before: The events of the folder so far.
        find_solved: Finds what was solved of a position that no table has.
        """
        self.ranked = ranked
        self._before = before
        self.rules = rules
        self.tables = tables
        self._find_solved = find_solved
        events = {standings.event for standings in ranked}
        self.replaced = [entry for entry in before if entry.event in events]
        self.others = [entry for entry in before if entry.event not in events]
        """The events of other files, which stay as they are."""
        names = _Names(("static", GAMES, *(entry.folder for entry in self.others)))
        self.folders = [names.free(_slug(standings.event, "event")) for standings in ranked]
        """The folder of each event, by its name."""
        self._files_of = [_files_of(standings, files) for standings in ranked]
        used = {file for files_of_event in self._files_of for file in files_of_event}
        self.copies = self._copies([file for file in files if file in used])
        """File of games -> the path of a copy, which readers can fetch."""
        self.pages_of = [
            _game_pages_of(standings, folder)
            for standings, folder in zip(ranked, self.folders, strict=True)
        ]
        """The page of each game that has one, event by event."""

    def may_end_solved(self, game: EventGame) -> bool:
        """Whether blocks may tell of the last position of a game."""
        if self._find_solved is None or game.table is not None:
            return False
        return game.men <= MOST_SOLVED_MEN

    def annotation(self, page: GamePage, text: GameText) -> Annotation:
        """A game as its page shows it, made of its text."""
        game = game_of(text, page.path, self.rules)
        assert isinstance(game, PgnGame), "it has been read for the standings"
        return annotate(self.tables, game, self._find_solved)

    def _copies(self, files: Iterable[GamesFile]) -> dict[GamesFile, str]:
        """A path for the copy of each file that is no path of another one."""
        taken = {path for entry in self.others for path in entry.files.values()}
        copies = {}
        for file in files:
            path = f"{GAMES}/{file.name}"
            while path in taken:
                name = path.removeprefix(f"{GAMES}/")
                path = f"{GAMES}/other-{name}"
            taken.add(path)
            copies[file] = path
        return copies

    @cached_property
    def pages(self) -> dict[GameKey, GamePage]:
        """The page of each game that has one."""
        pages = {}
        for pages_of_event in self.pages_of:
            pages.update(pages_of_event)
        return pages

    @cached_property
    def entries(self) -> list[EventEntry]:
        """The events of the folder, in the order in which they came."""
        entries = {entry.event: entry for entry in self._before}
        for standings, folder, files in zip(self.ranked, self.folders, self._files_of, strict=True):
            told = told_of(standings)
            entries[standings.event] = EventEntry(
                event=standings.event,
                folder=folder,
                title=told.title,
                dates=told.dates,
                games=standings.games,
                players=len(standings.rows),
                headline=told.headline,
                doubtful=len(standings.doubtful),
                files={file.name: self.copies[file] for file in files},
            )
        return list(entries.values())

    def event_pages(self) -> Iterator[tuple[str, str]]:
        """The path and text of each page but those of games, and of the files beside them."""
        yield "static/style.css", style()
        for name in _STATIC:
            yield f"static/{name}", static(name)
        for number, standings in enumerate(self.ranked):
            folder = self.folders[number]
            yield f"{folder}/{INDEX}", self._event_page(number, root="../")
            facts = facts_of_event(standings)
            facts["by_sheet"] = [fault.for_strangers().facts() for fault in standings.by_sheet]
            facts["skipped"] = [fault.for_strangers().facts() for fault in standings.skipped]
            yield f"{folder}/standings.json", to_json(facts, indent=1) + "\n"
        yield INDEX, self.first_page()
        yield ENTRIES, to_json(plain(self.entries), indent=1) + "\n"

    def first_page(self) -> str:
        """The page of the only event, which needs no other file, or the list of all."""
        if len(self.entries) == 1:
            return self._event_page(0, style=style())
        return filled("events.html", version(), root="", title="Events", entries=self.entries)

    def _event_page(self, number: int, **shown: str) -> str:
        """The page of an event in its folder, or with a style of its own as the only page."""
        is_alone = "style" in shown
        beside = f"{self.folders[number]}/" if is_alone else ""
        root = "" if is_alone else "../"
        standings = self.ranked[number]
        event = event_shown(standings, self.rules, self.pages_of[number], beside)
        files = self._files_of[number]
        return filled(
            "standings.html",
            version(),
            **shown,
            title=event["told"].title,
            **event,
            files=files_in_words(files),
            copies=[f"{root}{self.copies[file]}" for file in files],
            data=f"{beside}standings.json",
            home="" if is_alone else f"../{INDEX}",
            broad=True,
        )


def _files_of(standings: Standings, files: Sequence[GamesFile]) -> list[GamesFile]:
    """The files that an event comes from."""
    paths = {game.file for game in standings.listed}
    return [file for file in files if file.path in paths]


def _game_pages_of(standings: Standings, folder: str) -> dict[GameKey, GamePage]:
    """The page of each game of an event that has one."""
    pages = {}
    names = _Names(("index", "standings"))
    before: GamePage | None = None
    for game in standings.listed:
        key = key_of(game)
        if key is None:
            continue
        page = GamePage(game, standings, folder, names.free(_game_slug(game)))
        if before is not None:
            page.before = before
            before.after = page
        before = page
        pages[key] = page
    return pages


def write_events(
    site: EventSite, folder: Path, tell: Callable[[int, int], None] = lambda *_: None
) -> tuple[int, int]:
    """Write new and changed files, and remove those of these events that are no more.

    Returns the number of files, and of the written ones. `tell` receives the number of games whose
    page is ready, and of all.
    """
    written = 0
    for done, (path, page) in enumerate(_game_pages(site, folder), 1):
        if page is not None:
            written += write_new(folder / path, page)
        tell(done, len(site.pages))
    for file, copy in site.copies.items():
        written += write_new(folder / copy, file.text)
    others = 0
    for path, text in site.event_pages():
        written += write_new(folder / path, text)
        others += 1
    _remove_stale(site, folder)
    return len(site.pages) + len(site.copies) + others, written


def generator_of(path: Path) -> str:
    """The version and digest that tbgen wrote into a page; empty for other pages."""
    try:
        with path.open("rb") as file:
            found = _GENERATOR.search(file.read(_HEAD_BYTES))
    except OSError:
        return ""
    return "" if found is None else found[1].decode(errors="replace")


def _remove_stale(site: EventSite, folder: Path) -> None:
    """Remove pages of these events that are no more, and copies of files that none comes from."""
    current = {folder / page.path for page in site.pages.values()}
    current |= {folder / name / INDEX for name in site.folders}
    for name in {*site.folders, *(entry.folder for entry in site.replaced)}:
        for path in (folder / name).glob("*.html"):
            if path not in current and generator_of(path):
                path.unlink()
        if name not in site.folders:
            (folder / name / "standings.json").unlink(missing_ok=True)
    copies = {path for entry in site.entries for path in entry.files.values()}
    for entry in site.replaced:
        for copy in entry.files.values():
            if copy not in copies:
                (folder / copy).unlink(missing_ok=True)


def _game_pages(site: EventSite, folder: Path) -> Iterator[tuple[str, str | None]]:
    """The path and text of the page of each game; None instead of the text if it is there."""
    made_by = [repr(site.rules), Catalog(site.tables.folders).tag]
    for file in site.copies:
        for chunk in chunks_of([file.text], file.path):
            for text in chunk.games:
                page = site.pages.get((file.path, text.number))
                if page is None:
                    continue
                annotation = None
                solved = ""
                if site.may_end_solved(page.game):  # perhaps since the last run
                    annotation = site.annotation(page, text)
                    solved = annotation.solved_in_words
                digest = page.digest(text, [*made_by, solved])
                if generator_of(folder / page.path) == digest:
                    yield page.path, None
                    continue
                yield page.path, game_page(page, annotation or site.annotation(page, text), digest)


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
