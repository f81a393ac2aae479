"""Questions: what a query or a line of a body asks, checked where it comes in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import chess

from tbgen.apps.games.tags import parse_cutoff
from tbgen.errors import UsageError
from tbgen.rules.fen import fen_and_moves, position_of
from tbgen.rules.points import DEFAULT_KOMI, Scheme, Scoring, parse_komi
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import DEFAULT_CUTOFF_CODE, Score

POSITION = ("fen", "accrued", "moves")
SCORING = ("scoring", "cutoff", "komi")
CLOCK = ("fifty",)
MOST_CHARACTERS: Final = 4096
"""Of a position and the moves after it."""

_FLAGS = {"1": True, "0": False}
_SCHEMES = {scheme.value: scheme for scheme in Scheme}


@dataclass(frozen=True)
class Asked:
    """A position that somebody asks for, and what has accrued in it; None: its own score."""

    board: chess.Board
    accrued: Score | None


def parameters_of(pairs: Iterable[tuple[str, str]], known: Iterable[str]) -> dict[str, str]:
    """The parameters of a query; UsageError for one that is unknown or comes twice.

    >>> parameters_of([("fen", "8/8")], ["fen", "accrued"])
    {'fen': '8/8'}
    """
    names, found = list(known), dict[str, str]()
    for name, value in pairs:
        if name not in names:
            raise UsageError(f"there is no parameter {name!r}; there are {', '.join(names)}")
        if name in found:
            raise UsageError(f"the parameter {name} is given twice")
        found[name] = value
    return found


def flag_of(parameters: Mapping[str, str], name: str) -> bool:
    """Whether a parameter that is 1 or 0 is 1; without it, it is 0."""
    value = parameters.get(name, "0")
    if value not in _FLAGS:
        raise UsageError(f"{name} must be 1 or 0, not {value!r}")
    return _FLAGS[value]


def position_in(parameters: Mapping[str, str]) -> Asked:
    """The position of `fen`, after the moves that follow it or stand in `moves`.

    >>> position_in({"fen": "8/8/4K3/5Bk1/8/8/8/8_w_-_-_33_30", "accrued": "G4.0", "moves": "Ke5"}).accrued
    Score('G3.5')
    """
    if not parameters.get("fen", "").strip():
        raise UsageError("the parameter fen is missing")
    fen, moves = fen_and_moves(parameters["fen"].split())
    accrued = parameters.get("accrued", "")
    board, score = position_of(fen, [*moves, parameters.get("moves", "")], Score(accrued) if accrued else None)
    return Asked(board, score)


def position_in_item(item: object) -> Asked:
    """The position of a line or of an item of a JSON array: a FEN with what may follow it, or an object.

    >>> position_in_item('{"fen": "8/8/8/4KBk1/8/8/8/8 b - - 0 1"}').board.turn
    False
    """
    if isinstance(item, str) and item.startswith("{"):
        item = json_in(item)
    given = {"fen": item} if isinstance(item, str) else item
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise UsageError("a position is a FEN, or an object with texts as fen, accrued and moves")
    if sum(map(len, given.values())) > MOST_CHARACTERS:
        raise UsageError(f"a position and its moves may have {MOST_CHARACTERS} characters")
    return position_in(parameters_of(given.items(), POSITION))


def json_in(text: str) -> object:
    """The value of a text in JSON."""
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError("this is no JSON") from None
    return found


def scoring_in(parameters: Mapping[str, str]) -> Scoring:
    """How outcomes become points; UsageError for a setting that means nothing under the scheme."""
    name = parameters.get("scoring", Scheme.EXPONENTIAL.value)
    if name not in _SCHEMES:
        raise UsageError(f"scoring must be one of {', '.join(_SCHEMES)}, not {name!r}")
    scheme = _SCHEMES[name]
    is_used = parameters.get("fifty") == FiftyMoveSetting.RESET.value
    for setting, meant in (("komi", (Scheme.KOMI,)), ("cutoff", (Scheme.KOMI, Scheme.WINNER))):
        if setting in parameters and scheme not in meant and not (is_used and setting == "cutoff"):
            raise UsageError(f"{setting} means nothing under the scoring {name}")
    cutoff, komi = parameters.get("cutoff"), parameters.get("komi")
    return Scoring(
        scheme,
        DEFAULT_CUTOFF_CODE if cutoff is None else parse_cutoff(cutoff),
        DEFAULT_KOMI if komi is None else parse_komi(komi),
    )


def fifty_in(parameters: Mapping[str, str]) -> FiftyMoves | None:
    """The fifty-move rule that is to count from the clock of the position on; None if none is asked for.

    >>> fifty_in({"fifty": "reset", "cutoff": "G4.0"})
    FiftyMoves(setting=<FiftyMoveSetting.RESET: 'reset'>, cutoff_code=8)
    """
    if "fifty" not in parameters:
        return None
    settings, name = [setting.value for setting in FiftyMoveSetting], parameters["fifty"]
    if name not in settings:
        raise UsageError(f"fifty must be one of {', '.join(settings)}, not {name!r}")
    return FiftyMoves(FiftyMoveSetting(name), scoring_in(parameters).cutoff_code)
