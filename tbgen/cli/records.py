"""What the subcommands that show records share: where these are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from tbgen.apps.records.folder import FOLDER, records_in
from tbgen.apps.records.record import Record
from tbgen.cli.data import optional_folders_option
from tbgen.cli.refusals import refuse_beside, typed_folders
from tbgen.errors import UsageError


def records_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say where records are, as `records` and `folders`."""
    named = click.option(
        "--records",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        metavar="DIR",
        help="The records to show (default: those within the folders of tables).",
    )
    return named(optional_folders_option(command))


def asked_records(records: Path | None, folders: Sequence[Path]) -> list[Record]:
    """The records that the options name."""
    if records is not None:
        refuse_beside("--records", {"--data": typed_folders()})
    return records_at(records, folders)


def records_at(records: Path | None, folders: Sequence[Path]) -> list[Record]:
    """The records of a folder, or those within folders of tables."""
    where = [folder / FOLDER for folder in folders] if records is None else [records]
    found = records_in(*where)
    if not found:
        raise UsageError(f"there are no records in {', '.join(map(str, where))}; make them with: tbgen record --all")
    return found
