"""Tablebases for r-mobility chess, and the rules to score any game by.

Names are imported when they are first used, so that `import tbgen` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbgen.apps.games.decide import AdjudicationRules as AdjudicationRules
    from tbgen.apps.games.decide import Adjudicator as Adjudicator
    from tbgen.apps.games.decide import Continue as Continue
    from tbgen.apps.games.decide import Verdict as Verdict
    from tbgen.apps.games.game import GameSettings as GameSettings
    from tbgen.apps.games.game import PgnGame as PgnGame
    from tbgen.apps.games.reader import games_in as games_in
    from tbgen.apps.games.reader import read_games as read_games
    from tbgen.apps.games.tags import GameTags as GameTags
    from tbgen.apps.games.tags import Source as Source
    from tbgen.apps.games.tags import read_tags as read_tags
    from tbgen.apps.games.tags import write_tags as write_tags
    from tbgen.apps.hold.answers import HoldBracket as HoldBracket
    from tbgen.apps.hold.answers import Holding as Holding
    from tbgen.apps.hold.answers import HoldVerdict as HoldVerdict
    from tbgen.apps.hold.answers import Proof as Proof
    from tbgen.apps.hold.answers import check_strategy as check_strategy
    from tbgen.apps.hold.ladder import bracket as bracket
    from tbgen.apps.hold.ladder import hold as hold
    from tbgen.apps.hold.strategy import Goal as Goal
    from tbgen.apps.hold.strategy import Rung as Rung
    from tbgen.apps.hold.strategy import Strategy as Strategy
    from tbgen.apps.hold.strategy import parse_strategy as parse_strategy
    from tbgen.errors import AccruedError as AccruedError
    from tbgen.errors import CastlingError as CastlingError
    from tbgen.errors import DamagedTableError as DamagedTableError
    from tbgen.errors import FenError as FenError
    from tbgen.errors import IllegalPositionError as IllegalPositionError
    from tbgen.errors import InputError as InputError
    from tbgen.errors import MaterialError as MaterialError
    from tbgen.errors import MissingDistancesError as MissingDistancesError
    from tbgen.errors import MissingFolderError as MissingFolderError
    from tbgen.errors import MissingTableError as MissingTableError
    from tbgen.errors import MoveError as MoveError
    from tbgen.errors import OutdatedTableError as OutdatedTableError
    from tbgen.errors import PgnError as PgnError
    from tbgen.errors import ProofError as ProofError
    from tbgen.errors import ScoreFormatError as ScoreFormatError
    from tbgen.errors import TableError as TableError
    from tbgen.errors import TbgenError as TbgenError
    from tbgen.errors import TooManyMenError as TooManyMenError
    from tbgen.errors import UnreadableFileError as UnreadableFileError
    from tbgen.errors import UsageError as UsageError
    from tbgen.material import Material as Material
    from tbgen.material import Role as Role
    from tbgen.material import all_materials as all_materials
    from tbgen.probe import BulkProbe as BulkProbe
    from tbgen.probe import Fault as Fault
    from tbgen.probe import LineStep as LineStep
    from tbgen.probe import MoveProbe as MoveProbe
    from tbgen.probe import Probe as Probe
    from tbgen.probe import Tablebase as Tablebase
    from tbgen.probe import open_tablebase as open_tablebase
    from tbgen.rules.fen import format_fen as format_fen
    from tbgen.rules.fen import parse_fen as parse_fen
    from tbgen.rules.game import End as End
    from tbgen.rules.game import FiftyMoves as FiftyMoves
    from tbgen.rules.game import FiftyMoveSetting as FiftyMoveSetting
    from tbgen.rules.game import Game as Game
    from tbgen.rules.game import Ply as Ply
    from tbgen.rules.game import final_outcome as final_outcome
    from tbgen.rules.notation import moves_in as moves_in
    from tbgen.rules.notation import parse_move as parse_move
    from tbgen.rules.points import Komi as Komi
    from tbgen.rules.points import Points as Points
    from tbgen.rules.points import Scheme as Scheme
    from tbgen.rules.points import Scoring as Scoring
    from tbgen.rules.points import parse_komi as parse_komi
    from tbgen.rules.position import accrued_of as accrued_of
    from tbgen.rules.position import color_of as color_of
    from tbgen.rules.position import is_reset as is_reset
    from tbgen.rules.position import material_of as material_of
    from tbgen.rules.position import own_score as own_score
    from tbgen.rules.position import play_move as play_move
    from tbgen.score import Color as Color

__version__ = "0.1.0"

_FACE = {
    "tbgen.apps.games.decide": "AdjudicationRules Adjudicator Continue Verdict",
    "tbgen.errors": (
        "AccruedError CastlingError DamagedTableError FenError IllegalPositionError InputError "
        "MaterialError MissingDistancesError MissingFolderError MissingTableError MoveError OutdatedTableError "
        "PgnError ProofError ScoreFormatError TableError TbgenError TooManyMenError UnreadableFileError "
        "UsageError"
    ),
    "tbgen.apps.hold.answers": "HoldBracket HoldVerdict Holding Proof check_strategy",
    "tbgen.apps.hold.ladder": "bracket hold",
    "tbgen.apps.hold.strategy": "Goal Rung Strategy parse_strategy",
    "tbgen.material": "Material Role all_materials",
    "tbgen.apps.games.game": "GameSettings PgnGame",
    "tbgen.apps.games.reader": "games_in read_games",
    "tbgen.apps.games.tags": "GameTags Source read_tags write_tags",
    "tbgen.probe": "BulkProbe Fault LineStep MoveProbe Probe Tablebase open_tablebase",
    "tbgen.rules.fen": "format_fen parse_fen",
    "tbgen.rules.game": "End FiftyMoveSetting FiftyMoves Game Ply final_outcome",
    "tbgen.rules.notation": "moves_in parse_move",
    "tbgen.rules.points": "Komi Points Scheme Scoring parse_komi",
    "tbgen.rules.position": "accrued_of color_of is_reset material_of own_score play_move",
    "tbgen.score": "Color Mobility Score",
}
_HOMES = {name: home for home, names in _FACE.items() for name in names.split()}

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> object:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return list(__all__)
