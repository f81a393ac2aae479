"""New tags and a variation put into the text of a game, every other byte as it was."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from tbgen.pgn import scan as at
from tbgen.pgn.blocks import Block

OWN_TAGS = (
    "RMobilityResult",
    "RMobilityCutoff",
    "RMobilityScoring",
    "Points",
    "Komi",
    "RMobilityFifty",
    "RMobilitySource",
    "RMobilityTablebase",
)
"""The tags that a decision writes; those of a decision before are replaced."""

_OWN_NAMES = {name.encode() for name in OWN_TAGS}
_LINE_ENDS = b"\r\n"
_LINE_END = re.compile(rb"\r\n|\n|\r")
_MARK = "tbgen:"
_OWN_VARIATION = re.compile(rb"(?:\r\n|\n|\r)\( \{tbgen:[^}]*\}[^()]*\)(?:\r\n|\n|\r)?\Z")
_WIDTH = 79

Edit = tuple[int, int, bytes]
"""From where to where, and what stands there instead."""


def variation(comment: str, words: Sequence[str]) -> str:
    """A variation that is known again: its comment says whose it is."""
    return f"( {{{_MARK} {comment}}} {' '.join(words)} )"


def spliced(block: Block, place: int, tags: Mapping[str, str], line: str | None = None) -> bytes:
    """The text of a game with other tags of ours, and at the end of its moves with another variation of ours.

    An empty `line` only takes away the variation that is there; None lets it be.
    """
    text, start, end = block.piece.text, *bounds(block, place)
    edits = list(_tag_edits(block, place, tags))
    if line is not None:
        edits += _line_edits(block, place, line)
    pieces, done = [], start
    for first, last, new in sorted(edits):
        pieces += [text[done:first], new]
        done = last
    return b"".join([*pieces, text[done:end]])


def bounds(block: Block, place: int) -> tuple[int, int]:
    """Where the text of a game begins, with what stands before it, and where it ends."""
    start = 0 if place == 0 else int(block.games[place - 1, at.END])
    return start, int(block.games[place, at.END])


def rest_of(block: Block) -> bytes:
    """What stands behind the last game of a block."""
    return block.piece.text[bounds(block, len(block.games) - 1)[1] :] if len(block.games) else block.piece.text


def _tag_edits(block: Block, place: int, tags: Mapping[str, str]) -> Iterator[Edit]:
    """Take our tags away and put the new ones after the Result tag, or else after the last tag, or before the moves."""
    text, game = block.piece.text, block.games[place]
    rows = block.tags[game[at.FIRST_TAG] : game[at.LAST_TAG]].tolist()
    names = [text[row[at.NAME] : row[at.NAME_END]] for row in rows]
    own = [row for row, name in zip(rows, names, strict=True) if name in _OWN_NAMES]
    others = [row for row, name in zip(rows, names, strict=True) if name not in _OWN_NAMES]
    results = [row for row, name in zip(rows, names, strict=True) if name == b"Result"]
    yield from ((row[at.LINE], row[at.NEXT_LINE], b"") for row in own)
    lines = [f'[{name} "{value}"]'.encode() for name, value in tags.items()]
    anchor = (results or others or [None])[-1]
    if anchor is not None:
        place_of, line_end = anchor[at.NEXT_LINE], _end_of(text, anchor)
        is_ended = text[place_of - 1] in _LINE_ENDS
        yield place_of, place_of, (b"" if is_ended else line_end) + b"".join(line + line_end for line in lines)
    elif own:
        line_end = _end_of(text, own[0])
        yield own[0][at.LINE], own[0][at.LINE], b"".join(line + line_end for line in lines)
    else:
        yield _before_moves(block, place, lines)


def _end_of(text: bytes, row: Sequence[int]) -> bytes:
    """How the line of a tag ends, or else the first line that does."""
    found = _LINE_END.search(text, row[at.VALUE_END], row[at.NEXT_LINE]) or _LINE_END.search(text)
    return b"\n" if found is None else found[0]


def _before_moves(block: Block, place: int, lines: Sequence[bytes]) -> Edit:
    """Tags for a game that has none: in lines of their own, and an empty one after them."""
    text, start, moves = block.piece.text, bounds(block, place)[0], int(block.games[place, at.TEXT_AT])
    found = _LINE_END.search(text)
    line_end = b"\n" if found is None else found[0]
    begin = max(text.rfind(b"\n", start, moves), text.rfind(b"\r", start, moves)) + 1
    if begin == 0:
        begin = max(start, block.piece.start)
        at_line = start < begin or (not block.piece.in_line if start == 0 else text[start - 1] in _LINE_ENDS)
    else:
        at_line = True
    if text[begin:moves].strip() or not at_line:
        begin, at_line = moves, False
    return begin, begin, (b"" if at_line else line_end) + b"".join(line + line_end for line in [*lines, b""])


def _line_edits(block: Block, place: int, line: str) -> Iterator[Edit]:
    """Put a variation before the result, or at the end of the moves, in the place of the one that is there."""
    text, game = block.piece.text, block.games[place]
    begin, result_at = int(game[at.TEXT_AT]), int(game[at.RESULT_AT])
    if begin < 0:
        return
    end = result_at if result_at >= 0 else int(game[at.TEXT_END])
    last = end
    if result_at < 0 and (following := _LINE_END.match(text, end)):
        last = following.end()
    old = _OWN_VARIATION.search(text[begin:last])
    found = _LINE_END.search(text)
    line_end = b"\n" if found is None else found[0]
    new = line_end + line_end.join(part.encode() for part in _wrapped(line)) + line_end if line else b""
    if old is not None:
        yield begin + old.start(), begin + old.end(), new
    elif new:
        yield end, end, new


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False)
