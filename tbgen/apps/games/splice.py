"""Inserts tags and a variation into the text of a game; every other byte stays as it is."""

from __future__ import annotations

import re
import textwrap
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence

from tbgen.apps.games import scan as at
from tbgen.apps.games.chunks import Chunk
from tbgen.apps.games.tags import GAME_TAG, LINE_WIDTH

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
"""The tags that a decision writes; those of a decision before are replaced."""

_OWN_NAMES = {name.encode() for name in OWN_TAGS}
_LINE_END = re.compile(rb"\r\n|\n|\r")
_MARK = "tbgen:"
# A whole variation that `variation` wrote, at the end of the moves. Ours has no brackets inside.
_OWN_VARIATION = re.compile(rb"(?:\r\n|\n|\r)\( \{tbgen:[^}]*\}[^()]*\)(?:\r\n|\n|\r)?\Z")
# A comment that `commented` wrote; that of a variation of ours stands behind its bracket.
_OWN_COMMENT = re.compile(rb"(?<!\() \{tbgen: [^}]*\}|(?<!\( )\{tbgen: [^}]*\} ")
_SIGNS = re.compile(rb"[!?+#]*(?:\s*\$[0-9]+)*")
"""The signs behind a move."""

Edit = tuple[int, int, bytes]
"""Start, end, and the replacement."""


def variation(comment: str, words: Sequence[str]) -> str:
    """A variation with a comment by which the program recognises it later."""
    return f"( {{{_MARK} {comment}}} {' '.join(words)} )"


def spliced(chunk: Chunk, place: int, tags: Mapping[str, str], line: str | None = None) -> bytes:
    """The text of a game with its r-mobility tags, and tbgen's variation at the end of its moves, replaced.

    An empty `line` only takes away the variation that is there; None lets it be.
    """
    edits = list(_tag_edits(chunk, place, tags))
    if line is not None:
        edits += _line_edits(chunk, place, line)
    return _edited(chunk, place, edits)


def commented(chunk: Chunk, place: int, comments: Mapping[int, str]) -> bytes:
    """The text of a game with comments behind some of its moves, which are numbered from 1; 0 is before them.

    They take the place of those of an earlier call; every other byte stays.
    """
    text, end = chunk.text, chunk.span(place).stop
    begin = int(chunk.games[place, at.TEXT_AT])
    edits: list[Edit] = []
    if begin >= 0:
        edits += ((begin + old.start(), begin + old.end(), b"") for old in _OWN_COMMENT.finditer(text[begin:end]))
    for number, row in enumerate(chunk.move_rows(place).tolist(), 1):
        if number in comments:
            signs = _SIGNS.match(text, row[1], end)
            behind = row[1] if signs is None else signs.end()
            edits.append((behind, behind, f" {{{_MARK} {comments[number]}}}".encode()))
    if 0 in comments and begin >= 0:
        edits.append((begin, begin, f"{{{_MARK} {comments[0]}}} ".encode()))
    return _edited(chunk, place, edits)


def _edited(chunk: Chunk, place: int, edits: Sequence[Edit]) -> bytes:
    span, pieces = chunk.span(place), []
    done = span.start
    for first, last, new in sorted(edits):
        pieces += [chunk.text[done:first], new]
        done = last
    return b"".join([*pieces, chunk.text[done : span.stop]])


def _tag_edits(chunk: Chunk, place: int, tags: Mapping[str, str]) -> Iterator[Edit]:
    """Replace tbgen's tags: new ones go after the Result tag, else after the last tag, else before the moves.

    The last tag is one of others, if there are any. Before the moves an empty line follows.
    """
    text = chunk.text
    rows = [(text[row[at.NAME] : row[at.NAME_END]], row) for row in chunk.tag_rows(place).tolist()]
    own = [row for name, row in rows if name in _OWN_NAMES]
    others = [row for name, row in rows if name not in _OWN_NAMES]
    results = [row for name, row in rows if name == b"Result"]
    yield from ((row[at.LINE], row[at.NEXT_LINE], b"") for row in own)
    if not tags:
        return
    lines = [f'[{name} "{value}"]'.encode() for name, value in tags.items()]
    anchor = (results or others or own[:1] or [None])[-1]
    if anchor is None:
        behind = int(chunk.games[place, at.TEXT_AT])
        line_end = _line_end_in(text)
        is_first = text[:behind] in (b"", BOM_UTF8) and not chunk.in_line
        is_ended = is_first or text[behind - 1 : behind] in (b"\n", b"\r")
        lines.append(b"")
    else:
        behind = anchor[at.NEXT_LINE]
        line_end = _line_end_in(text, anchor[at.VALUE_END], behind)
        is_ended = anchor in own or text[behind - 1] in at.LINE_ENDS  # tbgen's own line goes, with its end
    yield behind, behind, (b"" if is_ended else line_end) + b"".join(line + line_end for line in lines)


def _line_end_in(text: bytes, start: int = 0, end: int | None = None) -> bytes:
    """The first line end of a part of a text, or else of the whole text, or else a newline."""
    found = _LINE_END.search(text, start, len(text) if end is None else end) or _LINE_END.search(text)
    return b"\n" if found is None else found[0]


def _line_edits(chunk: Chunk, place: int, line: str) -> Iterator[Edit]:
    """Put a variation before the result, or at the end of the moves, in the place of the one that is there."""
    text, game = chunk.text, chunk.games[place]
    begin, result_at = int(game[at.TEXT_AT]), int(game[at.RESULT_AT])
    if begin < 0:
        return
    end = result_at if result_at >= 0 else int(game[at.TEXT_END])
    last = end
    if result_at < 0 and (following := _LINE_END.match(text, end)):
        last = following.end()
    old = _OWN_VARIATION.search(text[begin:last])
    line_end = _line_end_in(text)
    parts = textwrap.wrap(line, LINE_WIDTH, break_long_words=False, break_on_hyphens=False)
    new = line_end + line_end.join(part.encode() for part in parts) + line_end if line else b""
    first, behind = (end, end) if old is None else (begin + old.start(), begin + old.end())
    yield first, behind, new
