"""What the subcommands that use tables share: where the tables are, and which are meant."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tbgen.errors import MissingFolderError, UsageError
from tbgen.material import FEWEST_TABLE_MEN, MOST_TABLE_MEN, Material, all_materials, materials, table_material


def folders_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names the folders of tables that are there, as `folders`."""
    return click.option(
        "--data",
        "folders",
        type=_FOLDER,
        envvar="TBGEN_DATA",
        default=("data",),
        multiple=True,
        callback=_existing_folders,
        metavar="DIR",
        help=f"A folder of tables; may be repeated, or several joined by {os.pathsep} ({_DEFAULT}).",
    )(command)


def data_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names the one folder of tables that is there, as `data`."""
    return _one_folder(command, _existing_folder)


def optional_folder_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names the one folder of tables, as `data`; only one that is named must be there."""
    return _one_folder(command, _folder_if_named)


def new_folder_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names the one folder that tables go to, as `data`; it need not be there."""
    return _one_folder(command, _only_folder)


_FOLDER = click.Path(path_type=Path, file_okay=False)
_DEFAULT = "default $TBGEN_DATA, else ./data"


def _one_folder(
    command: Callable[..., Any], callback: Callable[[click.Context, click.Parameter, Path], Path]
) -> Callable[..., Any]:
    text = f"The folder of tables ({_DEFAULT})."
    return click.option(
        "--data", type=_FOLDER, envvar="TBGEN_DATA", default="data", callback=callback, metavar="DIR", help=text
    )(command)


def _existing_folders(ctx: click.Context, option: click.Parameter, values: Sequence[Path]) -> tuple[Path, ...]:
    folders = tuple(folder for value in values for folder in _parts(value))
    for folder in folders:
        if not folder.is_dir():
            raise MissingFolderError(str(folder))
    return folders


def _existing_folder(ctx: click.Context, option: click.Parameter, value: Path) -> Path:
    return _existing_folders(ctx, option, [_only_folder(ctx, option, value)])[0]


def _folder_if_named(ctx: click.Context, option: click.Parameter, value: Path) -> Path:
    is_default = option.name is None or ctx.get_parameter_source(option.name) is ParameterSource.DEFAULT
    return value if is_default else _existing_folder(ctx, option, value)


def _only_folder(ctx: click.Context, option: click.Parameter, value: Path) -> Path:
    if len(_parts(value)) != 1:
        raise UsageError(f"{value} is more than one folder; name one with --data")
    return value


def _parts(value: Path) -> list[Path]:
    """The folders that one value names."""
    return [value] if value.is_dir() else [Path(part) for part in str(value).split(os.pathsep) if part]


def wanted_materials(names: Sequence[str], men: int | None, *, every: bool) -> list[Material]:
    """The materials that were asked for by name, by the number of men, or all together."""
    given = [
        text for text, is_given in ((" ".join(names), names), ("--men", men is not None), ("--all", every)) if is_given
    ]
    if not given:
        raise UsageError("name materials such as KBvK, or give --men N, or --all")
    refuse_together(*given)
    if every:
        return all_materials()
    if men is None:
        return [table_material(name) for name in names]
    if not FEWEST_TABLE_MEN <= men <= MOST_TABLE_MEN:
        raise UsageError(f"tables have {FEWEST_TABLE_MEN} to {MOST_TABLE_MEN} men, kings included, not {men}")
    return materials(men)


def refuse_together(*given: str) -> None:
    """Refuse options that cannot matter together; no more than one of them may be given."""
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} cannot be given together")


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
