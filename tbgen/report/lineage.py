"""Lineage: which materials lead to one by a capture or promotion."""

from __future__ import annotations

from functools import cache

from tbgen.material import Material, all_materials


@cache
def every_material() -> tuple[Material, ...]:
    """All materials that tables can be made of, in build order."""
    return tuple(all_materials())


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
