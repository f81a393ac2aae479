"""Lineage: which materials lead to one, and which it leads to, as a small graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from tbgen.material import Material, all_materials

_ROW, _WIDTH, _BOX = 26, 560, 96


@cache
def every_material() -> tuple[Material, ...]:
    """All materials that tables can be made of, in build order."""
    return tuple(all_materials())


def parents_of(material: Material) -> list[Material]:
    """The materials from which a capture or promotion leads here."""
    return [parent for parent in every_material() if material in parent.children()]


@dataclass(frozen=True)
class Node:
    """A material's place in the drawing."""

    material: Material
    x: int
    y: int


@dataclass(frozen=True)
class Lineage:
    """The drawing: parents on the left, children on the right."""

    parents: list[Node]
    here: Node
    children: list[Node]
    height: int
    width: int = _WIDTH
    box: int = _BOX

    @property
    def edges(self) -> list[str]:
        """The paths from parents to the material and on to its children."""
        right = self.here.x + self.box
        into = [_curve(each.x + self.box, each.y, self.here.x, self.here.y) for each in self.parents]
        return into + [_curve(right, self.here.y, each.x, each.y) for each in self.children]


def _curve(x1: int, y1: int, x2: int, y2: int) -> str:
    middle = (x1 + x2) // 2
    return f"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}"


def lineage_of(material: Material) -> Lineage:
    """The drawing of a material's family."""
    parents, children = parents_of(material), material.children()
    height = _ROW * max(len(parents), len(children), 1) + 6
    left, right = _column(parents, 1, height), _column(children, _WIDTH - _BOX - 1, height)
    return Lineage(left, Node(material, (_WIDTH - _BOX) // 2, height // 2), right, height)


def _column(found: Sequence[Material], x: int, height: int) -> list[Node]:
    top = (height - _ROW * len(found)) // 2 + _ROW // 2
    return [Node(material, x, top + _ROW * n) for n, material in enumerate(found)]
