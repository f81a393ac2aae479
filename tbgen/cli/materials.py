"""Materials as users name them: one by one, or by the number of their men."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from tbgen.cli.options import completing
from tbgen.errors import UsageError, build_options
from tbgen.material import (
    FEWEST_TABLE_MEN,
    MOST_BUILT_MEN,
    TableMaterial,
    all_materials,
    materials,
    table_material,
    table_named,
)
from tbgen.men import Man
from tbgen.storage.files import men_of_folder, tables_of

R = TypeVar("R")


class Wanted(NamedTuple):
    """The materials that a user wants: those with names, or those of N men."""

    names: tuple[str, ...]
    men: int | None

    @property
    def given(self) -> list[str]:
        """The names and options that the user gave."""
        given = []
        if self.names:
            given.append(" ".join(self.names))
        if self.men is not None:
            given.append("--men")
        return given

    def materials(
        self, most_men: int = MOST_BUILT_MEN, own: Sequence[Man] = ()
    ) -> list[TableMaterial]:
        """The wanted materials; UsageError if the user gave no choice, or more than one.

        Arguments:
            most_men: The most men of a material.
            own: The men of your own that a material may have.
        """
        if not self.given:
            raise UsageError("name materials such as KBvK, or give --men N")
        if len(self.given) > 1:
            raise UsageError(f"{' and '.join(self.given)} cannot be given together")
        if self.men is None:
            return [table_material(name, most_men, own) for name in self.names]
        if not FEWEST_TABLE_MEN <= self.men <= most_men:
            raise UsageError(
                f"tables have {FEWEST_TABLE_MEN} to {most_men} men, kings included, not {self.men}"
            )
        return materials(self.men, own)


def _built_materials(context: click.Context) -> Iterable[TableMaterial]:
    folders = context.params.get("folders") or ()
    return [material for material, _ in tables_of(folders)]


def _all_materials(context: click.Context) -> Iterable[TableMaterial]:
    return all_materials()


_names_argument = functools.partial(click.argument, "names", nargs=-1, metavar="[MATERIAL]...")
built_names_argument = _names_argument(shell_complete=completing(_built_materials))
"""Sets `names`; a shell completes the names of materials that have tables."""
built_name_argument = click.argument(
    "name", metavar="MATERIAL", shell_complete=completing(_built_materials)
)
"""Sets `name`, which must be given; a shell completes it in the same way."""
any_names_argument = _names_argument(shell_complete=completing(_all_materials))
"""Sets `names`; a shell completes the names of all materials."""


def wanted_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add [MATERIAL]... and --men, which set `wanted`."""

    @any_names_argument
    @click.option(
        "--men",
        metavar="N",
        type=int,
        help="Take every material of N men, kings included.",
    )
    @functools.wraps(function)
    def with_wanted(*, names: tuple[str, ...], men: int | None, **others: Any) -> R:
        return function(wanted=Wanted(names, men), **others)

    return with_wanted


def named_or_there(names: Sequence[str], folders: Sequence[Path]) -> list[TableMaterial]:
    """The tables that are named; without names, those that are in the folders.

    MaterialError for a name with the colours exchanged; UsageError if the folders have no tables.
    """
    if names:
        own = men_of_folder(folders[0]) if folders else ()
        return [table_material(table_named(name, own), MOST_BUILT_MEN) for name in names]
    built = [material for material, _ in tables_of(folders)]
    if not built:
        raise UsageError(no_tables(folders))
    return built


def no_tables(folders: Sequence[Path]) -> str:
    """The message about empty folders."""
    where = ", ".join(map(str, folders))
    return f"no tables in {where}; build some with: tbgen build --men 3{build_options(where)}"
