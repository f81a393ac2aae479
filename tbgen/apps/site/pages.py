"""Site: records as static pages that open from the disk, link only to one another, and need no server.

Drawn is what is worth neither G0.0 nor -G0.0: there ordinary chess has no winner, with the fifty-move rule left out.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import chess

from tbgen.apps.records.published import facts_of, fits_of, potentials_of
from tbgen.apps.records.record import OutcomeRecord, Record
from tbgen.apps.records.two_games import FILE as GAMES_FILE
from tbgen.apps.records.two_games import Compared, Comparison, Shares
from tbgen.apps.site.boards import (
    Card,
    best_cards,
    cards_of,
    longest_card,
    quiet_card,
    with_numbers,
    zugzwang_cards,
)
from tbgen.apps.site.palette import Plot, percent, plot_of
from tbgen.apps.site.templates import HERE, PREVIEW, environment, static, style
from tbgen.material import MOST_TABLE_MEN, Material
from tbgen.probe import Tablebase
from tbgen.rules.facts import to_json
from tbgen.rules.points import DRAW, Scoring
from tbgen.score import Color, Score
from tbgen.storage.files import every_material, write_whole
from tbgen.text import plain

BOUNDS = (1, 2, 3, 5, 7, 11, 17)
"""Codes up to which positions count as decided: G0.5, G1.0, G1.5, G2.5, G3.5 (over the board), G5.5, G8.5."""


@dataclass(frozen=True)
class Drawn:
    """The drawn positions of some tables up to symmetry."""

    counts: Mapping[Score, int]
    all: int
    """Positions, drawn or not."""

    @property
    def positions(self) -> int:
        return sum(self.counts.values())

    def decided(self, code: int) -> int:
        """How many are worth a score of this code or a lower one to somebody."""
        return sum(count for outcome, count in self.counts.items() if outcome.code <= code)

    def favour(self) -> Fraction:
        """White's average points above one half, by the exponential formula; exact."""
        rule = Scoring()
        points = sum((rule.points(outcome)[0] * count for outcome, count in self.counts.items()), Fraction(0))
        return points / self.positions - DRAW if self.positions else Fraction(0)


def drawn_in(records: Iterable[Record], sides: Iterable[Color] = tuple(Color)) -> Drawn:
    """The drawn positions of some tables, by default with either side to move."""
    counts: Counter[Score] = Counter()
    positions = 0
    for side, record in itertools.product(sides, records):
        for outcome, each in record.sides[side].outcomes.items():
            positions += each.classes
            if not outcome.is_mate:
                counts[outcome] += each.classes
    return Drawn(counts, positions)


PAGES: Final = (
    ("index.html", "Endings"),
    ("records.html", "Records"),
    ("drawn.html", "Drawn endings"),
    ("potential.html", "Mating potential"),
)
TWO_GAMES: Final = ("games.html", "Two games")
DATA: Final = "data"
STATIC: Final = ("step.js", "find.js", "sort.js", "icon.svg")
"""What other sites show beside a link to a page, which they ask for by its whole address."""
CLAIMS: Final = ("KvK", "KBvK", "KNvK", "KNNvK", "KPvK")
"""What the rules say something about."""


@dataclass(frozen=True)
class SidePage:
    """One side to move of a record."""

    record: Record
    side: Color

    @property
    def outcomes(self) -> list[tuple[Score, OutcomeRecord]]:
        return list(self.record.sides[self.side].outcomes.items())

    @property
    def counts(self) -> dict[Score, int]:
        return {outcome: each.classes for outcome, each in self.outcomes}

    @property
    def total(self) -> int:
        return self.record.sides[self.side].positions.classes

    @property
    def placements(self) -> int:
        return self.record.sides[self.side].positions.placements

    @cached_property
    def plot(self) -> Plot | None:
        """How far away the outcomes are; None if the side has no position."""
        distances = {outcome: each.distances for outcome, each in self.outcomes}
        return plot_of(distances) if distances else None

    @cached_property
    def cards(self) -> list[Card]:
        return cards_of(self.record, self.side)

    @property
    def commonest(self) -> str:
        """The commonest outcome in words; empty if the side has no position."""
        if not self.counts:
            return ""
        outcome, count = max(self.counts.items(), key=lambda item: item[1])
        return f"with {self.side} to move the commonest outcome is {outcome}, {percent(count, self.total)}"


def parts_of(record: Record) -> list[SidePage]:
    return [SidePage(record, side) for side in Color]


@dataclass
class Site:
    """The pages of some records and of two games; every file is text.

    `explorer` says that the explorer is in the folder too, or will be; then every board leads there. `address` is
    where the folder will be on the web, ending with a slash; then links to its pages are shown with a picture.
    `tables` have lines that records do not have: best play from mutual zugzwangs.
    """

    records: list[Record]
    games: Comparison | None = None
    explorer: bool = False
    address: str | None = None
    tables: Tablebase | None = None

    def __post_init__(self) -> None:
        self._known = {record.material: record for record in self.records}
        self._environment = environment(explorer=self.explorer, address=self.address)
        self._pages = [*PAGES, *[TWO_GAMES] * (self.games is not None)]

    def files(self) -> Iterator[tuple[str, str | bytes]]:
        """Every file of the site: its path and its content."""
        yield "static/style.css", style()
        for name in STATIC:
            yield f"static/{name}", static(name)
        if self.address is not None:
            yield f"static/{PREVIEW}", (HERE / "static" / PREVIEW).read_bytes()
        if self.games is not None:
            yield "games.html", self._games(self.games)
            yield f"{DATA}/{GAMES_FILE}", _as_json(plain(self.games))
        yield "index.html", self._index()
        yield "records.html", self._records()
        yield "drawn.html", self._drawn()
        found = potentials_of(self.records)
        yield "potential.html", self._page("potential.html", potentials=found, fits=fits_of(found), colors=list(Color))
        yield f"{DATA}/potential.json", _as_json(facts_of(found))
        for record in self.records:
            yield from self._files_of(record)

    def _files_of(self, record: Record) -> Iterator[tuple[str, str]]:
        name, sides = str(record.material), parts_of(record)
        text = "; ".join(filter(None, (part.commonest for part in sides)))
        page = self._page(
            "material.html",
            path=f"material/{name}.html",
            record=record,
            built=self._known,
            sentence=f"{text[:1].upper()}{text[1:]}." if text else "",
            sides=sides,
            longest=longest_card(record),
            waiting=zugzwang_cards(record, self.tables),
            quiet=quiet_card(record),
            parents=[each for each in self._parents.get(record.material, []) if self._belongs(each)],
        )
        yield f"material/{name}.html", page
        yield f"{DATA}/{name}.json", record.to_text()
        yield f"lines/{name}.pgn", "".join(card.pgn for part in sides for card in part.cards)

    def _page(self, name: str, *, path: str | None = None, **context: Any) -> str:
        """A template filled in; `path` is where the page goes if not under the template's name."""
        there = name if path is None else path
        template = self._environment.get_template(name)
        return template.render(root="../" * there.count("/"), here=there, pages=self._pages, **context) + "\n"

    def _belongs(self, material: Material) -> bool:
        """Whether the site names a material: one of six men only if it has a record."""
        return material.men <= MOST_TABLE_MEN or material in self._known

    @cached_property
    def _parents(self) -> dict[Material, list[Material]]:
        """The materials from which a capture or promotion leads to each, in build order."""
        found = defaultdict[Material, list[Material]](list)
        for parent in every_material():
            for child in parent.children():
                found[child].append(parent)
        return found

    def _row(self, material: Material) -> dict[str, Any]:
        """A line of the index."""
        record = self._known.get(material)
        sides, longest = (parts_of(record), longest_card(record)) if record else ([], None)
        return {"men": material.men, "material": material, "record": record, "sides": sides, "longest": longest}

    def _index(self) -> str:
        rows = [self._row(material) for material in every_material() if self._belongs(material)]
        longest = max(
            (row["longest"] for row in rows if row["longest"]), key=lambda card: card.longest.dtg, default=None
        )
        total = sum(record.positions.classes for record in self.records)
        return self._page("index.html", rows=rows, total=total, longest=longest)

    def _records(self) -> str:
        best = best_cards(self.records)
        groups = [
            {"key": key, "title": title, "cards": [card for outcome, card in best.items() if outcome.holder is holder]}
            for holder, key, title in (
                (Color.WHITE, "white", "Held by the stronger side"),
                (Color.BLACK, "black", "Held by the weaker side"),
            )
        ]
        by_name = sorted(self.records, key=lambda record: str(record.material))
        zugzwangs = [(record.zugzwangs.played.classes, record) for record in by_name if record.zugzwangs.all.classes]
        quiet = [(record.quiet.plies, record) for record in by_name if record.quiet]
        changes = [(record.changes.share, record) for record in by_name if record.changes and record.changes.changing]
        return self._page(
            "records.html",
            groups=groups,
            zugzwangs=_descending(zugzwangs),
            quiet=_descending(quiet),
            changes=_descending(changes),
        )

    def _drawn(self) -> str:
        known = {str(record.material): record for record in self.records}
        endings = [(name, found) for name, record in known.items() if (found := drawn_in([record])).positions]
        return self._page(
            "drawn.html",
            all=drawn_in(self.records),
            endings=sorted(endings, key=lambda ending: (-abs(ending[1].favour()), ending[0])),
            bounds=BOUNDS,
            claims=[parts_of(known[name]) for name in CLAIMS if name in known],
        )

    def _games(self, games: Comparison) -> str:
        best = best_cards(self.records)
        there = {each.outcome: each for each in games.longest}
        return self._page(
            "games.html",
            games=games,
            tables=sorted(games.tables, key=lambda table: (-table.shares.differing, str(table.material))),
            totals=totals_of(games.tables),
            built=self._known,
            ways=[(each, best.get(each), there.get(each)) for each in sorted(best.keys() | there, reverse=True)],
            with_numbers=lambda fen, play: with_numbers(fen, play.line.split()),
            white_to_move=lambda fen: chess.Board(fen).turn == chess.WHITE,
        )


def totals_of(tables: Iterable[Compared]) -> Iterator[dict[str, Any]]:
    """All tables of each number of men, the fewest first."""
    by_men = defaultdict[int, list[Compared]](list)
    for table in tables:
        by_men[table.material.men].append(table)
    for men, some in sorted(by_men.items()):
        positions = sum(table.positions for table in some)
        parts = [[getattr(table.shares, each.name) * table.positions for table in some] for each in fields(Shares)]
        shares = [sum(part) / positions for part in parts]
        yield {"men": men, "tables": len(some), "positions": positions, "shares": shares}


def _as_json(facts: Any) -> str:
    return to_json(facts, indent=1) + "\n"


def _descending(records: Iterable[tuple[float, Record]]) -> list[Record]:
    """Records by a figure, the greatest first, and those with the same one in their order."""
    return [record for _, record in sorted(records, key=lambda each: -each[0])]


def write_site(site: Site, folder: Path, tell: Callable[[int, int], None] = lambda *_: None) -> tuple[int, int]:
    """Write all files that are new or have changed; returns the number of files, and of those that are written.

    `tell` hears how many tables have theirs, of how many.
    """
    files = written = tables = 0
    for name, content in site.files():
        path, data = folder / name, content if isinstance(content, bytes) else content.encode()
        if not (path.is_file() and path.read_bytes() == data):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, [data])
            written += 1
        files += 1
        if name.startswith("material/"):
            tables += 1
            tell(tables, len(site.records))
    return files, written
