"""`tbgen potential`: how much a lead in material is worth."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import click

from tbgen.apps.records.potential import Potential, facts_of, fits_of, potentials_of
from tbgen.cli.options import idle_quiet_option
from tbgen.cli.records import asked_records, records_options
from tbgen.cli.terminal import show_rows


@click.command("potential")
@records_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for engines.")
@idle_quiet_option
def command(*, records: Path | None, folders: tuple[Path, ...], as_json: bool) -> None:
    """Compare a rule of thumb for mating potential with exact shares, the worst errors first.

    The factor of an ending is the share of positions that the side ahead wins by mate, less the share that it
    loses. The r-mobility factor is twice what that side gets above half a point. Endings without a record have the
    mates published for ordinary chess, and no r-mobility factor. docs/records.md has more.

    \b
    Examples:
      tbgen potential --records records
      tbgen potential --json
    """
    found = potentials_of(asked_records(records, folders))
    if as_json:
        click.echo(json.dumps(facts_of(found), indent=1))
    else:
        _show(found)


def _show(found: list[Potential]) -> None:
    rules = [
        (fit.rule.words, str(fit.rule.factor), *_digits(fit.mates, fit.points), f"{fit.confirmed} of {fit.endings}")
        for fit in fits_of(found)
    ]
    show_rows(("rule", "says", "fitted", "r-mobility", "confirmed"), rules, right=".rrrr")
    click.echo()
    endings = [
        (each.name, each.rule.title, str(each.rule.factor), *_digits(each.mates, each.points), each.verdict)
        for each in found
    ]
    show_rows(("ending", "rule", "says", "factor", "r-mobility", "verdict"), endings, right="..rrr.")


def _digits(*factors: Fraction | None) -> list[str]:
    return ["-" if factor is None else f"{float(factor):.3f}" for factor in factors]
