"""Lineage: which materials lead to one by a capture or promotion."""

from __future__ import annotations

from functools import cache

from tbgen.material import Material
from tbgen.storage.files import every_material


@cache
def _parents() -> dict[Material, list[Material]]:
    found: dict[Material, list[Material]] = {material: [] for material in every_material()}
    for parent in every_material():
        for child in parent.children():
            found[child].append(parent)
    return found


def parents_of(material: Material) -> list[Material]:
    """The materials from which a capture or promotion leads here, in build order."""
    return _parents()[material]
