"""Tablebases for r-mobility chess, and the rules to score any game by.

>>> import tbgen
>>> str(tbgen.Score("mG3")), tbgen.Score("G1.5") > tbgen.Score("G2.0")
('-G3.0', True)

These are the names for everyday use. Everything else has its place in a module: every error in
`tbgen.errors`, the rules in `tbgen.rules`, PGN files in `tbgen.apps.games`, proofs without tables
in `tbgen.apps.hold`.

Names are imported when they are first used, so that `import tbgen` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __all__: list[str]

    from tbgen.apps.games.decide import Adjudicator as Adjudicator
    from tbgen.apps.games.read import read_games as read_games
    from tbgen.apps.hold.ladder import hold as hold
    from tbgen.errors import InputError as InputError, MissingTableError as MissingTableError
    from tbgen.errors import TableError as TableError, TbgenError as TbgenError
    from tbgen.library.build import build_tables as build_tables
    from tbgen.material import Material as Material
    from tbgen.closures.solver import solve as solve
    from tbgen.probe.answers import LineStep as LineStep, MoveProbe as MoveProbe, Probe as Probe
    from tbgen.probe.many import BulkProbe as BulkProbe, Fault as Fault
    from tbgen.probe.tablebase import Tablebase as Tablebase, open_tablebase as open_tablebase
    from tbgen.rules.game import End as End, FiftyMoves as FiftyMoves, Game as Game, Ply as Ply
    from tbgen.rules.notation import format_fen as format_fen, parse_fen as parse_fen
    from tbgen.rules.points import Scoring as Scoring
    from tbgen.rules.position import own_score as own_score, play_move as play_move
    from tbgen.score import Color as Color, Mobility as Mobility, Score as Score
    from tbgen.system import __version__ as __version__
    from tbgen.verify.files import verify_tables as verify_tables


_NAMES = {
    "tbgen.apps.games.decide": "Adjudicator",
    "tbgen.apps.games.read": "read_games",
    "tbgen.apps.hold.ladder": "hold",
    "tbgen.errors": "InputError MissingTableError TableError TbgenError",
    "tbgen.library.build": "build_tables",
    "tbgen.material": "Material",
    "tbgen.closures.solver": "solve",
    "tbgen.probe.answers": "LineStep MoveProbe Probe",
    "tbgen.probe.many": "BulkProbe Fault",
    "tbgen.probe.tablebase": "Tablebase open_tablebase",
    "tbgen.rules.game": "End FiftyMoves Game Ply",
    "tbgen.rules.notation": "format_fen parse_fen",
    "tbgen.rules.points": "Scoring",
    "tbgen.rules.position": "own_score play_move",
    "tbgen.score": "Color Mobility Score",
    "tbgen.system": "__version__",
    "tbgen.verify.files": "verify_tables",
}
"""[module] -> its public names, as the imports above tell type checkers."""
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    import importlib

    if name == "__all__":
        return __dir__()
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(_MODULES)
