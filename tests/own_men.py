"""Fifteen men that are not of chess, as the reference defines them."""

from __future__ import annotations

from tbgen.material import TableMaterial, table_named
from tbgen.men import own_men
from tests.reference.moves import OWN

_ATOMS = {(0, 1): "W", (1, 1): "F", (0, 2): "D", (1, 2): "N", (2, 2): "A", (1, 3): "L"}

_BETZA = dict[str, str]()
"""[letter] -> the man's moves in Betza's notation"""
for _letter, (_leaps, _rides) in OWN.items():
    _BETZA[_letter] = "".join(_ATOMS[leap] for leap in _leaps)
    _BETZA[_letter] += "".join(2 * _ATOMS[ride] for ride in _rides)

DEFINITIONS = [f"{letter}={moves}" for letter, moves in _BETZA.items()]
MEN = own_men(DEFINITIONS)

_VARIANT_LINES = ["[own:chess]", "castling = false"]
for _number, (_letter, _moves) in enumerate(_BETZA.items(), 1):
    _VARIANT_LINES.append(f"customPiece{_number} = {_letter.lower()}:{_moves}")
VARIANT = "\n".join(_VARIANT_LINES)
"""The variant for Fairy-Stockfish, which has all these men but dabbaba riders."""


def material(name: str) -> TableMaterial:
    """The material of a name with these men."""
    return table_named(name, MEN)
