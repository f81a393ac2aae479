"""A position, and moves after it, as people type them: in quotes or not, with underscores, or by its name.

>>> fen_and_moves(["8/8/8/4KBk1/8/8/8/8", "b", "-", "-", "3", "9", "G2.5", "Kh4", "Kf4"])
('8/8/8/4KBk1/8/8/8/8 b - - 3 9 G2.5', ['Kh4', 'Kf4'])
>>> fen_and_moves(["8/8/8/4KBk1/8/8/8/8_b_-_-_0_1"]), fen_and_moves(["startpos", "moves", "e2e4"])[1]
(('8/8/8/4KBk1/8/8/8/8 b - - 0 1', []), ['e2e4'])
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import chess

START = "startpos"

_FIELDS = (
    re.compile(r"[wb]"),
    re.compile(r"-|[KQkqA-Ha-h]{1,4}"),
    re.compile(r"-|[a-h][36]"),
    re.compile(r"[0-9]+"),
    re.compile(r"[0-9]+"),
    re.compile(r"[-m]?[Gg][0-9].*|[0-9]+"),
)
"""What the words after the men may look like, in their order, if they belong to a FEN."""


def fen_and_moves(words: Sequence[str]) -> tuple[str, list[str]]:
    """Split words into the FEN at their beginning and the moves after it.

    A first word with spaces or underscores is a whole FEN. Else the words that follow belong to it as long as
    they look like its fields. Nothing is checked here.
    """
    first, *rest = words if words else [""]
    inner = first.replace("_", " ").split()
    if inner and inner[0] == START:
        fen, rest = chess.STARTING_FEN, [*inner[1:], *rest]
    elif len(inner) > 1:
        fen = first.replace("_", " ")
    else:
        fen, rest = _gathered(first, rest)
    return fen, rest[1:] if rest[:1] == ["moves"] else rest


def _gathered(first: str, rest: Sequence[str]) -> tuple[str, list[str]]:
    """The fields of a FEN from the words of a line."""
    taken = 0
    for field, word in zip(_FIELDS, rest, strict=False):
        if not field.fullmatch(word.strip()):
            break
        taken += 1
    return " ".join([first, *(word.strip() for word in rest[:taken])]), list(rest[taken:])
