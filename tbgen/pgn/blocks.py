"""A stream of PGN in blocks: whole games, as many as have been read, and where their tags and words stand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from io import BufferedReader
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.errors import PgnError
from tbgen.pgn import scan as at
from tbgen.pgn.files import STANDARD_INPUT
from tbgen.pgn.scan import Spans

_BLOCK_BYTES = 1 << 18
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_ENDS = b"\r\n"


class Piece(NamedTuple):
    """Some text with whole games in it, and what is to know of the text before; small enough to be sent about."""

    text: bytes
    start: int
    """Where the first line begins, behind a byte order mark."""
    in_line: bool
    """Whether the text begins within a line."""
    number: int
    """The number of the first game."""


class Block(NamedTuple):
    """A piece whose games have been found; the arrays are those of `scan`."""

    piece: Piece
    data: npt.NDArray[np.uint8]
    games: Spans
    tags: Spans
    words: Spans
    binary_at: int
    """Where a line begins that no text has; -1 if there is none."""


def found_in(piece: Piece, *, is_last: bool = True) -> Block:
    """The games of a piece; unless it is the last, its last game may still go on."""
    data = np.frombuffer(piece.text, np.uint8)
    games, tags, words = _scratch(len(data) // 2 + 3)
    state = np.zeros(at.STATE_WORDS, np.int64)
    binary_at = at.scan(data, piece.start, len(data), is_last, piece.in_line, state, games, tags, words)
    games, tags, words = (
        rows[: state[n]].copy() for rows, n in ((games, at.GAMES), (tags, at.TAGS), (words, at.WORDS))
    )
    return Block(piece, data, games, tags, words, int(binary_at))


_arrays = threading.local()


def _scratch(rows: int) -> tuple[Spans, Spans, Spans]:
    """Room for all that a text may hold; the same for every piece that a thread looks at."""
    if getattr(_arrays, "rows", 0) < rows:
        columns = (at.GAME_COLUMNS, at.TAG_COLUMNS, at.WORD_COLUMNS)
        _arrays.rows, _arrays.scratch = rows, tuple(np.empty((rows, number), np.int64) for number in columns)
    games, tags, words = _arrays.scratch
    return games, tags, words


def blocks_of(stream: BufferedReader, name: str, block_bytes: int = _BLOCK_BYTES) -> Iterator[Block]:
    """The games of a stream, some at a time; an error after them if what follows is no text.

    From the standard input games come as soon as they are there.
    """
    read = stream.read1 if name == STANDARD_INPUT else stream.read
    text, in_line, number, is_first = b"", False, 1, True
    while True:
        more = read(max(block_bytes, len(text)))
        text += more
        start = len(_BYTE_ORDER_MARK) if is_first and text.startswith(_BYTE_ORDER_MARK) else 0
        block = found_in(Piece(text, start, in_line, number), is_last=not more)
        if block.binary_at >= 0:
            yield _cut(block, block.binary_at)
            raise PgnError(name, "this is a binary file, not PGN")
        if not more:
            yield block
            break
        if len(block.games):
            cut = int(block.games[-1, at.END])
            yield _cut(block, cut)
            in_line = text[cut - 1] not in _LINE_ENDS
            text, number, is_first = text[cut:], number + len(block.games), False
    if number == 1 and not len(block.games):
        raise PgnError(name, "it holds no games")


def _cut(block: Block, end: int) -> Block:
    """The same games without the text behind them."""
    return block._replace(piece=block.piece._replace(text=block.piece.text[:end]))
