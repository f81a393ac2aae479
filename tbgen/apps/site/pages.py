"""Site: records as static pages that open from the disk, link only to one another, and need no server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from tbgen.apps.records.drawn import BOUNDS, drawn_in, endings_of, together
from tbgen.apps.records.potential import facts_of, fits_of, potentials_of
from tbgen.apps.records.record import OutcomeRecord, Record
from tbgen.apps.site.events import Event
from tbgen.apps.site.lines import (
    Card,
    best_cards,
    can_be_played,
    cards_of,
    longest_card,
    quiet_card,
    zugzwang_cards,
)
from tbgen.apps.site.palette import percent, told
from tbgen.apps.site.plots import Plot, plot_of
from tbgen.apps.site.templates import HERE, environment, static, style
from tbgen.apps.site.writing import Batch, Tally, Tell, unheard, write_batches
from tbgen.material import MOST_TABLE_MEN, Material
from tbgen.probe import Tablebase
from tbgen.score import Color, Score
from tbgen.storage.files import every_material

PAGES: Final = (
    ("index.html", "Endings"),
    ("records.html", "Records"),
    ("drawn.html", "Drawn endings"),
    ("potential.html", "Mating potential"),
)
TWO_GAMES: Final = ("games.html", "Two games")
"""A page that `tbgen study compare` has written."""
DATA: Final = "data"
EVENT: Final = "event.json"
"""In `DATA`: the event that the site has a page of."""
STATIC: Final = ("step.js", "find.js", "sort.js", "icon.svg")
PREVIEW: Final = "preview.png"
"""What other sites show beside a link to a page, which they ask for by its whole address."""
CLAIMS: Final = ("KvK", "KBvK", "KNvK", "KNNvK", "KPvK")
"""What the rules say something about."""


@dataclass(frozen=True)
class Part:
    """One side to move of a record."""

    record: Record
    side: Color

    @property
    def outcomes(self) -> list[tuple[Score, OutcomeRecord]]:
        return list(self.record.sides[self.side].items())

    @property
    def counts(self) -> dict[Score, int]:
        return {outcome: each.count.classes for outcome, each in self.outcomes}

    @property
    def words(self) -> str:
        return told(self.counts, 6)

    @property
    def total(self) -> int:
        return self.record.count(self.side).classes

    @property
    def placements(self) -> int:
        return self.record.count(self.side).placements

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
        outcome = max(self.counts, key=lambda outcome: self.counts[outcome])
        share = percent(self.counts[outcome], self.total)
        return f"with {self.side} to move the commonest outcome is {outcome}, {share}"


class Row(NamedTuple):
    """A line of the index."""

    men: int
    material: Material
    record: Record | None
    sides: Sequence[Part]
    longest: Card | None


class Site:
    """The pages of some records; everything is text, written at the end."""

    def __init__(
        self,
        records: Iterable[Record],
        *,
        explorer: bool = False,
        address: str | None = None,
        tables: Tablebase | None = None,
        two_games: bool = False,
    ) -> None:
        self.records = list(records)
        self._known = {record.material: record for record in self.records}
        self._tables, self._there = tables, frozenset(tables or ())
        self._environment = environment(explorer=explorer, address=address)
        self._shown = [explorer, address]
        self._two_games = two_games
        self._event: Event | None = None

    def files(self, event: Event | None = None) -> Iterator[tuple[str, str | bytes]]:
        """Every file of the site: its path and its content."""
        for batch in self.batches(event):
            yield from zip(batch.names, batch.texts(), strict=True)

    def batches(self, event: Event | None = None) -> Iterator[Batch]:
        """Every file of the site, with what it is made of."""
        self._event = event
        yield _batch("static/style.css", None, style)
        for name in STATIC:
            yield _batch(f"static/{name}", None, partial(static, name))
        if self._shown[1] is not None:
            yield _batch(f"static/{PREVIEW}", None, (HERE / "static" / PREVIEW).read_bytes)
        whole = [self._digests, self._shown, self._two_games, event and event.title]
        if event is not None:
            yield Batch(("event.html", f"{DATA}/{EVENT}"), [whole, event.text], partial(self._event_files, event))
        yield _batch("index.html", [whole, event and event.said], self._index)
        yield _batch("records.html", whole, self._records)
        yield _batch("drawn.html", whole, self._drawn)
        yield Batch(("potential.html", "data/potential.json"), whole, self._potential)
        for record in self.records:
            name = str(record.material)
            family = (*self._parents(record.material), *record.material.children())
            there = [str(each) for each in family if each in self._known]
            inputs = [self._digests[name], self._shown, there, self._plays(record)]
            names = f"material/{name}.html", f"data/{name}.json", f"lines/{name}.pgn"
            yield Batch(names, inputs, partial(self._material_files, record))

    @cached_property
    def _digests(self) -> dict[str, str]:
        return {str(each.material): sha256(each.to_text().encode()).hexdigest() for each in self.records}

    def _plays(self, record: Record) -> bool:
        """Whether tables have best play from the longest mutual zugzwang."""
        return record.zugzwangs.longest is not None and can_be_played(record.material, self._there)

    def _material_files(self, record: Record) -> list[str]:
        sides = [Part(record, side) for side in Color]
        text = "; ".join(filter(None, (part.commonest for part in sides)))
        page = self.page(
            "material.html",
            path=f"material/{record.material}.html",
            record=record,
            built=self._known,
            sentence=f"{text[:1].upper()}{text[1:]}." if text else "",
            sides=sides,
            longest=longest_card(record),
            waiting=zugzwang_cards(record, self._tables if self._plays(record) else None),
            quiet=quiet_card(record),
            parents=self._parents(record.material),
        )
        return [page, record.to_text(), "".join(card.pgn for part in sides for card in part.cards)]

    def _event_files(self, event: Event) -> list[str]:
        return [self.page("event.html", event=event, built=set(map(str, self._known))), event.text]

    def _potential(self) -> list[str]:
        found = potentials_of(self.records)
        page = self.page("potential.html", potentials=found, fits=fits_of(found), colors=list(Color))
        return [page, json.dumps(facts_of(found), indent=1) + "\n"]

    def page(self, name: str, *, path: str | None = None, **context: Any) -> str:
        """A template filled in; `path` is where the page goes if not under the template's name."""
        there = name if path is None else path
        root = "../" * there.count("/")
        # Pages of endings do not name what is added later, or each addition would mean that all of them are made again.
        added = [*[TWO_GAMES] * self._two_games, *[("event.html", "Event")] * (self._event is not None)]
        pages = PAGES if root else (*PAGES, *added)
        return self._environment.get_template(name).render(root=root, here=there, pages=pages, **context) + "\n"

    def _belongs(self, material: Material) -> bool:
        """Whether the site names a material: one of six men only if it has a record."""
        return material.men <= MOST_TABLE_MEN or material in self._known

    def _parents(self, material: Material) -> list[Material]:
        """The materials from which a capture or promotion leads here, in build order, as far as the site names them."""
        return [each for each in self._parents_of_all.get(material, []) if self._belongs(each)]

    @cached_property
    def _parents_of_all(self) -> dict[Material, list[Material]]:
        found: dict[Material, list[Material]] = {}
        for parent in every_material():
            for child in parent.children():
                found.setdefault(child, []).append(parent)
        return found

    def _row(self, material: Material) -> Row:
        record = self._known.get(material)
        if record is None:
            return Row(material.men, material, None, (), None)
        return Row(material.men, material, record, [Part(record, side) for side in Color], longest_card(record))

    def _index(self) -> str:
        rows = [self._row(material) for material in every_material() if self._belongs(material)]
        longest = max((row.longest for row in rows if row.longest), key=lambda card: card.longest.dtg, default=None)
        total = sum(record.positions.classes for record in self.records)
        return self.page("index.html", rows=rows, total=total, longest=longest, event=self._event)

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
        zugzwangs = [record for record in by_name if record.zugzwangs.all.classes]
        quiet = [(record.quiet.plies, record) for record in by_name if record.quiet]
        changes = [(record.changes.share, record) for record in by_name if record.changes and record.changes.changing]
        return self.page(
            "records.html",
            groups=groups,
            zugzwangs=sorted(zugzwangs, key=lambda record: -record.zugzwangs.played.classes),
            quiet=_descending(quiet),
            changes=_descending(changes),
        )

    def _drawn(self) -> str:
        known = {str(record.material): record for record in self.records}
        return self.page(
            "drawn.html",
            all=together(drawn_in(record) for record in self.records),
            endings=[(material, each) for material, each in endings_of(self.records).items() if each.positions],
            bounds=BOUNDS,
            claims=[[Part(known[name], side) for side in Color] for name in CLAIMS if name in known],
        )


def _batch(name: str, inputs: Any, text: Callable[[], str | bytes]) -> Batch:
    return Batch((name,), inputs, lambda: [text()])


def _descending(records: Iterable[tuple[float, Record]]) -> list[Record]:
    """Records by a figure, the greatest first, and those with the same one in their order."""
    return [record for _, record in sorted(records, key=lambda each: -each[0])]


def write_site(
    records: Iterable[Record],
    folder: Path,
    event: Event | None = None,
    *,
    explorer: bool = False,
    address: str | None = None,
    tables: Tablebase | None = None,
    tell: Tell = unheard,
) -> Tally:
    """Write all pages that are new or would change into a folder; `tell` hears how many files are done, of how many.

    `explorer` says that the explorer is in the folder too, or will be; then every board leads there. `address` is
    where the folder will be on the web, ending with a slash; then links to its pages are shown with a picture.
    `tables` have lines that records do not have: best play from mutual zugzwangs. A page of two games that is in the
    folder is linked.
    """
    there = (folder / TWO_GAMES[0]).is_file()
    site = Site(records, explorer=explorer, address=address, tables=tables, two_games=there)
    return write_batches(site.batches(event), folder, tell)
