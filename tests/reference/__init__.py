"""The rules of r-mobility and a slow solver once more: the witness that the fast one is compared with.

Nothing here imports `tbgen`, and what solves imports no python-chess either.
`solve("KBvKN")` gives a `ReferenceTable`: arrays `own`, `entry` and `dtg`, indexed [side to move, square of each man in
the order of the name]; `value(position, holder, code)` for the value and the plies with an accrued score; `en_passant`
for the positions with a legal en passant capture.
Outcomes are signed: +(code + 1) White's, -(code + 1) Black's, 0 none.
`Excerpt` solves a few blocks of a material that is too large to be solved whole.
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
