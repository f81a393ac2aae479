"""How games ended, and why their scores count, in words.

>>> ending_in({"Termination": "adjudication", "TerminationDetails": "TCEC win rule"})
<EndOfGame.ADJUDICATION: 'adjudicated'>
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Final

from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.results import DOUBLE_FORFEIT, SPLIT_RESULTS, winner_of
from tbgen.apps.games.tags import Source
from tbgen.rules.stage import End
from tbgen.score import Color
from tbgen.text import in_plies

_TAGS = ("Termination", "TerminationDetails")
_MOST_DETAILS = 80
"""The most characters of a tag that a page quotes."""


class EndOfGame(enum.Enum):
    """How a game ended; the value is its name on a page."""

    MATE = "mate"
    STALEMATE = "stalemate"
    VARIANT = "rule of the variant"
    REPETITION = "third repetition"
    FIFTY_MOVES = "fifty moves"
    BARE_KINGS = "bare kings"
    BYE = "bye"
    FORFEIT = "forfeit"
    TIME = "on time"
    RESIGNATION = "resigned"
    CRASH = "broken off"
    ILLEGAL = "illegal move"
    ADJUDICATION = "adjudicated"
    AGREEMENT = "agreed"
    ARBITER = "split by the arbiter"
    UNREADABLE = "moves unreadable"
    BEST_PLAY = "best play"
    """The game stopped, and best play mates."""
    UNKNOWN = ""
    """The file does not say how."""


MARKS: Final[Mapping[EndOfGame, str]] = {
    EndOfGame.MATE: "#",
    EndOfGame.RESIGNATION: "r",
    EndOfGame.TIME: "t",
    EndOfGame.ADJUDICATION: "a",
    EndOfGame.CRASH: "c",
    EndOfGame.ILLEGAL: "i",
    EndOfGame.BEST_PLAY: "b",
    EndOfGame.FORFEIT: "f",
    EndOfGame.UNREADABLE: "u",
    EndOfGame.UNKNOWN: "w",
}
"""The signs of won games in cross tables."""
MEANINGS: Final[Mapping[EndOfGame, str]] = {
    EndOfGame.MATE: "mate on the board",
    EndOfGame.RESIGNATION: "resigned",
    EndOfGame.TIME: "lost on time",
    EndOfGame.ADJUDICATION: "adjudicated",
    EndOfGame.CRASH: "crashed or disconnected",
    EndOfGame.ILLEGAL: "made an illegal move",
    EndOfGame.BEST_PLAY: "stopped, and best play mates",
    EndOfGame.FORFEIT: "forfeited without a game",
    EndOfGame.UNREADABLE: "moves unreadable, so the score sheet counts",
    EndOfGame.UNKNOWN: "won, and the file does not say how",
}
"""What the signs mean."""

_ENDS: Final = {
    End.CHECKMATE: EndOfGame.MATE,
    End.STALEMATE: EndOfGame.STALEMATE,
    End.VARIANT: EndOfGame.VARIANT,
    End.BARE_KINGS: EndOfGame.BARE_KINGS,
    End.FIFTY_MOVES: EndOfGame.FIFTY_MOVES,
    End.THREEFOLD_REPETITION: EndOfGame.REPETITION,
}
_BY_LOSER: Final[Mapping[EndOfGame, str]] = {
    EndOfGame.RESIGNATION: "resigned",
    EndOfGame.TIME: "lost on time",
    EndOfGame.FORFEIT: "forfeited",
    EndOfGame.CRASH: "crashed or disconnected",
    EndOfGame.ILLEGAL: "made an illegal move",
}
"""Ending -> what the loser did."""
_FAULTS: Final[Mapping[str, EndOfGame]] = {
    "time forfeit": EndOfGame.TIME,
    "abandoned": EndOfGame.CRASH,
    "stalled connection": EndOfGame.CRASH,
    "rules infraction": EndOfGame.ILLEGAL,
    "illegal move": EndOfGame.ILLEGAL,
}
"""What referees write into the tag Termination; details are then the words of an engine."""
_WORDS: Final = (
    (re.compile(r"\bresign", re.IGNORECASE), EndOfGame.RESIGNATION),
    (re.compile(r"\b(?:time|timeout|clock|flag)\b", re.IGNORECASE), EndOfGame.TIME),
    (
        re.compile(r"abandon|disconnect|stall|crash|emergency|has ended", re.IGNORECASE),
        EndOfGame.CRASH,
    ),
    (re.compile(r"\billegal", re.IGNORECASE), EndOfGame.ILLEGAL),
    (re.compile(r"(?:fifty|50)[ -]?moves?", re.IGNORECASE), EndOfGame.FIFTY_MOVES),
    (re.compile(r"repetition|\b3-?fold", re.IGNORECASE), EndOfGame.REPETITION),
    (re.compile(r"\bagree", re.IGNORECASE), EndOfGame.AGREEMENT),
    (re.compile(r"forfeit|default|walk-?over|no[ -]show", re.IGNORECASE), EndOfGame.FORFEIT),
    (
        re.compile(r"adjudicat|tablebase|syzygy|tcec|\brule\b", re.IGNORECASE),
        EndOfGame.ADJUDICATION,
    ),
)
"""The words of tags that say how a game ended; the first that is found counts."""


def ending_in(tags: Mapping[str, str]) -> EndOfGame:
    """How a game ended by its tags alone."""
    fault = _FAULTS.get(tags.get("Termination", "").strip().lower())
    if fault is not None:
        return fault
    said = " ".join(tags.get(name, "") for name in _TAGS)
    for words, ending in _WORDS:
        if words.search(said):
            return ending
    return EndOfGame.UNKNOWN


def has_crashed(game: EventGame, side: Color) -> bool:
    """Whether a side lost by a crash, a lost connection or silence."""
    is_lost = winner_of(game.result) is side.other
    return is_lost and ending_in(game.tags) is EndOfGame.CRASH


def ending_of(game: EventGame) -> EndOfGame:
    """How a game ended: on the board, by the rules, or by its tags."""
    if game.fault is not None:
        return EndOfGame.UNREADABLE
    if game.is_bye:
        return EndOfGame.BYE
    is_decisive = winner_of(game.result) is not None
    if not game.plies and (is_decisive or game.result == DOUBLE_FORFEIT):
        return EndOfGame.FORFEIT
    if game.result in SPLIT_RESULTS:
        return EndOfGame.ARBITER
    if game.end is not None:
        return _ENDS[game.end]
    said = ending_in(game.tags)
    if said is EndOfGame.UNKNOWN and game.final.is_mate and not is_decisive:
        return EndOfGame.BEST_PLAY
    return said


def mark_of(game: EventGame) -> str:
    """The sign of a won game in a cross table; empty for other games."""
    is_won = winner_of(game.result) is not None or game.result == DOUBLE_FORFEIT
    if not is_won and not (game.is_on_the_board and game.final.is_mate):
        return ""
    ending = ending_of(game)
    if not is_won and ending is not EndOfGame.MATE:
        ending = EndOfGame.BEST_PLAY
    return MARKS.get(ending, "")


def ended_in_words(game: EventGame) -> str:
    """How a game with a result ended, with its loser if there is one: `Black resigned`."""
    ending = ending_of(game)
    winner = winner_of(game.result)
    details = _details_of(game)
    if ending is EndOfGame.FORFEIT and winner is None:
        return "both forfeited"
    if ending is EndOfGame.UNKNOWN:
        return f"{winner} won" if winner is not None else details or "drawn"
    if winner is not None and ending in _BY_LOSER:
        return f"{winner.other} {_BY_LOSER[ending]}"
    if ending is EndOfGame.ADJUDICATION and details:
        return f"adjudicated: {details}"
    name: str = ending.value
    return name


def _details_of(game: EventGame) -> str:
    """What the tags say about the end beyond the usual words."""
    for name in reversed(_TAGS):
        said = " ".join(game.tags.get(name, "").split())
        if said.lower() not in ("", "?", "normal", "adjudication", "unterminated"):
            return said[:_MOST_DETAILS]
    return ""


def reason_of(game: EventGame) -> str:
    """Why the score of a game counts, in sentences."""
    reason = _why_it_counts(game)
    if game.contradiction is None:
        return reason
    return f"{reason} The file contradicts itself: {game.contradiction}."


def _why_it_counts(game: EventGame) -> str:
    if game.fault is not None:
        return f"The moves cannot be read ({game.fault.reason}), so the score sheet counts."
    if not game.is_on_the_board:
        return f"The game has no score, so the points of the score sheet count: {game.result}."
    value = game.final.in_words()
    if game.source is Source.TABLEBASE:
        return f"The game stopped. By best play from there {value}{_by_table(game)}."
    if game.source is Source.SOLVED:
        return f"The game stopped. A solve proves that by best play {value}."
    if game.source is Source.RESULT:
        return "A win by the result counts as mate, G0.0."
    if game.source is Source.PROVISIONAL:
        return _doubt_about(game)
    ending = ending_of(game)
    if ending in (EndOfGame.MATE, EndOfGame.STALEMATE):
        return f"{value}, on the board."
    if game.end is not None:
        return f"The rules ended the game, and the accrued score stands: {value}."
    if game.men:
        return (
            f"The game stopped with {game.men} men. No table decides it, "
            f"and the accrued score stands: {value}."
        )
    return f"The accrued score stands: {value}."


def _by_table(game: EventGame) -> str:
    """The table that decided a game, and the plies of best play if it knows them."""
    if game.table is None:
        return ""
    table, *plies = game.table.split()
    if plies == ["0"]:
        return f", and that is reached, as the table {table} says"
    if not plies:
        return f", as the table {table} says"
    return f" after {in_plies(int(plies[0]))}, as the table {table} says"


def _doubt_about(game: EventGame) -> str:
    """What is missing until the score of a game is final."""
    value = game.final.in_words()
    standing = f"Not final. The accrued score counts for now: {value}."
    if game.missing:
        tables = game.missing.split()
        when = "missing when it was adjudicated."
        if len(tables) == 1:
            return f"{standing} The table {tables[0]} decides the game, and was {when}"
        return f"{standing} The tables {', '.join(tables)} decide the game, and were {when}"
    bounds = game.tags.get("RMobilityBounds", "").split()
    if not bounds:
        return standing
    standing += f" Best play was only bounded: it leads to a score from {' to '.join(bounds)}."
    if game.is_disproved:
        standing += " The accrued score lies outside these bounds, so another one will replace it."
    return standing
