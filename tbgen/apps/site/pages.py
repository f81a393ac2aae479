"""Records as static pages that open from the disk, link only to each other, and need no server.

A position is *drawn* if it is worth neither G0.0 nor -G0.0: ordinary chess without the fifty-move rule has no winner
there.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from tbgen.apps.records.potential import facts_of, fits_of, potentials_of
from tbgen.apps.records.record import Record
from tbgen.apps.site.boards import best_cards, cards_of, zugzwang_cards
from tbgen.apps.site.export import PREVIEW, write_new
from tbgen.apps.site.templates import HERE, environment, static, style
from tbgen.material import MOST_TABLE_MEN, Material
from tbgen.probe import Tablebase
from tbgen.rules.facts import to_json
from tbgen.rules.points import DRAW, Scoring
from tbgen.score import Color, Score
from tbgen.storage.files import every_material


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
        rule = Scoring()
        points = sum(
            (rule.points(outcome)[0] * count for outcome, count in self.counts.items()), Fraction(0)
        )
        return points / self.positions - DRAW if self.positions else Fraction(0)


def drawn_in(records: Iterable[Record], sides: Iterable[Color] = tuple(Color)) -> Drawn:
    """The drawn positions of some tables, by default with either side to move."""
    parts = [record.sides[side] for side, record in itertools.product(sides, records)]
    counts = Counter[Score]()
    for part in parts:
        counts.update(
            {outcome: count for outcome, count in part.counts.items() if not outcome.is_mate}
        )
    return Drawn(counts, sum(part.positions.classes for part in parts))


DATA: Final = "data"
_QUIET_PLIES: Final = attrgetter("longest.quiet_plies")
STATIC: Final = ("step.js", "find.js", "sort.js", "icon.svg")
CLAIMS: Final = tuple(map(Material.parse, ("KvK", "KBvK", "KNvK", "KNNvK", "KPvK")))
"""The subjects of the rules."""


@dataclass
class Site:
    """The pages of some records; every file is text.

    `explorer` means that the explorer is in the folder too, or will be; every board then links to it. `address` is the
    web address of the folder, with a final slash; other sites then show links to its pages with a picture. `tables`
    provide lines that records lack: best play from mutual zugzwangs.
    """

    records: list[Record]
    explorer: bool = False
    address: str | None = None
    tables: Tablebase | None = None

    def __post_init__(self) -> None:
        self._known = {record.material: record for record in self.records}
        self._materials = [
            each for each in every_material() if each.men <= MOST_TABLE_MEN or each in self._known
        ]
        self._children = {each: each.children() for each in self._materials}
        self._environment = environment(explorer=self.explorer, address=self.address)

    def files(self) -> Iterator[tuple[str, str | bytes]]:
        """Every file of the site: its path and its content."""
        yield "static/style.css", style()
        for name in STATIC:
            yield f"static/{name}", static(name)
        if self.address is not None:
            yield f"static/{PREVIEW}", (HERE / "static" / PREVIEW).read_bytes()
        yield from self._overviews()
        for record in self.records:
            yield from self._files_of(record)

    def _overviews(self) -> Iterator[tuple[str, str]]:
        """The pages of all records together, and their data."""
        cards = [cards_of(record) for record in self.records]
        longest = {first.material: first for first, *_ in cards}
        yield self._page(
            "index.html",
            materials=self._materials,
            built=self._known,
            longest=longest,
            longest_of_all=max(longest.values(), key=lambda card: card.longest.dtg, default=None),
        )
        best = best_cards(self.records)
        quiet = [max(each, key=_QUIET_PLIES) for each in cards]
        yield self._page(
            "records.html",
            cards={
                side: [card for card in best.values() if card.outcome.holder is side]
                for side in Color
            },
            records=sorted(self.records, key=lambda record: str(record.material)),
            quiet=sorted(quiet, key=_QUIET_PLIES, reverse=True),
        )
        every = ((str(record.material), drawn_in([record])) for record in self.records)
        endings = [(name, drawn) for name, drawn in every if drawn.positions]
        yield self._page(
            "drawn.html",
            all=drawn_in(self.records),
            endings=sorted(endings, key=lambda ending: (-abs(ending[1].favour()), ending[0])),
            claims=[self._known[each] for each in CLAIMS if each in self._known],
        )
        found = potentials_of(self.records)
        yield self._page(
            "potential.html", potentials=found, fits=fits_of(found), colors=list(Color)
        )
        yield f"{DATA}/potential.json", to_json(facts_of(found), indent=1) + "\n"

    def _files_of(self, record: Record) -> Iterator[tuple[str, str]]:
        name, every = str(record.material), cards_of(record)
        cards = {
            side: [card for card in every if card.side is side and card.longest.dtg]
            for side in Color
        }
        yield self._page(
            "material.html",
            f"material/{name}.html",
            record=record,
            built=self._known,
            cards=cards,
            longest=every[0],
            waiting=zugzwang_cards(record, self.tables),
            quiet=max(every, key=_QUIET_PLIES),
            parents=[
                each for each, children in self._children.items() if record.material in children
            ],
        )
        yield f"{DATA}/{name}.json", record.to_text()
        yield f"lines/{name}.pgn", "".join(card.pgn for side in Color for card in cards[side])

    def _page(self, template: str, path: str | None = None, **context: Any) -> tuple[str, str]:
        """A page: its path, by default the template's name, and the filled template."""
        there, text = path or template, self._environment.get_template(template)
        return there, text.render(root="../" * there.count("/"), here=there, **context) + "\n"


def write_site(
    site: Site, folder: Path, tell: Callable[[int, int], None] = lambda *_: None
) -> tuple[int, int]:
    """Write all new and changed files; return the number of files, and of the written ones.

    `tell` receives the number of tables with finished files, and of all.
    """
    files = written = tables = 0
    for name, content in site.files():
        written += write_new(folder / name, content)
        files += 1
        if name.startswith("material/"):
            tables += 1
            tell(tables, len(site.records))
    return files, written
