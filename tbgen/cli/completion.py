"""What a shell completes, beside names of commands, options and choices: files, materials, a first position.

click asks these functions while a command is typed (docs/commands.md), so they read as little as they can and never
complain.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def a_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Any file, as the shell itself completes it."""
    return from_shell("file", incomplete)


def a_material(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """A material that tables are made for."""
    from tbgen.material import all_materials

    return beginning_so(map(str, all_materials()), incomplete)


def a_table(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """A material whose table is in the folders that the command would use."""
    from tbgen.storage.files import tables_of

    return beginning_so((str(material) for material, _ in tables_of(ctx.params.get("folders") or ())), incomplete)


def a_position(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The only position that has a name; or a file, where some have been named already."""
    from tbgen.rules.typed import START

    return a_file(ctx, param, incomplete) if ctx.params.get("files") else beginning_so((START,), incomplete)


def beginning_so(words: Iterable[str], incomplete: str) -> list[CompletionItem[str]]:
    """The words that begin as what was typed."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def from_shell(kind: str, incomplete: str) -> list[CompletionItem[str]]:
    """What the shell itself finds: a `file`, or a `dir`."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type=kind)]
