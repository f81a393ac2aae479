"""The moves of a man in Betza's notation, and the rays that they stand for.

A letter is a leap, alike in all directions; a letter twice is a rider, which leaps on and on.

>>> moves_of(rays_in("FWC")), len(rays_in("NN")), rays_in("NN")[0]
('WFL', 8, Ray(right=1, up=2, most=7))
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

_MOST_STEPS: Final = 7
"""A rider's steps in a row, on an empty board."""

LEAPS: Final = {
    "W": (0, 1),
    "F": (1, 1),
    "D": (0, 2),
    "N": (1, 2),
    "A": (2, 2),
    "H": (0, 3),
    "L": (1, 3),
    "J": (2, 3),
    "G": (3, 3),
}
"""[letter] -> one of the steps, by files and ranks."""

# The spaces keep the letters of two sums from making a rider.
_SUMS: Final = {"Q": " WW FF ", "R": " WW ", "B": " FF ", "K": " W F ", "C": "L", "Z": "J"}
LETTERS: Final = frozenset({*LEAPS, *_SUMS})
_EXPANDED: Final = str.maketrans(_SUMS)


class Ray(NamedTuple):
    """A direction in which a man goes: a step, and how many of them he may make in a row."""

    right: int
    up: int
    most: int


Walk = tuple[int, ...]
"""The squares that a man comes to one after another along a ray."""


def rays_in(moves: str) -> tuple[Ray, ...]:
    """The rays of some moves, leap by leap in the order of `LEAPS`; other letters add nothing."""
    expanded = moves.translate(_EXPANDED)
    rays = list[Ray]()
    for letter, (files, ranks) in LEAPS.items():
        if 2 * letter in expanded:
            rays += _all_directions(files, ranks, _MOST_STEPS)
        elif letter in expanded:
            rays += _all_directions(files, ranks, 1)
    return tuple(rays)


def _all_directions(files: int, ranks: int, most: int) -> list[Ray]:
    """A leap turned by quarters of the board, and its mirror images if they differ."""
    steps = [(files, ranks)]
    if 0 < files < ranks:
        steps.append((ranks, files))
    rays = list[Ray]()
    for _ in range(4):
        rays += [Ray(right, up, most) for right, up in steps]
        steps = [(up, -right) for right, up in steps]
    return rays


def moves_of(rays: Iterable[Ray]) -> str:
    """The moves of some rays, in the order of `LEAPS`, so every man has one text.

    Q, R and B stand for their riders.
    """
    there = set(rays)
    text = ""
    for letter, (files, ranks) in LEAPS.items():
        if Ray(files, ranks, _MOST_STEPS) in there:
            text += 2 * letter
        elif Ray(files, ranks, 1) in there:
            text += letter
    return text.replace("WWFF", "Q").replace("WW", "R").replace("FF", "B")


def walks_from(square: int, rays: Iterable[Ray]) -> list[Walk]:
    """The squares that rays from a square come to on an empty board, ray by ray."""
    walks = list[Walk]()
    for ray in rays:
        walk = list[int]()
        file = square % 8
        rank = square // 8
        for _ in range(ray.most):
            file += ray.right
            rank += ray.up
            if not (0 <= file < 8 and 0 <= rank < 8):
                break
            walk.append(8 * rank + file)
        walks.append(tuple(walk))
    return walks
