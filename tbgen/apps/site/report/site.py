"""Site: records as static pages that open from the disk, link only to one another, and need no server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tbgen.apps.records.record import OutcomeRecord, Record
from tbgen.apps.site.report.alone import style
from tbgen.apps.site.report.boards import board_of, shared
from tbgen.apps.site.report.cards import Card, card_of, cards_of, pgn_of, quiet_card
from tbgen.apps.site.report.drawn import BOUNDS, drawn_in, endings_of, together
from tbgen.apps.site.report.event import Event
from tbgen.apps.site.report.extra import need_extra
from tbgen.apps.site.report.lineage import parents_of
from tbgen.apps.site.report.palette import bar_of, border_of, percent, shade_of, told
from tbgen.apps.site.report.plots import Plot, plot_of
from tbgen.apps.site.report.potential import facts_of, fits_of, potentials_of
from tbgen.apps.site.report.waiting import can_be_played, waiting_cards
from tbgen.apps.site.report.writing import Batch, Tally, Tell, unheard, write_batches
from tbgen.material import MOST_TABLE_MEN, Material
from tbgen.probe import Tablebase
from tbgen.score import Color, Outcome
from tbgen.storage.files import every_material
from tbgen.text import in_plies

if TYPE_CHECKING:
    from jinja2 import Environment

HERE: Final = Path(__file__).parent
PAGES: Final = (
    ("index.html", "Endings"),
    ("records.html", "Records"),
    ("drawn.html", "Drawn endings"),
    ("potential.html", "Mating potential"),
)
TWO_GAMES: Final = ("games.html", "Two games")
"""A page that `tbgen compare` has written."""
DATA: Final = "data"
EVENT: Final = "event.json"
"""In `DATA`: the event that the site has a page of."""
STATIC: Final = ("step.js", "find.js", "sort.js", "icon.svg")
PREVIEW: Final = "preview.png"
"""What other sites show beside a link to a page, which they ask for by its whole address."""
CLAIMS: Final = ("KvK", "KBvK", "KNvK", "KNNvK", "KPvK")
"""What the rules say something about."""


@dataclass(frozen=True)
class Row:
    """A line of the index."""

    material: Material
    record: Record | None

    @property
    def men(self) -> int:
        return self.material.men

    @property
    def white(self) -> dict[Outcome, int]:
        return _counts(self.record, Color.WHITE)

    @property
    def black(self) -> dict[Outcome, int]:
        return _counts(self.record, Color.BLACK)

    @property
    def longest(self) -> Card | None:
        return None if self.record is None else _longest_card(self.record)


@dataclass(frozen=True)
class Part:
    """One side to move on a material's page."""

    record: Record
    side: Color

    @property
    def counts(self) -> dict[Outcome, int]:
        return _counts(self.record, self.side)

    @property
    def words(self) -> str:
        return told(self.counts, 6)

    @property
    def total(self) -> int:
        return self.record.count(self.side).classes

    @property
    def placements(self) -> int:
        return self.record.count(self.side).placements

    @property
    def outcomes(self) -> list[tuple[Outcome, OutcomeRecord]]:
        return list(self.record.sides[self.side].items())

    @cached_property
    def plot(self) -> Plot | None:
        """How far away the outcomes are; None where there is no position."""
        distances = {outcome: each.distances for outcome, each in self.outcomes}
        return plot_of(distances) if distances else None

    @cached_property
    def cards(self) -> list[Card]:
        return cards_of(self.record, self.side)


@dataclass(frozen=True)
class Group:
    """A part of the records page."""

    key: str
    title: str
    cards: list[Card]


def _counts(record: Record | None, side: Color) -> dict[Outcome, int]:
    if record is None:
        return {}
    return {outcome: each.count.classes for outcome, each in record.sides[side].items()}


def _longest_card(record: Record) -> Card | None:
    found = record.longest()
    return None if found is None else card_of(record, found[0], found[1])


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
        self._tables, self._there = tables, frozenset(tables or ())
        self.built = {str(record.material) for record in self.records}
        self._environment = _environment()
        self._environment.globals.update(explorer=explorer, address=address)
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
        yield Batch(("static/style.css",), None, lambda: [style()])
        for name in STATIC:
            yield Batch((f"static/{name}",), None, partial(_static, name))
        if self._shown[1] is not None:
            yield Batch((f"static/{PREVIEW}",), None, lambda: [(HERE / "static" / PREVIEW).read_bytes()])
        whole = [self._digests, self._shown, self._two_games, event and event.title]
        if event is not None:
            yield Batch(("event.html", f"{DATA}/{EVENT}"), [whole, event.text], partial(self._event_files, event))
        yield Batch(("index.html",), [whole, event and event.said], lambda: [self._index()])
        yield Batch(("records.html",), whole, lambda: [self._records()])
        yield Batch(("drawn.html",), whole, lambda: [self._drawn()])
        yield Batch(("potential.html", "data/potential.json"), whole, self._potential)
        for record in self.records:
            name = str(record.material)
            names = f"material/{name}.html", f"data/{name}.json", f"lines/{name}.pgn"
            family = [str(each) for each in (*self._parents(record.material), *record.material.children())]
            there = [each for each in family if each in self.built]
            inputs = [self._digests[name], self._shown, there, self._plays(record)]
            yield Batch(names, inputs, partial(self._material_files, record))

    @cached_property
    def _digests(self) -> dict[str, str]:
        return {str(each.material): sha256(json.dumps(each.facts()).encode()).hexdigest() for each in self.records}

    def _plays(self, record: Record) -> bool:
        """Whether tables have best play from the longest mutual zugzwang."""
        return record.zugzwangs.longest is not None and can_be_played(record.material, self._there)

    def _material_files(self, record: Record) -> list[str]:
        sides = [Part(record, side) for side in Color]
        lines = pgn_of([card for part in sides for card in part.cards])
        return [self._material(record, sides), record.to_text(), lines]

    def _event_files(self, event: Event) -> list[str]:
        return [self.page("event.html", event=event, built=self.built, shared=shared()), event.text]

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
        return material.men <= MOST_TABLE_MEN or str(material) in self.built

    def _parents(self, material: Material) -> list[Material]:
        """The materials that lead to one, as far as the site names them."""
        return [each for each in parents_of(material) if self._belongs(each)]

    def _index(self) -> str:
        known = {record.material: record for record in self.records}
        rows = [Row(material, known.get(material)) for material in every_material() if self._belongs(material)]
        longest = max((card for row in rows if (card := row.longest)), key=lambda card: card.longest.dtg, default=None)
        total = sum(record.positions.classes for record in self.records)
        most_men = max(row.men for row in rows)
        return self.page("index.html", rows=rows, total=total, longest=longest, most_men=most_men, event=self._event)

    def _material(self, record: Record, sides: list[Part]) -> str:
        return self.page(
            "material.html",
            path=f"material/{record.material}.html",
            record=record,
            built={material for material in every_material() if str(material) in self.built},
            sentence=_sentence(record),
            shared=shared(),
            sides=sides,
            longest=_longest_card(record),
            waiting=waiting_cards(record, self._tables if self._plays(record) else None),
            quiet=quiet_card(record),
            parents=self._parents(record.material),
        )

    def _records(self) -> str:
        best = best_cards(self.records)
        groups = [
            Group(
                "white" if holder is Color.WHITE else "black",
                f"Held by the {'stronger' if holder is Color.WHITE else 'weaker'} side",
                [card for outcome, card in best.items() if outcome.holder is holder],
            )
            for holder in Color
        ]
        zugzwangs = sorted((r for r in self.records if r.zugzwangs.all.classes), key=_by_zugzwangs)
        quiet = sorted(
            (r for r in self.records if r.quiet), key=lambda r: (-(r.quiet.plies if r.quiet else 0), str(r.material))
        )
        changes = sorted((r for r in self.records if r.changes and r.changes.changing), key=_by_changes)
        return self.page(
            "records.html", groups=groups, zugzwangs=zugzwangs, quiet=quiet, changes=changes, shared=shared()
        )

    def _drawn(self) -> str:
        endings = endings_of(self.records)
        known = {str(record.material): record for record in self.records}
        claims = [
            {"record": known[name], "sides": [Part(known[name], side) for side in Color]}
            for name in CLAIMS
            if name in known
        ]
        return self.page(
            "drawn.html",
            all=together(drawn_in(record) for record in self.records),
            endings=[(material, each) for material, each in endings.items() if each.positions],
            bounds=BOUNDS,
            claims=claims,
        )


def _by_zugzwangs(record: Record) -> tuple[int, str]:
    return -record.zugzwangs.played.classes, str(record.material)


def _by_changes(record: Record) -> tuple[float, str]:
    changes = record.changes
    return -changes.changing / changes.positions if changes else 0.0, str(record.material)


def best_cards(records: Iterable[Record]) -> dict[Outcome, Card]:
    """For each outcome its longest line over all tables, best outcome for White first."""
    best: dict[Outcome, tuple[int, Record, Color]] = {}
    for record in records:
        for side in Color:
            for outcome, each in record.sides[side].items():
                if each.longest.dtg > (best[outcome][0] if outcome in best else 0):
                    best[outcome] = (each.longest.dtg, record, side)
    return {outcome: card_of(best[outcome][1], best[outcome][2], outcome) for outcome in sorted(best, reverse=True)}


def _sentence(record: Record) -> str:
    """What a material is worth, in a sentence."""
    parts = []
    for side in Color:
        counts = _counts(record, side)
        outcome = max(counts, key=lambda outcome: counts[outcome], default=None)
        if outcome is not None:
            share = percent(counts[outcome], sum(counts.values()))
            parts.append(f"with {side} to move the commonest outcome is {outcome}, {share}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _environment() -> Environment:
    need_extra()
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(_filters())
    return environment


def _filters() -> dict[str, Callable[..., Any]]:
    return {
        "bar": bar_of,
        "border": border_of,
        "asked": lambda fen: fen.replace(" ", "_"),
        "board": board_of,
        "css": lambda number: f"{number:.3f}",
        "exact": lambda part, whole: f"{100 * part / whole:.4f} %",
        "factor": lambda factor: "–" if factor is None else f"{float(factor):.3f}",
        "g": lambda code: str(Outcome(Color.WHITE, code)),
        "rank": lambda outcome: (1 if outcome.holder is Color.WHITE else -1) * (10**4 - outcome.code),
        "numeral": lambda number: {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}[number],
        "in_plies": in_plies,
        "percent": percent,
        "shade": shade_of,
        "share": lambda share: "–" if share is None else percent(share.numerator, share.denominator),
        "signed": _signed,
        "thousands": lambda number: f"{number:,}",
        "told": told,
        "unbroken": lambda text: text.replace("-G", "\N{NON-BREAKING HYPHEN}G"),
        "units": _units,
    }


def _signed(number: Fraction) -> str:
    return f"{float(number):+.3f}".replace("-", "−") if number else "0"


def _units(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 10**6 else f"{size / 1e3:.1f} kB"


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


def _static(name: str) -> list[str]:
    return [(HERE / "static" / name).read_text(encoding="utf-8")]
