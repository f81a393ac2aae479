"""A page of an event, and one of a game, filled into their templates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tbgen.apps.events.cross_table import columns_of, grid_of, rounds_of
from tbgen.apps.events.endings import MARKS, MEANINGS, ended_in_words, mark_of, reason_of
from tbgen.apps.events.players import ratings_of
from tbgen.apps.events.standings import Standings
from tbgen.apps.events.told import NAMELESS, rules_in_words, told_of
from tbgen.apps.games.annotate import Annotation
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.text import GameText
from tbgen.apps.pages.templates import HERE, environment
from tbgen.score import Color
from tbgen.system import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

INDEX: Final = "index.html"

GameKey = tuple[str, int]
"""The file of a game, and its number there."""


def key_of(game: EventGame) -> GameKey | None:
    """The key of a game that can have a page; None for a bye, a forfeit and an unreadable game."""
    if not game.file or game.fault is not None:
        return None
    if not game.plies and not game.is_on_the_board:
        return None
    return game.file, game.number


def event_shown(
    standings: Standings, rules: Rules, pages: Mapping[GameKey, GamePage], beside: str = ""
) -> dict[str, Any]:
    """An event as its template receives it; the pages of its games are in the folder `beside`."""
    rounds = rounds_of(standings)
    marks = {mark_of(game) for game in standings.finished}
    meanings = {}
    for ending, mark in MARKS.items():
        if mark in marks:
            meanings[mark] = MEANINGS[ending]
    ratings = ratings_of(standings.finished)
    has_parts = any(game.points(Color.WHITE).denominator > 2 for game in standings.finished)
    return {
        "told": told_of(standings),
        "decimals": 4 if has_parts else 1,
        "by_sheet": list(_unreadable_in_words(standings)),
        "skipped": [fault.for_strangers() for fault in standings.skipped],
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
        yield f"{told}: {game.fault.for_strangers()}"


@dataclass
class GamePage:
    """The page of a game, with its neighbours in the event."""

    game: EventGame
    standings: Standings
    folder: str
    name: str
    before: GamePage | None = field(default=None, repr=False, compare=False)
    after: GamePage | None = field(default=None, repr=False, compare=False)

    @property
    def file(self) -> str:
        return f"{self.name}.html"

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.file}"

    def digest(self, text: GameText, made_by: Sequence[str]) -> str:
        """The digest of everything that the page says; `made_by` is all but its text."""
        neighbours = [page.file if page else "" for page in (self.before, self.after)]
        anywhere = self.game._replace(file="")
        said = [version(), self.standings.event, *neighbours, *made_by, repr(anywhere)]
        digest = hashlib.sha256("\0".join(said).encode())
        digest.update(text.chunk.text[text.span])
        return digest.hexdigest()[:32]


def game_page(page: GamePage, annotation: Annotation, digest: str) -> str:
    """The page of a game; `digest` is of all that it says."""
    return filled(
        "game.html",
        digest,
        root="../",
        title=f"{page.game.players[0]} – {page.game.players[1]}",
        game=page.game,
        event=page.standings.event or NAMELESS,
        back=INDEX,
        anchor=page.name,
        before=page.before,
        after=page.after,
        each=annotation,
    )


def filled(template: str, generator: str, **context: Any) -> str:
    page = _templates().get_template(template).render(generator=generator, **context)
    return page + "\n"


@cache
def _templates() -> Environment:
    """The templates, with the words about a game."""
    templates = environment()
    templates.filters.update(ended=ended_in_words, mark=mark_of, reason=reason_of)
    return templates


def version() -> str:
    """The version of the program and of its pages: a change of either makes pages anew."""
    return f"{__version__} {_templates_digest()}"


@cache
def _templates_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted((HERE / "templates").iterdir()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]
