"""Which tables a user means, by materials or by numbers of men; and the tables of ordinary chess."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tbgen.cli.options import FOLDER, Gathered, argument, completing, flag, not_empty, option, refuse_together
from tbgen.errors import UsageError, build_options
from tbgen.material import (
    FEWEST_TABLE_MEN,
    MOST_BUILT_MEN,
    Material,
    Role,
    all_materials,
    materials,
    table_material,
)
from tbgen.storage.files import folders_in, men_of_folder, tables_of

syzygy_option = partial(
    option,
    f"Tighten bounds by the Syzygy tables in DIR; repeat it, or join several with {os.pathsep}.",
    type=FOLDER,
    multiple=True,
    callback=lambda ctx, option, values: tuple(each for value in values for each in folders_in(str(value))) or None,
)
"""Folders of tables of ordinary chess, as `syzygy`; None without them."""


class Wanted(NamedTuple):
    """Materials that a user names, by name or by number of men."""

    names: tuple[str, ...]
    men: int | None
    every: bool

    @property
    def given(self) -> list[str]:
        """The names and options that the user gave."""
        options = {" ".join(self.names): self.names, "--men": self.men is not None, "--all": self.every}
        return [name for name, is_given in options.items() if is_given]

    def materials(
        self, most: int = MOST_BUILT_MEN, every: Callable[[], list[Material]] = all_materials, own: Sequence[Role] = ()
    ) -> list[Material]:
        """The materials, each of at most `most` men; with --all, those that `every` gives, of two to five men.

        `own` are men of your own that they may have.
        """
        refuse_together(not_empty(self.given, "name materials such as KBvK, or give --men N, or --all"))
        if self.every:
            return every()
        if self.men is None:
            return [table_material(name, most, own) for name in self.names]
        if not FEWEST_TABLE_MEN <= self.men <= most:
            raise UsageError(f"tables have {FEWEST_TABLE_MEN} to {most} men, kings included, not {self.men}")
        return materials(self.men, own)


_names_argument = partial(argument, nargs=-1, metavar="[MATERIAL]...")

names_argument = _names_argument(
    shell_complete=completing(lambda ctx: (material for material, _ in tables_of(ctx.params.get("folders") or ())))
)
"""Materials whose tables are there, as `names`."""


def wanted_options(every: str, *, built: bool = False) -> Any:
    """Materials by name or by number of men, as `wanted`; `every` says what --all means."""
    return Gathered(
        Wanted,
        names=names_argument if built else _names_argument(shell_complete=completing(lambda ctx: all_materials())),
        men=option("Take every material of N men, kings included.", type=int),
        every=flag(f"Take {every}.", "--all"),
    )


def named_or_there(names: Sequence[str], folders: Sequence[Path]) -> list[Material]:
    """The materials that are named, else those whose tables are in the folders; UsageError if there are none."""
    own = men_of_folder(folders[0]) if folders else ()
    named = [table_material(name, MOST_BUILT_MEN, own) for name in names]
    return not_empty(named or [each for each, _ in tables_of(folders)], no_tables(folders))


def no_tables(folders: Sequence[Path]) -> str:
    """The message about empty folders."""
    where = ", ".join(map(str, folders))
    return f"no tables in {where}; build some with: tbgen build --men 3{build_options(where)}"
