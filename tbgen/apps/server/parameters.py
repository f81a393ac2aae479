"""The parameters of requests: positions, scoring and the fifty-move rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

import chess

from tbgen.apps.games.tags import parse_cutoff
from tbgen.errors import UsageError
from tbgen.reading import parse_json
from tbgen.rules.notation import fen_and_moves, position_of
from tbgen.rules.points import DEFAULT_KOMI, Scheme, Scoring
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import DEFAULT_CUTOFF_CODE, Score

POSITION: Final = ("fen", "accrued", "moves")
SCORING: Final = ("scoring", "cutoff", "komi")
CLOCK: Final = ("fifty",)
EXTRAS: Final = ("brief", "strip")
LINE: Final = ("line",)

MOST_CHARACTERS: Final = 4096
"""The most characters of a position with its moves."""

T = TypeVar("T")


class Question(NamedTuple):
    """A requested position and its accrued score; None stands for the own score."""

    board: chess.Board
    accrued: Score | None


def parameters_of(pairs: Iterable[tuple[str, str]], known: Iterable[str]) -> dict[str, str]:
    """The parameters of a query; UsageError for an unknown or repeated one.

    >>> parameters_of([("fen", "8/8")], ["fen", "accrued"])
    {'fen': '8/8'}
    """
    names = list(known)
    parameters = dict[str, str]()
    for name, value in pairs:
        if name not in names:
            raise UsageError(f"there is no parameter {name!r}; there are {', '.join(names)}")
        if name in parameters:
            raise UsageError(f"the parameter {name} is given twice")
        parameters[name] = value
    return parameters


def is_set(name: str, parameters: Mapping[str, str]) -> bool:
    """Whether a parameter is 1; UsageError if it is neither 0 nor 1."""
    return _one_of(name, parameters.get(name, "0"), {"0": False, "1": True})


def position_in(parameters: Mapping[str, str]) -> Question:
    """The position of `fen` after the moves behind it or in `moves`.

    >>> fen = "8/8/4K3/5Bk1/8/8/8/8_w_-_-_33_30"
    >>> position_in({"fen": fen, "accrued": "G4.0", "moves": "Ke5"}).accrued
    Score('G3.5')
    """
    if not parameters.get("fen", "").strip():
        raise UsageError("the parameter fen is missing")
    if sum(len(parameters.get(name, "")) for name in POSITION) > MOST_CHARACTERS:
        raise UsageError(f"a position and its moves may have {MOST_CHARACTERS} characters")
    fen, moves = fen_and_moves(parameters["fen"].split())
    if "moves" in parameters:
        moves.append(parameters["moves"])
    accrued = parameters.get("accrued", "")
    board, carried = position_of(fen, moves, Score(accrued) if accrued else None)
    return Question(board, carried)


def position_in_item(item: object) -> Question:
    """The position in a line or in an item of a JSON array.

    It is a FEN, perhaps with more behind it, or an object.

    >>> position_in_item('{"fen": "8/8/8/4KBk1/8/8/8/8 b - - 0 1"}').board.turn
    False
    """
    if isinstance(item, str) and item.startswith("{"):
        item = json_in(item)
    given = {"fen": item} if isinstance(item, str) else item
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise UsageError("a position is a FEN, or an object with texts as fen, accrued and moves")
    return position_in(parameters_of(given.items(), POSITION))


def json_in(text: str) -> Any:
    """The value of a text in JSON."""
    try:
        return parse_json(text)
    except ValueError:
        raise UsageError("this is no JSON") from None


def scoring_in(parameters: Mapping[str, str]) -> Scoring:
    """The scheme of points; UsageError for a setting that means nothing under the scheme."""
    is_for_the_clock = parameters.get("fifty") == FiftyMoveSetting.RESET.value
    return _scoring_of(
        parameters.get("scoring", Scheme.EXPONENTIAL.value),
        parameters.get("cutoff"),
        parameters.get("komi"),
        is_for_the_clock=is_for_the_clock,
    )


@lru_cache(maxsize=1 << 8)
def _scoring_of(
    name: str, cutoff: str | None, komi: str | None, *, is_for_the_clock: bool
) -> Scoring:
    """The scheme of points; cached, because nearly all requests ask for the same."""
    schemes = {scheme.value: scheme for scheme in Scheme}
    scheme = _one_of("scoring", name, schemes)
    if komi is not None and scheme is not Scheme.KOMI:
        raise UsageError(f"komi means nothing under the scoring {scheme.value}")
    has_cutoff = scheme in (Scheme.KOMI, Scheme.WINNER)
    if cutoff is not None and not has_cutoff and not is_for_the_clock:
        raise UsageError(f"cutoff means nothing under the scoring {scheme.value}")
    cutoff_code = DEFAULT_CUTOFF_CODE if cutoff is None else parse_cutoff(cutoff)
    return Scoring(scheme, cutoff_code, DEFAULT_KOMI if komi is None else komi)


def fifty_in(parameters: Mapping[str, str]) -> FiftyMoves | None:
    """The fifty-move rule that counts from the clock of the position on; None without one.

    >>> fifty_in({"fifty": "reset", "cutoff": "G4.0"})
    FiftyMoves(setting=<FiftyMoveSetting.RESET: 'reset'>, cutoff_code=8)
    """
    if "fifty" not in parameters:
        return None
    settings = {setting.value: setting for setting in FiftyMoveSetting}
    setting = _one_of("fifty", parameters["fifty"], settings)
    return FiftyMoves(setting, scoring_in(parameters).cutoff_code)


def _one_of(name: str, value: str, choices: Mapping[str, T]) -> T:
    """The meaning of a parameter's value."""
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return choices[value]
