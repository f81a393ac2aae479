"""The rules of r-mobility and a slow solver once more: the witness that the fast one is compared with.

Nothing here imports `tbgen` or python-chess. `solve("KBvKN")` gives a `ReferenceTable`.
"""

from .level import outcome
from .material import Material, material_of
from .moves import BLACK, WHITE
from .solver import EnPassant, ReferenceTable, solve

__all__ = ["BLACK", "WHITE", "EnPassant", "Material", "ReferenceTable", "material_of", "outcome", "solve"]
