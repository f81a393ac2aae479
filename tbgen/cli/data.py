"""What the subcommands that use tables share: where the tables are, and which are meant."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tbgen.cli.options import choice_of_game
from tbgen.cli.refusals import refuse_together
from tbgen.errors import MissingFolderError, UsageError
from tbgen.material import FEWEST_TABLE_MEN, MOST_BUILT_MEN, Material, all_materials, materials, table_material
from tbgen.score import Mobility
from tbgen.storage.files import tables_of
from tbgen.storage.folders import folder_of_game, folders_in, game_of_folder


def folders_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names the folders of tables that are there, as `folders`."""
    return _folders_option(command, _existing_folders)


def optional_folders_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names the folders of tables, as `folders`; only those that are named must be there."""
    return _folders_option(command, _folders_if_named)


def new_folder_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names the one folder that tables go to, as `data`; it need not be there."""
    return click.option(
        "--data",
        type=_FOLDER,
        envvar="TBGEN_DATA",
        default="data",
        callback=_only_folder,
        metavar="DIR",
        help=f"The folder of tables ({_DEFAULT}).",
    )(command)


def game_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The game whose tables are meant, as `game`; above the option of folders, which become those of that game."""

    @functools.wraps(command)
    def with_game(*args: Any, game: str, **others: Any) -> Any:
        chosen = Mobility.named(game)
        if "data" in others:
            others["data"] = folder_of_game(others["data"], chosen)
        if "folders" in others:
            others["folders"] = _folders_of_game(others["folders"], chosen)
        return command(*args, game=chosen, **others)

    return choice_of_game(with_game)


def _folders_of_game(folders: Sequence[Path], game: Mobility) -> tuple[Path, ...]:
    """Where folders keep the tables of a game."""
    return tuple(folder_of_game(folder, game) for folder in folders)


_FOLDER = click.Path(path_type=Path, file_okay=False)
_DEFAULT = "default $TBGEN_DATA, else ./data"

_Chosen = Callable[[click.Context, click.Parameter, Sequence[Path]], tuple[Path, ...]]


def _folders_option(command: Callable[..., Any], callback: _Chosen) -> Callable[..., Any]:
    return click.option(
        "--data",
        "folders",
        type=_FOLDER,
        envvar="TBGEN_DATA",
        default=("data",),
        multiple=True,
        callback=callback,
        metavar="DIR",
        help=f"A folder of tables; may be repeated, or several joined by {os.pathsep} ({_DEFAULT}).",
    )(command)


def _existing_folders(ctx: click.Context, option: click.Parameter, values: Sequence[Path]) -> tuple[Path, ...]:
    folders = tuple(folder for value in values for folder in folders_in(str(value)))
    check_folders(folders)
    return folders


def _folders_if_named(ctx: click.Context, option: click.Parameter, values: Sequence[Path]) -> tuple[Path, ...]:
    is_default = option.name is None or ctx.get_parameter_source(option.name) is ParameterSource.DEFAULT
    return tuple(values) if is_default else _existing_folders(ctx, option, values)


def _only_folder(ctx: click.Context, option: click.Parameter, value: Path) -> Path:
    if len(folders_in(str(value))) != 1:
        raise UsageError(f"{value} is more than one folder; name one with --data")
    return value


def check_folders(folders: Sequence[Path]) -> None:
    """MissingFolderError for a folder that is not there."""
    for folder in folders:
        if not folder.is_dir():
            raise MissingFolderError(str(folder))


def tables_there(folders: Sequence[Path]) -> list[Material]:
    """The materials whose tables are in the folders; UsageError if there are none."""
    found = [material for material, _ in tables_of(folders)]
    if not found:
        raise UsageError(no_tables(folders))
    return found


def no_tables(folders: Sequence[Path]) -> str:
    """What is said of folders that are empty."""
    game = next((game for game in map(game_of_folder, folders) if not game.forgets), None)
    chosen = "" if game is None else f" --game {game}"
    return f"no tables in {', '.join(map(str, folders))}; build some with: tbgen build --men 3{chosen}"


def named_material(name: str) -> Material:
    """The canonical material that a text names; of six men at most, which a folder may have a table of."""
    return table_material(name, MOST_BUILT_MEN)


def wanted_materials(
    names: Sequence[str], men: int | None, *, every: bool, most: int = MOST_BUILT_MEN
) -> list[Material]:
    """The materials asked for by name or by number of men, each of `most` men at most, or all of two to five men."""
    if not (names or men is not None or every):
        raise UsageError("name materials such as KBvK, or give --men N, or --all")
    refuse_together({" ".join(names): tuple(names), "--men": men, "--all": every})
    if every:
        return all_materials()
    if men is None:
        return [table_material(name, most) for name in names]
    if not FEWEST_TABLE_MEN <= men <= most:
        raise UsageError(f"tables have {FEWEST_TABLE_MEN} to {most} men, kings included, not {men}")
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
