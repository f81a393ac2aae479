"""PGN text as chunks of whole games; and a game's text: its tags, moves and result, and edits of it.

An edit inserts tags, a variation or comments. Every other byte stays as it is.
"""

from __future__ import annotations

import os
import re
import textwrap
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from tbgen.apps.games import scan as at
from tbgen.apps.games.tags import LINE_WIDTH, MARK, OWN_TAGS
from tbgen.compiled.arrays import Ints
from tbgen.errors import PgnError
from tbgen.system.inputs import read_pieces

_LONG_GAME_BYTES = 1 << 20
"""Beyond this size, an unfinished game is scanned again only when it has doubled: rescanning would be quadratic."""
MOST_GAME_BYTES = 64 << 20
"""The longest game that is read, because an endless one must not take all memory."""
_RESULTS: tuple[str | None, ...] = (None, *(result.decode() for result in at.RESULTS))
_PROBLEMS = (None, "a comment is not closed", "a variation is not closed")
_ESCAPED = re.compile(r'\\(["\\])')
_OWN_NAMES = {name.encode() for name in OWN_TAGS}
_LINE_END = re.compile(rb"\r\n|\n|\r")
# A whole variation of tbgen's at the end of the moves. It has no brackets inside.
_OWN_VARIATION = re.compile(rb"(?:\r\n|\n|\r)\( \{tbgen:[^}]*\}[^()]*\)(?:\r\n|\n|\r)?\Z")
# A comment of `with_comments`; the comment of a variation of tbgen's stands behind its bracket.
_OWN_COMMENT = re.compile(rb"(?<!\() \{tbgen: [^}]*\}|(?<!\( )\{tbgen: [^}]*\} ")
_SIGNS = re.compile(rb"[!?+#]*(?:\s*\$[0-9]+)*")
"""The signs behind a move."""

Edit = tuple[int, int, bytes]
"""Start, end, and the replacement."""


class Chunk:
    """A text of whole games with the rows that the scanner found in it; `scan` describes the columns.

    `in_line` says whether it begins within a line, and `number` is that of its first game. Unless it is the last of its
    file, its last game may still go on.
    """

    def __init__(self, text: bytes, in_line: bool = False, number: int = 1, *, is_last: bool = True) -> None:
        self.text, self.in_line, self.number = text, in_line, number
        self.data = np.frombuffer(text, np.uint8)
        columns = (at.GAME_COLUMNS, at.TAG_COLUMNS, at.MOVE_COLUMNS)
        rows = (np.empty((len(text) // 2 + 3, width), np.int64) for width in columns)  # enough for any text
        found = at.ScanRows(np.zeros(at.STATE_WORDS, np.int64), *rows)
        at.scan(self.data, is_last, in_line, found)
        counts = [int(found.state[each]) for each in (at.GAMES, at.TAGS, at.MOVES)]
        self.rows, self.tags, self.moves = (table[:n].copy() for table, n in zip(found[1:], counts, strict=True))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[GameText]:
        return (GameText(self, index) for index in range(len(self)))

    @property
    def end(self) -> int:
        """The end of the last game."""
        return int(self.rows[-1, at.END]) if len(self) else 0

    def rest(self) -> bytes:
        """The text behind the last game."""
        return self.text[self.end :]


@dataclass(frozen=True, slots=True)
class GameText:
    """A game of a chunk as it is written, before anybody has played it."""

    chunk: Chunk
    index: int

    @property
    def number(self) -> int:
        """The number of the game in its file, from 1."""
        return self.chunk.number + self.index

    @property
    def row(self) -> Ints:
        row: Ints = self.chunk.rows[self.index]
        return row

    @property
    def tag_rows(self) -> Ints:
        return self.chunk.tags[self.row[at.FIRST_TAG] : self.row[at.LAST_TAG]]

    @property
    def move_rows(self) -> Ints:
        return self.chunk.moves[self.row[at.FIRST_MOVE] : self.row[at.LAST_MOVE]]

    @property
    def tags(self) -> dict[str, str]:
        """The tags; if two have the same name, the last counts."""
        tags, text = {}, self.chunk.text
        for _, _, name, name_end, value, value_end in self.tag_rows.tolist():
            written = decoded(text[value:value_end])
            tags[text[name:name_end].decode("ascii")] = _ESCAPED.sub(r"\1", written) if "\\" in written else written
        return tags

    @property
    def moves(self) -> list[str]:
        """The moves as they are written."""
        return [decoded(self.chunk.text[start:end]) for start, end in self.move_rows.tolist()]

    @property
    def result(self) -> str | None:
        """The result that stands behind the moves."""
        return _RESULTS[int(self.row[at.RESULT])]

    @property
    def problem(self) -> str | None:
        """The error of syntax, if there is one."""
        return _PROBLEMS[self.row[at.PROBLEM]]

    @property
    def span(self) -> slice:
        """The place of the game in its chunk, including the text before it."""
        start = int(self.chunk.rows[self.index - 1, at.END]) if self.index else 0
        return slice(start, int(self.row[at.END]))

    def decided(self, tags: Mapping[str, str], line: str | None = None) -> bytes:
        """The text with r-mobility tags, and with tbgen's variation after the moves, in place of earlier ones.

        An empty `line` removes the present variation; None keeps it.
        """
        return self._edited([*self._tag_edits(tags), *(() if line is None else self._line_edits(line))])

    def commented(self, comments: Mapping[int, str]) -> bytes:
        """The text with comments behind some of its moves, which are numbered from 1; 0 is before them.

        They replace those of an earlier call.
        """
        text, begin, end = self.chunk.text, int(self.row[at.TEXT_AT]), self.span.stop
        edits: list[Edit] = []
        if begin >= 0:
            edits += ((begin + old.start(), begin + old.end(), b"") for old in _OWN_COMMENT.finditer(text[begin:end]))
        for number, row in enumerate(self.move_rows.tolist(), 1):
            if number in comments:
                signs = _SIGNS.match(text, row[1], end)
                behind = row[1] if signs is None else signs.end()
                edits.append((behind, behind, f" {{{MARK} {comments[number]}}}".encode()))
        if 0 in comments and begin >= 0:
            edits.append((begin, begin, f"{{{MARK} {comments[0]}}} ".encode()))
        return self._edited(edits)

    def _edited(self, edits: Iterable[Edit]) -> bytes:
        text, span, pieces = self.chunk.text, self.span, list[bytes]()
        done = span.start
        for first, last, new in sorted(edits):
            pieces += [text[done:first], new]
            done = last
        return b"".join([*pieces, text[done : span.stop]])

    def _tag_edits(self, tags: Mapping[str, str]) -> Iterator[Edit]:
        """Replace tbgen's tags: new ones go after the Result tag, else after the last tag, else before the moves.

        The last tag is one of others, if there are any. Before the moves an empty line follows.
        """
        text = self.chunk.text
        rows = [(text[row[at.NAME] : row[at.NAME_END]], row) for row in self.tag_rows.tolist()]
        own = [row for name, row in rows if name in _OWN_NAMES]
        others = [row for name, row in rows if name not in _OWN_NAMES]
        results = [row for name, row in rows if name == b"Result"]
        yield from ((row[at.LINE], row[at.NEXT_LINE], b"") for row in own)
        if not tags:
            return
        lines = [f'[{name} "{value}"]'.encode() for name, value in tags.items()]
        anchor = (results or others or own[:1] or [None])[-1]
        if anchor is None:
            behind = int(self.row[at.TEXT_AT])
            line_end = _line_end_in(text)
            is_first = text[:behind] in (b"", BOM_UTF8) and not self.chunk.in_line
            is_ended = is_first or text[behind - 1 : behind] in (b"\n", b"\r")
            lines.append(b"")
        else:
            behind = anchor[at.NEXT_LINE]
            line_end = _line_end_in(text, anchor[at.VALUE_END], behind)
            is_ended = anchor in own or text[behind - 1] in at.LINE_ENDS  # tbgen's own line goes with its line end
        yield behind, behind, (b"" if is_ended else line_end) + b"".join(line + line_end for line in lines)

    def _line_edits(self, line: str) -> Iterator[Edit]:
        """Put a variation before the result, or after the moves, in place of the present one."""
        text, begin, result_at = self.chunk.text, int(self.row[at.TEXT_AT]), int(self.row[at.RESULT_AT])
        if begin < 0:
            return
        end = result_at if result_at >= 0 else int(self.row[at.TEXT_END])
        last = end
        if result_at < 0 and (following := _LINE_END.match(text, end)):
            last = following.end()
        old = _OWN_VARIATION.search(text[begin:last])
        line_end = _line_end_in(text)
        parts = textwrap.wrap(line, LINE_WIDTH, break_long_words=False, break_on_hyphens=False)
        new = line_end + line_end.join(part.encode() for part in parts) + line_end if line else b""
        first, behind = (end, end) if old is None else (begin + old.start(), begin + old.end())
        yield first, behind, new


def _line_end_in(text: bytes, start: int = 0, end: int | None = None) -> bytes:
    """The first line end in a part of a text, or else in the whole text, or else a newline."""
    found = _LINE_END.search(text, start, len(text) if end is None else end) or _LINE_END.search(text)
    return b"\n" if found is None else found[0]


def chunks_of(pieces: Iterable[bytes], name: str, *, may_be_empty: bool = False) -> Iterator[Chunk]:
    """The games of a text that arrives in pieces, as soon as they are complete; an error if there are none."""
    read, wanted, in_line, number = bytearray(), 0, False, 1
    for piece in chain(pieces, [None]):
        read += piece or b""
        if piece is not None and len(read) < wanted:
            continue
        chunk = Chunk(bytes(read), in_line, number, is_last=piece is None)
        if piece is None:
            yield chunk
        elif len(chunk):
            chunk.text = chunk.text[: chunk.end]
            del read[: len(chunk.text)]
            yield chunk
            in_line, number = chunk.text[-1] not in at.LINE_ENDS, number + len(chunk)
        wanted = 2 * len(read) if len(read) >= _LONG_GAME_BYTES else 0
        if len(read) > MOST_GAME_BYTES:
            raise PgnError(name, f"it is longer than {MOST_GAME_BYTES >> 20} MB", number=number)
    if number == 1 and not len(chunk) and not may_be_empty:
        raise PgnError(name, "it holds no games")


def chunks_in(path: str | os.PathLike[str], *, may_be_empty: bool = False) -> Iterator[Chunk]:
    """The games of a file; an error if it is no PGN file."""
    name = os.fspath(path)
    return chunks_of(read_pieces(name), name, may_be_empty=may_be_empty)


def decoded(text: bytes) -> str:
    """UTF-8 text; bytes that are not UTF-8 are Latin-1."""
    return text.decode("utf-8", "tbgen-latin-1")
