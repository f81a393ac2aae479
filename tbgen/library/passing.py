"""Passing: distances that are made only because parents need them, and are let go when these are made.

A mark beside a table says that its distances are to go; whoever takes a build up again goes by it. Distances without a
mark are somebody's own and stay.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from tbgen.library.manifest import read_manifest, record
from tbgen.library.survey import Condition, Finding
from tbgen.material import Material
from tbgen.storage.files import path_of
from tbgen.storage.layers import Layer

SUFFIX: Final = ".passing"


def mark(folder: Path, material: Material) -> None:
    """Say that the distances of a table that is about to be made are to go."""
    _mark_of(folder, material).touch()


def unmark(folder: Path, materials: Iterable[Material]) -> None:
    """Say that they are to stay."""
    for material in materials:
        _mark_of(folder, material).unlink(missing_ok=True)


def are_marked(folder: Path, materials: Iterable[Material]) -> bool:
    """Whether the distances of any of these tables are to go."""
    return any(_mark_of(folder, material).exists() for material in materials)


def enough(findings: Sequence[Finding]) -> list[Finding]:
    """The findings where outcomes are wanted: a table without distances is sound unless what is made needs them.

    In build order, so that parents come after their children.
    """
    needed, found = set[Material](), list[Finding]()
    for finding in reversed(findings):
        if finding.condition is Condition.WITHOUT_DISTANCES and finding.material not in needed:
            finding = dataclasses.replace(finding, condition=Condition.SOUND)
        if not finding.is_sound:
            needed.update(finding.material.children())
        found.append(finding)
    return found[::-1]


def let_go(folder: Path, materials: Iterable[Material], to_be_made: Collection[Material]) -> None:
    """Remove the distances of marked tables that are there and that nothing needs which is still to be made."""
    needed = {child for material in to_be_made for child in material.children()} | set(to_be_made)
    for material in materials:
        if material not in needed and _mark_of(folder, material).exists():
            path_of(folder, material, Layer.DISTANCES).unlink(missing_ok=True)
            known, outcomes = read_manifest(folder).get(str(material)), path_of(folder, material)
            if known is not None and outcomes.exists():
                size = outcomes.stat().st_size
                record(folder, {material: dataclasses.replace(known, bytes=size, sha256_of_distances=None)})
            unmark(folder, [material])


def _mark_of(folder: Path, material: Material) -> Path:
    return folder / f"{material}{SUFFIX}"
