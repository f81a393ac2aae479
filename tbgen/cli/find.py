"""`tbgen study find`: positions of a table that satisfy a condition."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tbgen.cli import options, say
from tbgen.cli.command import Command, refuse_together, refuse_without
from tbgen.cli.materials import built_name_argument, named_or_there
from tbgen.cli.output import Outputs
from tbgen.cli.reporter import progress
from tbgen.cli.showing import Form, print_facts
from tbgen.errors import UsageError
from tbgen.system.extras import how_to_install
from tbgen.text import counted

if TYPE_CHECKING:
    from tbgen.apps.records.find import PositionCondition
    from tbgen.apps.records.positions import TablePositions
    from tbgen.compiled.arrays import Ints


@click.command("find", cls=Command, short_help="Find positions of a table by a condition.")
@built_name_argument
@click.option(
    "--where",
    metavar="CONDITION",
    required=True,
    help='Find positions that satisfy this, such as "drawn AND only"; see docs/find.md.',
)
@click.option("--count", is_flag=True, help="Print only how many there are.")
@click.option("--limit", metavar="N", type=click.IntRange(1), help="Stop after N positions.")
@click.option("--sample", metavar="N", type=click.IntRange(1), help="Draw N of them at random.")
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, help="With --sample: draw others."
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=options.NAME,
    help="Write the positions into FILE, as EPD.",
)
@options.folders_option
@options.json_option
@options.csv_option
def find(
    *,
    name: str,
    where: str,
    count: bool,
    limit: int | None,
    sample: int | None,
    seed: int,
    output: str | None,
    folders: tuple[Path, ...],
    form: Form,
) -> None:
    """Find the positions of a table that satisfy a condition, and print them as EPD.

    The condition is that of a query in SQL. Its columns are white, check, own, moves, outcome,
    plies, drawn, keep_result, keep, only, other, zugzwang and mate_zugzwang, and the squares of the
    men, such as wk and bp. Each position is found once up to symmetry.

    \b
    Examples:
      tbgen study find KRvKB --where "white AND outcome = 'G0.5' AND only AND NOT check"
      tbgen study find KPvKP --where "mate_zugzwang AND white" -o KPvKP.zugzwangs.epd
      tbgen study find KQvKQ --where "drawn AND keep_result = 1" --sample 10
      tbgen study find KBNvK --where "check AND bk IN ('a1', 'h8')" --count
    """
    refuse_together("--count", "--limit", "--sample")
    refuse_together("--count", "--output")
    refuse_together("--json", "--csv", "--output")
    refuse_without("--sample", "--seed")
    material = named_or_there([name], folders)[0]
    outputs = Outputs({"the positions": output})
    _need_polars()
    from tbgen.apps.records.find import PositionCondition, drawn_of, epd_lines, facts_of, first_of
    from tbgen.apps.records.positions import TablePositions

    with TablePositions(folders, material) as positions:
        parts = _watched(positions, PositionCondition(positions, where))
        if count:
            number = sum(map(len, parts))
            if form is Form.TABLE:
                click.echo(number)
            else:
                print_facts(form, {"material": str(material), "where": where, "count": number})
            return
        if sample is None:
            cells = first_of(parts, limit)
        else:
            cells = drawn_of(parts, sample, seed)
        if form is not Form.TABLE:
            found = {"positions": list(facts_of(positions, cells))}
            print_facts(form, {"material": str(material), "where": where, **found})
            return
        with outputs.open("the positions") as file:
            for line in epd_lines(positions, cells):
                if file is None:
                    click.echo(line)
                else:
                    file.write(f"{line}\n".encode())
    if output is not None:
        say(f"{output}: {counted(len(cells), 'position', 'positions')}")


def _need_polars() -> None:
    """UsageError without the library that evaluates conditions."""
    if importlib.util.find_spec("polars") is None:
        raise UsageError(f"conditions need polars; install with: {how_to_install('study')}")


def _watched(positions: TablePositions, condition: PositionCondition) -> Iterator[Ints]:
    """The cells that satisfy a condition, part by part, with the progress of the search."""
    with progress("parts", positions.part_count) as work:
        for cells in condition.cells():
            work.advance()
            yield cells
