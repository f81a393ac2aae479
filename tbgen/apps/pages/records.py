"""Records as static pages that open from the disk, link only to each other, and need no server.

A position is *drawn* if it is worth neither G0.0 nor -G0.0: ordinary chess without the fifty-move
rule has no winner there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from tbgen.apps.pages.cards import (
    Card,
    best_cards,
    cards_of,
    plies_of,
    quiet_plies_of,
    zugzwang_cards,
)
from tbgen.apps.pages.export import (
    FINDER,
    SERVED_LINKS,
    files,
    write_new,
)
from tbgen.apps.pages.templates import environment, static, style
from tbgen.apps.records.record import Record
from tbgen.material import MOST_TABLE_MEN, Material, Scope, table_named
from tbgen.probe import Tablebase
from tbgen.rules.points import DRAW, Scoring
from tbgen.score import Color, Score
from tbgen.storage.files import every_material

DATA: Final = "data"
STATIC: Final = ("replay.js", "step.js", "find.js", "sort.js", "icon.svg")
_NO_LINKS: Final = "// `tbgen serve` gives links to its explorer under this name.\n"
CLAIMS: Final = tuple(map(table_named, ("KvK", "KBvK", "KNvK", "KNNvK", "KPvK")))
"""The subjects of the rules."""


@dataclass(frozen=True)
class Drawn:
    """The drawn positions of some tables up to symmetry."""

    counts: Mapping[Score, int]
    all: int
    """All positions, drawn or not."""

    @property
    def positions(self) -> int:
        return sum(self.counts.values())

    def decided(self, code: int) -> int:
        """The number of positions that a side decides at a score of this code or a lower one."""
        return sum(count for outcome, count in self.counts.items() if outcome.code <= code)

    def favour(self) -> Fraction:
        """White's average points above one half, by the exponential formula; exact."""
        if not self.positions:
            return Fraction(0)
        scoring = Scoring()
        points = Fraction(0)
        for outcome, count in self.counts.items():
            white_points, _ = scoring.points(outcome)
            points += white_points * count
        return points / self.positions - DRAW


def drawn_in(records: Iterable[Record], sides: Sequence[Color] = tuple(Color)) -> Drawn:
    """The drawn positions of some tables, by default with either side to move."""
    counts = Counter[Score]()
    positions = 0
    for record in records:
        for side in sides:
            part = record.sides[side]
            positions += part.positions.classes
            for outcome, count in part.counts.items():
                if not outcome.is_mate:
                    counts[outcome] += count
    return Drawn(counts, positions)


def _share_of_only_moves(record: Record) -> Fraction:
    """The share of drawn positions in which one move alone keeps the outcome, a key to sort by."""
    return Fraction(record.drawn.only, record.drawn.positions)


def _has_most_favour(ending: tuple[str, Drawn]) -> tuple[Fraction, str]:
    """A key that puts the endings with the most favour for either side first."""
    name, drawn = ending
    return -abs(drawn.favour()), name


@dataclass
class Site:
    """The pages of some records; every file is text.

    `explorer` means that the explorer is in the folder too, or will be; every board then links to
    it. `tables` provide lines that records lack: best play from mutual zugzwangs.
    """

    records: list[Record]
    explorer: bool = False
    tables: Tablebase | None = None

    def __post_init__(self) -> None:
        self._known = {record.material: record for record in self.records}
        self._materials = [
            material
            for material in every_material()
            if material in self._known
            or (material.men <= MOST_TABLE_MEN and material.scope is Scope.ALL)
        ]
        self._children = {material: material.children() for material in self._materials}
        self._environment = environment(explorer=self.explorer)

    def files(self) -> Iterator[tuple[str, str | bytes]]:
        """Every file of the site: its path and its content."""
        yield "static/style.css", style()
        for name in STATIC:
            yield f"static/{name}", static(name)
        yield f"static/{FINDER}", files()[FINDER]
        if not self.explorer:
            yield SERVED_LINKS, _NO_LINKS
        yield self._index()
        yield self._records()
        yield self._drawn()
        for record in self.records:
            yield from self._files_of(record)

    def _index(self) -> tuple[str, str]:
        """The first page: all endings."""
        longest = dict[Material, Card]()
        for record in self.records:
            for card in cards_of(record)[:1]:
                longest[record.material] = card
        return self._page(
            "index.html",
            materials=self._materials,
            built=self._known,
            longest=longest,
            longest_of_all=max(longest.values(), key=plies_of, default=None),
        )

    def _records(self) -> tuple[str, str]:
        """The longest lines of all tables together."""
        cards: dict[Color, list[Card]] = {side: [] for side in Color}
        for outcome, card in best_cards(self.records).items():
            cards[outcome.holder].append(card)
        quiet = list[Card]()
        for record in self.records:
            cards_of_record = cards_of(record)
            if cards_of_record:
                quiet.append(max(cards_of_record, key=quiet_plies_of))
        return self._page(
            "records.html",
            cards=cards,
            records=sorted(self.records, key=lambda record: str(record.material)),
            quiet=sorted(quiet, key=quiet_plies_of, reverse=True),
            sharp=sorted(
                [record for record in self.records if record.drawn.positions],
                key=_share_of_only_moves,
                reverse=True,
            ),
        )

    def _drawn(self) -> tuple[str, str]:
        """The drawn positions of all tables."""
        endings = list[tuple[str, Drawn]]()
        for record in self.records:
            drawn = drawn_in([record])
            if drawn.positions:
                endings.append((str(record.material), drawn))
        return self._page(
            "drawn.html",
            all=drawn_in(self.records),
            endings=sorted(endings, key=_has_most_favour),
            claims=[self._known[material] for material in CLAIMS if material in self._known],
        )

    def _files_of(self, record: Record) -> Iterator[tuple[str, str]]:
        """The page of an ending, its data, and its longest lines as games."""
        name = str(record.material)
        every_card = cards_of(record)
        cards: dict[Color, list[Card]] = {side: [] for side in Color}
        for card in every_card:
            if card.longest.dtg:
                cards[card.side].append(card)
        parents = [
            material for material, children in self._children.items() if record.material in children
        ]
        yield self._page(
            "material.html",
            f"material/{name}.html",
            record=record,
            built=self._known,
            cards=cards,
            longest=max(every_card, key=plies_of, default=None),
            waiting=zugzwang_cards(record, self.tables),
            quiet=max(every_card, key=quiet_plies_of, default=None),
            parents=parents,
        )
        yield f"{DATA}/{name}.json", record.to_text()
        games = [card.pgn for side in Color for card in cards[side]]
        yield f"lines/{name}.pgn", "".join(games)

    def _page(self, template: str, path: str | None = None, **context: Any) -> tuple[str, str]:
        """A page: its path, by default the template's name, and the filled template."""
        if path is None:
            path = template
        root = "../" * path.count("/")
        page = self._environment.get_template(template).render(root=root, here=path, **context)
        return path, page + "\n"


def write_site(
    site: Site, folder: Path, tell: Callable[[int, int], None] = lambda *_: None
) -> tuple[int, int]:
    """Write all new and changed files; return the number of files, and of the written ones.

    `tell` receives the number of tables with finished files, and of all.
    """
    files = 0
    written = 0
    tables = 0
    for name, content in site.files():
        files += 1
        if write_new(folder / name, content):
            written += 1
        if name.startswith("material/"):
            tables += 1
            tell(tables, len(site.records))
    return files, written
