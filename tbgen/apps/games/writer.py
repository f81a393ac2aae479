"""Writes games as PGN that every program reads.

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

import textwrap
from collections.abc import Iterable, Iterator, Mapping

_ROSTER = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": "?",
    "Black": "?",
    "Result": "*",
}
"""The tags that every game has, in their order, and what stands where nothing is known."""

_LINE_WIDTH = 79


def format_game(tags: Mapping[str, str], words: Iterable[str]) -> str:
    """A game as PGN. The seven tags of the roster come first and are never missing; the others keep their order."""
    named = _ROSTER | dict(tags)
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in named.items()]
    moves = textwrap.wrap(
        " ".join([*words, named["Result"]]), _LINE_WIDTH, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join([*lines, "", *moves])


def numbered(number: int, white_to_move: bool, moves: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Moves and their comments, if they have one, with the numbers that moves have in a game."""
    is_white, needs_number = white_to_move, True
    for san, comment in moves:
        if is_white or needs_number:
            yield f"{number}{'.' if is_white else '...'} {san}"
        else:
            yield san
        if comment:
            yield f"{{{comment}}}"
        number, is_white, needs_number = number + (not is_white), not is_white, bool(comment)


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"")
