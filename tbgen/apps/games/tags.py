"""The PGN tags of r-mobility games, and games written as PGN that every program reads.

>>> write_tags(Score(7, Color.BLACK), Scoring())["Points"]
'0.4961-0.5039'
>>> print(format_game({"White": "Ann", "Result": "1-0"}, numbered(1, True, [("e4", "best"), ("e5", "")])))
[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "Ann"]
[Black "?"]
[Result "1-0"]
<BLANKLINE>
1. e4 {best} 1... e5 1-0
"""

from __future__ import annotations

import enum
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tbgen.errors import ScoreFormatError, UsageError, expect
from tbgen.rules.points import Komi, Points, Scheme, Scoring, expect_scheme, format_points, parse_komi, parse_points
from tbgen.rules.stage import FiftyMoveSetting, expect_setting
from tbgen.score import Color, Score, expect_score

if TYPE_CHECKING:
    import chess

_OFF = ("0", "false", "no")

KNOCKOUT = "k.o."
"""The tag `EventType` of a knockout, as ChessBase writes it."""
GAME_TAG = "RMobilityGame"
"""The game under which a final score was decided, if that is not r-mobility."""

UNFINISHED = "*"
"""The result of a game that has none."""

_ROSTER = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": "?",
    "Black": "?",
    "Result": UNFINISHED,
}
"""The tags that every game has, in their order, and what stands where nothing is known."""

_FIFTY = re.compile(r"(?:fifty|50)[ -]?moves?", re.IGNORECASE)
_ENDINGS = ("Termination", "TerminationDetails")
"""Tags that say what ended a game; TCEC's archive has "Fifty moves rule" in the second."""
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\""})
LINE_WIDTH = 79
_MOST_DIGITS = 9


class Source(enum.Enum):
    """The source of a final score; the values are those of the tag `RMobilitySource`."""

    GAME = "game"
    """The accrued score of the game itself."""
    TABLEBASE = "tablebase"
    """Best play from the last position."""
    SOLVED = "solved"
    """Best play from a last position that was solved by itself, for no table has it."""
    RESULT = "result"
    """A win that the board does not show: resigned, lost on time, adjudicated."""
    SHEET = "sheet"
    """A draw without moves: nobody held anybody, and the points are those of the score sheet. No tag says so."""
    PROVISIONAL = "provisional"
    """The accrued score, until more is known.

    The tag `RMobilityMissing` names a missing table that decides the game. `RMobilityBounds` says what is proved.
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


def read_tags(tags: Mapping[str, str]) -> GameTags:
    """Parse the r-mobility tags among `tags`; their values may contain spaces.

    >>> known = read_tags({"White": "a", "RMobilityResult": "-G3.5", "RMobilityScoring": "komi", "Komi": "G2.25"})
    >>> str(known.outcome), known.scheme, str(known.komi), known.points
    ('-G3.5', <Scheme.KOMI: 'komi'>, 'G2.25', None)
    """
    if not isinstance(tags, Mapping):
        raise UsageError(f"tags must be a mapping such as headers of chess.pgn, not {tags!r}")
    close = {name: "".join(expect(value, str, name, "a text").split()) for name, value in tags.items()}
    legacy = "Legacy" in close and close["Legacy"].lower() not in _OFF
    fifty_moves = FiftyMoveSetting.LEGACY if legacy else None
    if "RMobilityFifty" in close:
        fifty_moves = expect_setting(close["RMobilityFifty"])
    return GameTags(
        outcome=Score(close["RMobilityResult"]) if "RMobilityResult" in close else None,
        points=parse_points(close["Points"]) if "Points" in close else None,
        scheme=expect_scheme(close["RMobilityScoring"]) if "RMobilityScoring" in close else None,
        cutoff_code=parse_cutoff(close["RMobilityCutoff"]) if "RMobilityCutoff" in close else None,
        komi=parse_komi(close["Komi"]) if "Komi" in close else None,
        accrued=Score(close["RMobilityAccrued"]) if "RMobilityAccrued" in close else None,
        legacy=legacy,
        fifty_moves=fifty_moves,
    )


def says_fifty_moves(tags: Mapping[str, str]) -> bool:
    """Whether the tags of a game say that the fifty-move rule ended it.

    >>> says_fifty_moves({"TerminationDetails": "Fifty moves rule"}), says_fifty_moves({"Termination": "normal"})
    (True, False)
    """
    return any(_FIFTY.search(tags.get(name, "")) for name in _ENDINGS)


def write_tags(
    outcome: Score, scoring: Scoring, *, legacy: bool = False, fifty_moves: FiftyMoveSetting = FiftyMoveSetting.RESET
) -> dict[str, str]:
    """The tags of a finished game, in the order in which they are written.

    >>> tags = write_tags(Score(5, Color.WHITE), Scoring(Scheme.WINNER))
    >>> tags["Points"], tags["Result"]
    ('1-0', '1/2-1/2')

    The default of the fifty-move rule has no tag, and `legacy` the one that other programs know.
    """
    outcome = expect_score(outcome, "outcome")
    expect(scoring, Scoring, "scoring", "a Scoring such as Scoring()")
    expect(fifty_moves, FiftyMoveSetting, "fifty_moves", "a FiftyMoveSetting such as FiftyMoveSetting.FIDE")
    tags = {
        "Result": classical_result(outcome),
        "RMobilityResult": str(outcome),
        "RMobilityCutoff": str(Score(scoring.cutoff_code, Color.WHITE)),
        "RMobilityScoring": scoring.scheme.value,
        "Points": format_points(scoring.points(outcome), scoring.scheme),
    }
    if scoring.scheme is Scheme.KOMI:
        tags["Komi"] = str(scoring.komi)
    if legacy or fifty_moves is FiftyMoveSetting.LEGACY:
        tags["Legacy"] = "1"
    elif fifty_moves is not FiftyMoveSetting.RESET:
        tags["RMobilityFifty"] = fifty_moves.value
    return tags


def classical_result(outcome: Score) -> str:
    """The Result tag: only G0.0 is decisive."""
    if not outcome.is_mate:
        return "1/2-1/2"
    return "1-0" if outcome.holder is Color.WHITE else "0-1"


def winner_of(result: str) -> Color | None:
    """The winner according to a Result tag; None if there is none."""
    return {"1-0": Color.WHITE, "0-1": Color.BLACK}.get("".join(result.split()))


def number_in(value: str) -> int:
    """The number that the value of a tag writes; 0 if it writes none, or one with more than nine digits.

    >>> number_in("2350"), number_in("-"), number_in("9" * 5000)
    (2350, 0, 0)
    """
    return int(value) if value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS else 0


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


def format_game(tags: Mapping[str, str], words: Iterable[str]) -> str:
    """A game as PGN. The seven tags of the roster come first and are never missing; the others keep their order."""
    named = _ROSTER | dict(tags)
    lines = [f'[{name} "{value.translate(_ESCAPES)}"]' for name, value in named.items()]
    moves = textwrap.wrap(
        " ".join([*words, named["Result"]]), LINE_WIDTH, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join([*lines, "", *moves])


def numbered(number: int, white_to_move: bool, moves: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Moves and their comments, if they have one, with the numbers that moves have in a game."""
    is_white, needs_number = white_to_move, True
    for san, comment in moves:
        prefix = f"{number}{'.' if is_white else '...'} " if is_white or needs_number else ""
        yield prefix + san
        if comment:
            yield f"{{{comment}}}"
        number, is_white, needs_number = number + (not is_white), not is_white, bool(comment)


def last_move(board: chess.Board, san: str) -> str:
    """The move that led to a position, with its number, such as `30... Kd6`; empty without a move.

    >>> import chess
    >>> last_move(chess.Board("8/8/3k4/8/8/3K4/8/8 w - - 3 31"), "Kd6")
    '30... Kd6'
    """
    return " ".join(numbered(board.fullmove_number - board.turn, not board.turn, [(san, "")] if san else []))
