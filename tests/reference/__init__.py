"""The rules of r-mobility and a slow solver, once more: a witness for the fast one.

Nothing here imports `tbgen`, and what solves imports no python-chess either.

`solve("KBvKN")` gives a `ReferenceTable`. Its arrays `own`, `entry` and `dtg` are indexed [side to
move, square of each man in the order of the name]. `value(position, holder, code)` gives the value
and the plies with an accrued score. `en_passant` has the positions with a legal en passant capture.
`Excerpt` solves a few blocks of a material that is too large to be solved whole.

An outcome is a signed number: code + 1 if White holds it, -(code + 1) if Black does, 0 for none.
"""

from .code import outcome
from .en_passant import EnPassant
from .excerpt import Excerpt
from .material import Material, material_of
from .moves import BLACK, WHITE
from .solver import Block, ReferenceTable, solve

__all__ = [
    "BLACK",
    "WHITE",
    "Block",
    "EnPassant",
    "Excerpt",
    "Material",
    "ReferenceTable",
    "material_of",
    "outcome",
    "solve",
]
