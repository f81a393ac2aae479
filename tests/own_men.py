"""Fifteen men that are not of chess, as the reference defines them."""

from __future__ import annotations

from tbgen.material import Material
from tbgen.men import own_men
from tests.reference.moves import OWN

_ATOMS = {(0, 1): "W", (1, 1): "F", (0, 2): "D", (1, 2): "N", (2, 2): "A", (1, 3): "L"}

DEFINITIONS = [
    f"{letter}={''.join([*(_ATOMS[leap] for leap in leaps), *(2 * _ATOMS[ride] for ride in rides)])}"
    for letter, (leaps, rides) in OWN.items()
]
MEN = own_men(DEFINITIONS)

VARIANT = "[own:chess]\ncastling = false\n" + "\n".join(
    f"customPiece{n} = {text[0].lower()}:{text[2:]}" for n, text in enumerate(DEFINITIONS, 1)
)
"""The variant for Fairy-Stockfish, which has all these men but dabbaba riders."""


def material(name: str) -> Material:
    """The material of a name with these men."""
    return Material.parse(name, MEN)
