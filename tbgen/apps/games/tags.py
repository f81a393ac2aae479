"""The PGN tags of r-mobility games, read and written.

>>> write_tags(Score(7, Color.BLACK), Scoring())["Points"]
'0.4961-0.5039'
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import chess

from tbgen.apps.games.results import classical_result
from tbgen.errors import ScoreFormatError, UsageError, expect
from tbgen.rules.notation import carried_into, parse_fen
from tbgen.rules.points import (
    Komi,
    Points,
    Scheme,
    Scoring,
    expect_scheme,
    format_points,
    parse_komi,
    parse_points,
)
from tbgen.rules.stage import FiftyMoveSetting, expect_setting
from tbgen.score import Color, Mobility, Score, expect_score

_OFF = ("0", "false", "no")

KNOCKOUT = "k.o."
"""The value of the tag `EventType` for a knockout, as ChessBase writes it."""
GAME_TAG = "RMobilityGame"
"""The tag with the mobility of a decision, unless it is r-mobility."""

_CHESS960 = {"chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random"}
ORDINARY = {"", "?", "standard", "chess", "classical", "normal", "from position"}
"""Variants that are ordinary chess."""
OWN_TAGS = (
    "RMobilityResult",
    "RMobilityCutoff",
    "RMobilityScoring",
    "Points",
    "Komi",
    "RMobilityFifty",
    "RMobilitySource",
    "RMobilityTablebase",
    "RMobilityMissing",
    "RMobilityBounds",
    "RMobilityClock",
    GAME_TAG,
)
"""The tags of a decision, which replace those of an earlier decision."""

_FIFTY = re.compile(r"(?:fifty|50)[ -]?moves?", re.IGNORECASE)
_ENDINGS = ("Termination", "TerminationDetails")
"""Tags that say what ended a game; TCEC's archive has "Fifty moves rule" in the second."""
_MOST_DIGITS = 9
_NEEDED = ("Event", "Round", "White", "Black", "Result")
"""Tags without which a game counts in no event, for no player, or not at all."""


class Source(enum.Enum):
    """The source of a final score; the values are those of the tag `RMobilitySource`."""

    GAME = "game"
    """The accrued score of the game itself."""
    TABLEBASE = "tablebase"
    """Best play from the last position."""
    SOLVED = "solved"
    """Best play from a last position that has no table and was solved."""
    RESULT = "result"
    """A win that the board does not show: resigned, lost on time, adjudicated."""
    SHEET = "sheet"
    """A draw without moves: nobody held anybody, so the points are those of the score sheet. No tag
    names it.
    """
    PROVISIONAL = "provisional"
    """The accrued score, until more is known.

    The tag `RMobilityMissing` names missing tables that decide the game. `RMobilityBounds` says
    what is proved.
    """


@dataclass(frozen=True, slots=True)
class GameTags:
    """The r-mobility tags of a game; None stands for a missing tag."""

    outcome: Score | None = None
    points: Points | None = None
    scheme: Scheme | None = None
    cutoff_code: int | None = None
    komi: Komi | None = None
    legacy: bool = False
    accrued: Score | None = None
    """The accrued score of the first position."""
    fifty_moves: FiftyMoveSetting | None = None


NO_TAGS = GameTags()


def read_tags(tags: Mapping[str, str]) -> GameTags:
    """Parse the r-mobility tags among `tags`; their values may contain spaces.

    >>> tags = {"White": "a", "RMobilityResult": "-G3.5", "RMobilityScoring": "komi"}
    >>> known = read_tags(tags | {"Komi": "G2.25"})
    >>> str(known.outcome), known.scheme, str(known.komi), known.points
    ('-G3.5', <Scheme.KOMI: 'komi'>, 'G2.25', None)
    """
    if not isinstance(tags, Mapping):
        raise UsageError(f"tags must be a mapping such as headers of chess.pgn, not {tags!r}")
    close = {}
    for name, value in tags.items():
        close[name] = "".join(expect(value, str, name, "a text").split())
    known: dict[str, Any] = {}
    if "Legacy" in close and close["Legacy"].lower() not in _OFF:
        known["legacy"] = True
        known["fifty_moves"] = FiftyMoveSetting.LEGACY
    for name, (field, parse) in _READ.items():
        if name in close:
            known[field] = parse(close[name])
    return GameTags(**known)


def parse_cutoff(text: str) -> int:
    """The code of a cutoff, which is written as a score without a sign.

    >>> parse_cutoff("G6.0")
    12
    """
    with suppress(ScoreFormatError):
        cutoff = Score(text)
        if cutoff.holder is Color.WHITE:
            return cutoff.code
    raise ScoreFormatError(text, "a cutoff such as G6.0, which has no sign")


_READ: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "RMobilityResult": ("outcome", Score),
    "Points": ("points", parse_points),
    "RMobilityScoring": ("scheme", expect_scheme),
    "RMobilityCutoff": ("cutoff_code", parse_cutoff),
    "Komi": ("komi", parse_komi),
    "RMobilityAccrued": ("accrued", Score),
    "RMobilityFifty": ("fifty_moves", expect_setting),
}
"""Tag -> the field of `GameTags` that it sets, and the function that parses it."""


def says_fifty_moves(tags: Mapping[str, str]) -> bool:
    """Whether the tags of a game say that the fifty-move rule ended it.

    >>> says_fifty_moves({"TerminationDetails": "Fifty moves rule"})
    True
    """
    return any(_FIFTY.search(tags.get(name, "")) for name in _ENDINGS)


def overrules_fifty_moves(source: Source, tags: Mapping[str, str]) -> bool:
    """Whether best play decides a game whose tags say that the fifty-move rule ended it."""
    return source is Source.TABLEBASE and says_fifty_moves(tags)


def write_tags(
    outcome: Score, scoring: Scoring, *, fifty_moves: FiftyMoveSetting = FiftyMoveSetting.RESET
) -> dict[str, str]:
    """The tags of a finished game, in the order in which they are written.

    >>> tags = write_tags(Score(5, Color.WHITE), Scoring(Scheme.WINNER))
    >>> tags["Points"], tags["Result"]
    ('1-0', '1/2-1/2')

    The default of the fifty-move rule has no tag, and the legacy rule the one that other programs
    know.
    """
    outcome = expect_score(outcome, "outcome")
    expect(scoring, Scoring, "scoring", "a Scoring such as Scoring()")
    expect(
        fifty_moves,
        FiftyMoveSetting,
        "fifty_moves",
        "a FiftyMoveSetting such as FiftyMoveSetting.FIDE",
    )
    tags = {
        "Result": classical_result(outcome),
        "RMobilityResult": str(outcome),
        "RMobilityCutoff": str(Score(scoring.cutoff_code, Color.WHITE)),
        "RMobilityScoring": scoring.scheme.value,
        "Points": format_points(scoring.points(outcome), scoring.scheme),
    }
    if scoring.scheme is Scheme.KOMI:
        tags["Komi"] = str(scoring.komi)
    if fifty_moves is FiftyMoveSetting.LEGACY:
        tags["Legacy"] = "1"
    elif fifty_moves is not FiftyMoveSetting.RESET:
        tags["RMobilityFifty"] = fifty_moves.value
    return tags


def misspelt_tags(tags: Mapping[str, str]) -> list[str]:
    """The tags that would name event, round, players or result if case did not count.

    >>> misspelt_tags({"white": "Ann", "Black": "Bob", "black": "Cid", "Result": "1-0"})
    ['white']
    """
    wrong = list[str]()
    for name in tags:
        meant = name.capitalize()
        if meant in _NEEDED and meant not in tags:
            wrong.append(name)
    return wrong


def number_in(value: str) -> int:
    """The number in the value of a tag; 0 if it is no number, or has more than nine digits.

    >>> number_in("2350"), number_in("-"), number_in("9" * 5000)
    (2350, 0, 0)
    """
    is_number = value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS
    return int(value) if is_number else 0


def root_of(
    fen: str | None, variant: str | None, accrued: Score | None, mobility: Mobility = Mobility.RESET
) -> tuple[chess.Board, Score | None]:
    """The first position of a game, and its accrued score, by the tags."""
    kind = (variant or "").lower()
    if variant is not None and kind not in _CHESS960 | ORDINARY:
        from tbgen.rules.variants import variant_board

        board = variant_board(variant, fen)
        carried = None
    else:
        first = chess.STARTING_FEN if fen is None else fen
        board, carried = parse_fen(first, chess960=kind in _CHESS960, mobility=mobility)
    if carried is None and accrued is not None:
        carried = carried_into(board, accrued, mobility)
    return board, carried
