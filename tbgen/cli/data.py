"""What the subcommands that use tables share: where the tables are, and which are meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from tbgen.errors import UsageError
from tbgen.material import FEWEST_TABLE_MEN, MOST_TABLE_MEN, Material, all_materials, materials, table_material


def data_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names the folder of tables."""
    return click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="TBGEN_DATA",
        default="data",
        metavar="DIR",
        help="The folder of tables (default $TBGEN_DATA, else ./data).",
    )(command)


def wanted_materials(names: Sequence[str], men: int | None, *, every: bool) -> list[Material]:
    """The materials that were asked for by name, by the number of men, or all together."""
    if (bool(names) + (men is not None) + every) != 1:
        raise UsageError("name materials such as KBvK, or give --men N, or --all")
    if every:
        return all_materials()
    if men is None:
        return [table_material(name) for name in names]
    if not FEWEST_TABLE_MEN <= men <= MOST_TABLE_MEN:
        raise UsageError(f"tables have {FEWEST_TABLE_MEN} to {MOST_TABLE_MEN} men, kings included, not {men}")
    return materials(men)


def in_units(size: int) -> str:
    """Bytes for people.

    >>> in_units(44034)
    '44.0 kB'
    """
    if size < 1000:
        return f"{size} B"
    amount, units = size / 1000, ["kB", "MB", "GB"]
    while amount >= 1000 and len(units) > 1:
        amount, units = amount / 1000, units[1:]
    return f"{amount:.1f} {units[0]}"
