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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import chess

from tbgen.apps.games.results import UNFINISHED, classical_result, result_of, winner_of
from tbgen.errors import ScoreFormatError, TbgenError, UsageError, expect, expect_number
from tbgen.rules.game import final_outcome
from tbgen.rules.notation import carried_into, parse_fen
from tbgen.rules.points import (
    Komi,
    Points,
    Scheme,
    Scoring,
    expect_komi,
    expect_scheme,
    format_points,
    parse_komi,
    parse_points,
)
from tbgen.rules.stage import ON_THE_BOARD, End, FiftyMoves, FiftyMoveSetting, Ply, expect_setting
from tbgen.score import MOST_CODE, Color, Mobility, Score, expect_score
from tbgen.text import counted

_OFF = ("0", "false", "no")

KNOCKOUT = "k.o."
"""The value of the tag `EventType` for a knockout, as ChessBase writes it."""
GAME_TAG = "RMobilityGame"
"""The tag with the mobility of a decision, unless it is r-mobility."""

_CHESS960 = {"chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random"}
ORDINARY = {"", "?", "standard", "chess", "classical", "normal", "from position"}
"""Variants that are ordinary chess."""
MARK = "tbgen:"
"""The beginning of tbgen's comments."""
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

_ROSTER = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": "?",
    "Black": "?",
    "Result": UNFINISHED,
}
"""The tags of every game, in order, with their values if nothing is known."""

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
    """Best play from a last position that has no table and was solved."""
    RESULT = "result"
    """A win that the board does not show: resigned, lost on time, adjudicated."""
    SHEET = "sheet"
    """A draw without moves: nobody held anybody, so the points are those of the score sheet. No tag names it."""
    PROVISIONAL = "provisional"
    """The accrued score, until more is known.

    The tag `RMobilityMissing` names missing tables that decide the game. `RMobilityBounds` says what is proved.
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


class Continue(enum.Enum):
    """Which games are continued by best play."""

    NEVER = "never"
    UNLESS_OVER = "unless-over"
    ALWAYS = "always"
    """Also games that a repetition, the fifty-move rule or bare kings have ended."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by which games are scored and decided. For None the tags of a game decide, then the default.

    A scheme and the fifty-move rule may be given by their names, and a komi as it is written.
    """

    scheme: Scheme | None = None
    cutoff_code: int | None = None
    komi: Komi | None = None
    fifty_moves: FiftyMoveSetting | None = None
    mobility: Mobility = Mobility.RESET
    """Whether resets replace the accrued score; no tag names it."""
    continued: Continue = Continue.UNLESS_OVER
    counts_fifty_moves: bool = False
    """Score best play by the fifty-move rule, where its effect is known."""

    def __post_init__(self) -> None:
        for name, expected in (
            ("scheme", expect_scheme),
            ("komi", expect_komi),
            ("fifty_moves", expect_setting),
        ):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, expected(value, name))
        if self.cutoff_code is not None:
            expect_number(self.cutoff_code, "cutoff_code", 0, MOST_CODE)
        expect(self.continued, Continue, "continued", "a Continue such as Continue.ALWAYS")

    def scoring(self, tags: GameTags | None = None) -> Scoring:
        """The scheme of the points of a game."""
        known, plain = GameTags() if tags is None else tags, Scoring()
        # A code may be 0.
        cutoff = next(
            code
            for code in (self.cutoff_code, known.cutoff_code, plain.cutoff_code)
            if code is not None
        )
        return Scoring(
            self.scheme or known.scheme or plain.scheme,
            cutoff,
            self.komi or known.komi or plain.komi,
        )

    def fifty(self, tags: GameTags | None = None) -> FiftyMoves:
        """The fifty-move rule of a game."""
        setting = self.fifty_moves or (tags and tags.fifty_moves) or FiftyMoveSetting.RESET
        return FiftyMoves(setting, self.scoring(tags).cutoff_code)


def read_tags(tags: Mapping[str, str]) -> GameTags:
    """Parse the r-mobility tags among `tags`; their values may contain spaces.

    >>> known = read_tags({"White": "a", "RMobilityResult": "-G3.5", "RMobilityScoring": "komi", "Komi": "G2.25"})
    >>> str(known.outcome), known.scheme, str(known.komi), known.points
    ('-G3.5', <Scheme.KOMI: 'komi'>, 'G2.25', None)
    """
    if not isinstance(tags, Mapping):
        raise UsageError(f"tags must be a mapping such as headers of chess.pgn, not {tags!r}")
    close = {
        name: "".join(expect(value, str, name, "a text").split()) for name, value in tags.items()
    }
    legacy = "Legacy" in close and close["Legacy"].lower() not in _OFF
    known: dict[str, Any] = {
        "legacy": legacy,
        "fifty_moves": FiftyMoveSetting.LEGACY if legacy else None,
    }
    return GameTags(
        **known
        | {field: parse(close[name]) for name, (field, parse) in _READ.items() if name in close}
    )


_READ: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "RMobilityResult": ("outcome", Score),
    "Points": ("points", parse_points),
    "RMobilityScoring": ("scheme", expect_scheme),
    "RMobilityCutoff": ("cutoff_code", lambda text: parse_cutoff(text)),
    "Komi": ("komi", parse_komi),
    "RMobilityAccrued": ("accrued", Score),
    "RMobilityFifty": ("fifty_moves", expect_setting),
}
"""Tag -> the field of `GameTags` that it sets, and the function that parses it."""


def says_fifty_moves(tags: Mapping[str, str]) -> bool:
    """Whether the tags of a game say that the fifty-move rule ended it.

    >>> says_fifty_moves({"TerminationDetails": "Fifty moves rule"}), says_fifty_moves({"Termination": "normal"})
    (True, False)
    """
    return any(_FIFTY.search(tags.get(name, "")) for name in _ENDINGS)


def write_tags(
    outcome: Score, scoring: Scoring, *, fifty_moves: FiftyMoveSetting = FiftyMoveSetting.RESET
) -> dict[str, str]:
    """The tags of a finished game, in the order in which they are written.

    >>> tags = write_tags(Score(5, Color.WHITE), Scoring(Scheme.WINNER))
    >>> tags["Points"], tags["Result"]
    ('1-0', '1/2-1/2')

    The default of the fifty-move rule has no tag, and the legacy rule the one that other programs know.
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
    known_elsewhere = {FiftyMoveSetting.RESET: {}, FiftyMoveSetting.LEGACY: {"Legacy": "1"}}
    return tags | known_elsewhere.get(fifty_moves, {"RMobilityFifty": fifty_moves.value})


def number_in(value: str) -> int:
    """The number in the value of a tag; 0 if it is no number, or has more than nine digits.

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


def root_of(
    fen: str | None, variant: str | None, accrued: Score | None, mobility: Mobility = Mobility.RESET
) -> tuple[chess.Board, Score | None]:
    """The first position of a game, and its accrued score, by the tags."""
    kind = (variant or "").lower()
    if variant is not None and kind not in _CHESS960 | ORDINARY:
        from tbgen.rules.variants import variant_board

        board, carried = variant_board(variant, fen), None
    else:
        is_chess960 = kind in _CHESS960
        board, carried = parse_fen(
            chess.STARTING_FEN if fen is None else fen, chess960=is_chess960, mobility=mobility
        )
    if carried is None and accrued is not None:
        carried = carried_into(board, accrued, mobility)
    return board, carried


def final_of(last: Ply, result: str) -> Score:
    """The final score of a game with a result: mate and stalemate on the board come first."""
    return final_outcome(last.accrued, None if last.end in ON_THE_BOARD else winner_of(result))


def contradictions(
    tags: Mapping[str, str], known: GameTags, written: str | None, last: Ply, ended: Ply | None
) -> Iterator[str]:
    """Describe every contradiction in one line.

    `known` are the r-mobility tags, `written` is the result after the moves, `ended` the first ply at which the game
    was over.
    """
    result = result_of(tags, written)
    if written not in (result, None):
        yield f'the tag Result says "{result}", the end of the moves "{written}"'
    yield from moves_after_the_end(last, ended)
    if last.end is not None and last == ended:
        expected = classical_result(last.accrued)
        if result not in (expected, UNFINISHED):
            yield f'Result says "{result}", but the moves end in {last.end.value}: {expected}'
    if GAME_TAG not in tags:  # else the score belongs to another mobility
        yield from _of_scores(tags, known, final_of(last, result), last.end)
    if known.accrued is not None and "FEN" in tags:
        with suppress(TbgenError):  # a FEN of Chess960 says nothing of this
            _, in_fen = parse_fen(tags["FEN"])
            if in_fen not in (known.accrued, None):
                yield f'FEN says that {in_fen} has accrued, RMobilityAccrued says "{known.accrued}"'


def moves_after_the_end(last: Ply, ended: Ply | None) -> Iterator[str]:
    """Describe moves after the end of the game, if there are any."""
    if ended is not None and ended.end is not None and ended.number < last.number:
        moves = counted(last.number - ended.number, "more move", "more moves")
        yield f"the game was over at ply {ended.number} ({ended.end.value}); {moves} counted"


def _of_scores(
    tags: Mapping[str, str], known: GameTags, final: Score, end: End | None
) -> Iterator[str]:
    """Describe a score that contradicts the moves, and points that contradict the score under its own scheme."""
    scoring = Rules().scoring(known)
    if (
        known.outcome is not None
        and end not in ON_THE_BOARD
        and tags.get("RMobilitySource") == Source.TABLEBASE.value
    ):
        final = known.outcome  # a continued game need not reach it on the board
    if known.outcome not in (final, None):
        yield f'RMobilityResult says "{known.outcome}", but the game is worth {final}'
    if known.points is not None:
        points = scoring.points(final)
        written = format_points(points, scoring.scheme)
        if known.points not in (points, parse_points(written)):
            yield f'Points say "{tags["Points"]}", but {final} is {written} ({scoring.scheme.value})'


def format_game(tags: Mapping[str, str], words: Iterable[str]) -> str:
    """A game as PGN. The seven tags of the roster come first and are never missing; the others keep their order."""
    named = _ROSTER | dict(tags)
    lines = [f'[{name} "{value.translate(_ESCAPES)}"]' for name, value in named.items()]
    moves = textwrap.wrap(
        " ".join([*words, named["Result"]]),
        LINE_WIDTH,
        break_long_words=False,
        break_on_hyphens=False,
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


def variation(comment: str, words: Iterable[str]) -> str:
    """A variation with a comment by which tbgen recognises it later."""
    return f"( {{{MARK} {comment}}} {' '.join(words)} )"


def last_move(board: chess.Board, san: str) -> str:
    """The move that led to a position, with its number, such as `30... Kd6`; empty without a move.

    >>> import chess
    >>> last_move(chess.Board("8/8/3k4/8/8/3K4/8/8 w - - 3 31"), "Kd6")
    '30... Kd6'
    """
    return " ".join(
        numbered(board.fullmove_number - board.turn, not board.turn, [(san, "")] if san else [])
    )
