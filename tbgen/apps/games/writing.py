"""Games written as PGN that every program reads.

>>> words = numbered(1, True, [("e4", "best"), ("e5", "")])
>>> print(format_game({"White": "Ann", "Result": "1-0"}, words))
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

import textwrap
from collections.abc import Iterable, Iterator, Mapping

import chess

from tbgen.apps.games.results import UNFINISHED

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\""})
_LINE_WIDTH = 79
"""The longest line of moves, as the standard of PGN asks for."""

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


def format_game(tags: Mapping[str, str], words: Iterable[str]) -> str:
    """A game as PGN.

    The seven tags of the roster come first and are never missing; the others keep their order.
    """
    named = _ROSTER | dict(tags)
    lines = [f'[{name} "{value.translate(_ESCAPES)}"]' for name, value in named.items()]
    moves = textwrap.wrap(
        " ".join([*words, named["Result"]]),
        _LINE_WIDTH,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join([*lines, "", *moves])


def numbered(number: int, white_to_move: bool, moves: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Moves and their comments, if they have one, with the numbers that moves have in a game."""
    is_white = white_to_move
    needs_number = True
    for san, comment in moves:
        if is_white:
            yield f"{number}. {san}"
        elif needs_number:
            yield f"{number}... {san}"
        else:
            yield san
        if comment:
            yield f"{{{comment}}}"
        needs_number = bool(comment)
        if not is_white:
            number += 1
        is_white = not is_white


def last_move(board: chess.Board, san: str) -> str:
    """The move that led to a position, with its number, such as `30... Kd6`; empty without a move.

    >>> import chess
    >>> last_move(chess.Board("8/8/3k4/8/8/3K4/8/8 w - - 3 31"), "Kd6")
    '30... Kd6'
    """
    if not san:
        return ""
    was_white = not board.turn
    number = board.fullmove_number if was_white else board.fullmove_number - 1
    return " ".join(numbered(number, was_white, [(san, "")]))
