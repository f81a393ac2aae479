"""Tablebases for r-mobility chess, and the rules to score any game by.

Names are imported when they are first used, so that `import tbgen` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbgen.adjudicate import AdjudicationRules as AdjudicationRules
    from tbgen.adjudicate import Adjudicator as Adjudicator
    from tbgen.adjudicate import Continue as Continue
    from tbgen.adjudicate import Source as Source
    from tbgen.adjudicate import Verdict as Verdict
    from tbgen.errors import TbgenError as TbgenError
    from tbgen.material import Material as Material
    from tbgen.material import Role as Role
    from tbgen.pgn.reader import read_games as read_games
    from tbgen.probe import Many as Many
    from tbgen.probe import MoveProbe as MoveProbe
    from tbgen.probe import Probe as Probe
    from tbgen.probe import Step as Step
    from tbgen.probe import Tablebase as Tablebase
    from tbgen.probe import open_tablebase as open_tablebase
    from tbgen.rules.accrual import accrued_of as accrued_of
    from tbgen.rules.fen import format_fen as format_fen
    from tbgen.rules.fen import parse_fen as parse_fen
    from tbgen.rules.game import End as End
    from tbgen.rules.game import FiftyMoves as FiftyMoves
    from tbgen.rules.game import FiftyMoveSetting as FiftyMoveSetting
    from tbgen.rules.game import Game as Game
    from tbgen.rules.points import Komi as Komi
    from tbgen.rules.points import Scheme as Scheme
    from tbgen.rules.points import Scoring as Scoring
    from tbgen.rules.position import is_reset as is_reset
    from tbgen.rules.position import own_score as own_score
    from tbgen.score import Accrued as Accrued
    from tbgen.score import Color as Color
    from tbgen.score import Outcome as Outcome
    from tbgen.score import parse_score as parse_score

__version__ = "0.1.0"

_HOMES = {
    "Accrued": "tbgen.score",
    "AdjudicationRules": "tbgen.adjudicate",
    "Adjudicator": "tbgen.adjudicate",
    "Color": "tbgen.score",
    "Continue": "tbgen.adjudicate",
    "End": "tbgen.rules.game",
    "FiftyMoveSetting": "tbgen.rules.game",
    "FiftyMoves": "tbgen.rules.game",
    "Game": "tbgen.rules.game",
    "Komi": "tbgen.rules.points",
    "Many": "tbgen.probe",
    "Material": "tbgen.material",
    "MoveProbe": "tbgen.probe",
    "Outcome": "tbgen.score",
    "Probe": "tbgen.probe",
    "Role": "tbgen.material",
    "Scheme": "tbgen.rules.points",
    "Scoring": "tbgen.rules.points",
    "Source": "tbgen.adjudicate",
    "Step": "tbgen.probe",
    "Tablebase": "tbgen.probe",
    "TbgenError": "tbgen.errors",
    "Verdict": "tbgen.adjudicate",
    "accrued_of": "tbgen.rules.accrual",
    "format_fen": "tbgen.rules.fen",
    "is_reset": "tbgen.rules.position",
    "open_tablebase": "tbgen.probe",
    "own_score": "tbgen.rules.position",
    "parse_fen": "tbgen.rules.fen",
    "parse_score": "tbgen.score",
    "read_games": "tbgen.pgn.reader",
}

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> object:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return list(__all__)
