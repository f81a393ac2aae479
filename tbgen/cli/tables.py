"""Checks of one table after another, with their progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tbgen.cli.reporter import Work, progress
from tbgen.cli.showing import Facts
from tbgen.errors import TableError, VerificationError
from tbgen.material import TableMaterial

TableCheck = Callable[[TableMaterial, Work], tuple[Facts, str | None]]
"""The facts of a table, and what is wrong with it."""


def check_each(
    materials: Sequence[TableMaterial], check: TableCheck
) -> tuple[list[Facts], list[TableError]]:
    """The facts of one table after another, and their faults, which do not stop the others."""
    tables: list[Facts] = []
    faults: list[TableError] = []
    with progress("tables", len(materials)) as work:
        for number, material in enumerate(materials, 1):
            try:
                facts, fault = check(material, work)
                tables.append(facts)
                if fault is not None:
                    faults.append(VerificationError(str(material), fault))
            except TableError as error:
                faults.append(error)
            work.reach(number, len(materials), title="tables", detail="")
    return tables, faults
