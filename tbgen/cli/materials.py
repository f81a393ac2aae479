"""Materials as users name them: one by one, by the number of their men, or all."""

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
    Material,
    all_materials,
    materials,
    table_material,
)
from tbgen.men import Man
from tbgen.storage.files import men_of_folder, tables_of

R = TypeVar("R")


class Wanted(NamedTuple):
    """Materials that a user names, by name or by number of men."""

    names: tuple[str, ...]
    men: int | None
    every: bool

    @property
    def given(self) -> list[str]:
        """The names and options that the user gave."""
        given = []
        if self.names:
            given.append(" ".join(self.names))
        if self.men is not None:
            given.append("--men")
        if self.every:
            given.append("--all")
        return given

    def materials(
        self,
        most: int = MOST_BUILT_MEN,
        every: Callable[[], list[Material]] = all_materials,
        own: Sequence[Man] = (),
    ) -> list[Material]:
        """The materials, each of at most `most` men.

        With --all they are those that `every` gives, of two to five men. `own` are men of your own
        that they may have.
        """
        if not self.given:
            raise UsageError("name materials such as KBvK, or give --men N, or --all")
        if len(self.given) > 1:
            raise UsageError(f"{' and '.join(self.given)} cannot be given together")
        if self.every:
            return every()
        if self.men is None:
            return [table_material(name, most, own) for name in self.names]
        if not FEWEST_TABLE_MEN <= self.men <= most:
            raise UsageError(
                f"tables have {FEWEST_TABLE_MEN} to {most} men, kings included, not {self.men}"
            )
        return materials(self.men, own)


def _built_materials(context: click.Context) -> Iterable[Material]:
    return [material for material, _ in tables_of(context.params.get("folders") or ())]


def _all_materials(context: click.Context) -> Iterable[Material]:
    return all_materials()


_names_argument = functools.partial(click.argument, "names", nargs=-1, metavar="[MATERIAL]...")
built_names_argument = _names_argument(shell_complete=completing(_built_materials))
"""Materials whose tables are there, as `names`."""
any_names_argument = _names_argument(shell_complete=completing(_all_materials))


def wanted_options(
    every: str, *, built: bool = False
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Add materials by name or by number of men, which set `wanted`.

    `every` says what --all means. A shell completes the names of those that are `built`, or of all.
    """
    names_argument = built_names_argument if built else any_names_argument

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        @names_argument
        @click.option(
            "--men",
            metavar="N",
            type=int,
            help="Take every material of N men, kings included.",
        )
        @click.option("--all", "every", is_flag=True, help=f"Take {every}.")
        @functools.wraps(function)
        def with_wanted(
            *, names: tuple[str, ...], men: int | None, every: bool, **others: Any
        ) -> R:
            return function(wanted=Wanted(names, men, every), **others)

        return with_wanted

    return decorate


def named_or_there(names: Sequence[str], folders: Sequence[Path]) -> list[Material]:
    """The materials that are named, else those whose tables are in the folders.

    UsageError if there are none.
    """
    own = men_of_folder(folders[0]) if folders else ()
    chosen = [table_material(name, MOST_BUILT_MEN, own) for name in names]
    if not chosen:
        chosen = [material for material, _ in tables_of(folders)]
    if not chosen:
        raise UsageError(no_tables(folders))
    return chosen


def no_tables(folders: Sequence[Path]) -> str:
    """The message about empty folders."""
    where = ", ".join(map(str, folders))
    return f"no tables in {where}; build some with: tbgen build --men 3{build_options(where)}"
