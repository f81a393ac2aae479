"""PGN text as chunks of whole games; and a game as it is written, before anybody has played it.

A result ends a game; so do the tags of the next game or the end of the file, but then the game is
damaged. Comments, variations, annotation signs, lines that begin with `%`, and byte order marks are
ignored.

The grammar is below, as regular expressions; `tests/reference/pgn.py` is a second copy of it. White
space and marks are ASCII alone: other bytes are decoded with names and moves.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from tbgen.apps.games.results import DOUBLE_FORFEIT, RESULT_WORDS
from tbgen.errors import PgnError
from tbgen.system.inputs import read_pieces

_LONG_GAME_BYTES = 1 << 16
"""Beyond this size, an unfinished game is scanned again only when it has doubled."""
MOST_GAME_BYTES = 64 << 20
"""The longest game that is read, because an endless one must not take all memory."""
_LINE_ENDS = b"\r\n"
_MOST_QUOTED = 40
"""The most characters of a damaged line that an error quotes."""
CUT_OFF = (
    "its moves end without a result; perhaps the file was cut off (otherwise write * behind them)"
)
"""The problem of a game that has no result behind its moves."""


_LINE = r"(?<![^\r\n]) (?:\xef\xbb\xbf)?"
"""The start of a line, perhaps with a byte order mark, as in joined files."""
_LINE_END = r"(?: \r\n? | \n | \Z )"
_BLANK = r"[ \t\v\f]"
_IN_WORD = r"[^\s{}();$]"
_NUMBER = r"[0-9]+ \.+"

_EVENT = rf'\[ {_BLANK}* Event {_BLANK}+ "'
_TAG_NAME = r"\w [\w+\#=:-]*"
_TAG_START = rf'\[ {_BLANK}* (?P<name> {_TAG_NAME} ) {_BLANK}+ "'
_TAG_END = rf'" {_BLANK}* \] {_BLANK}*'
_CHARACTER = r"(?: [^\\\r\n] | \\ [^\r\n] )"
"""A character of a value; a backslash escapes the next one."""
_NEXT_TAG = rf'\[ {_BLANK}* {_TAG_NAME} {_BLANK}+ "'

_MOVE = rf"""
    (?: {_NUMBER} [ \t]* )?
    (?P<move> [a-hKQRBNO] [a-h1-8KQRBNOx=+\#-]+ )
    [!?]* (?! {_IN_WORD} ) \s*
"""
_TAG_LINE = rf"{_LINE} (?P<tag> {_TAG_START} (?P<value> [^\r\n]* ) {_TAG_END} {_LINE_END} )"
"""A line of tags. If it has several, all behind the first value is in `value`, too."""
_BROKEN_TAG = rf"{_LINE} (?P<bracket> \[ [^\r\n]* )"
_ESCAPED_LINE = rf"{_LINE} % [^\r\n]*"
_MARK_ALONE = r"(?<![^\r\n]) \xef\xbb\xbf"
_COMMENT = rf"""
    (?P<comment>
        \{{ [^}}\[\xef]*+
        (?: (?! {_LINE} {_EVENT} ) [\[\xef] [^}}\[\xef]*+ )*+
        \}}?
    )
"""
"""A comment that is not closed ends before the next Event tag."""
_VARIATION = r"(?P<open> \( ) | (?P<close> \) )"
_OTHER = r"(?P<other> ; [^\r\n]* | \$ [0-9]* | \} )"
_WORD = rf"(?= {_IN_WORD} ) (?: {_NUMBER} )? (?P<word> {_IN_WORD}* )"


def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode(), re.VERBOSE)


_TOKENS = _compiled(
    "|".join(
        (
            _MOVE,
            _TAG_LINE,
            _BROKEN_TAG,
            _ESCAPED_LINE,
            _MARK_ALONE,
            _COMMENT,
            _VARIATION,
            _OTHER,
            _WORD,
        )
    )
)
"""The tokens. A token without a name is ignored."""

_MAY_END_GAME = _compiled(rf"1-0 | 0-1 | 1/2 | \xbd | \* | {_LINE} \[ {_BLANK}* \w")
"""What ends nearly every game: a result, or the first tag of the next game."""
_MAY_END_BYTES = 8
"""The most bytes of it, with a few to spare."""

_TAGS = _compiled(
    rf"""(?P<tag>
        {_TAG_START} (?P<value> {_CHARACTER}*? ) {_TAG_END} (?: {_LINE_END} | (?= {_NEXT_TAG} ) )
    )"""
)
"""The tags of a line."""

_EVENT_TAG = _compiled(_EVENT)
_END_WITHIN = _compiled(rf"(?<! \\ ) (?: \\ \\ )* {_TAG_END}")
"""The end of a tag within a value, which shows that the line is damaged. Backslashes escape
quotation marks.
"""

_NO_MOVE = re.compile(rb"(?!0[^0-9]|--\Z)[\x00-@\[-`{-\x7f]*|ep|e\.p\.|N")
"""A number or an evaluation, but for castling that is written with zeros and a null move; `e.p.`
and `N`.
"""
_ESCAPED = re.compile(r'\\(["\\])')
"""A quotation mark or a backslash in the value of a tag."""
LINE_END = re.compile(rb"\r\n|\n|\r")
SIGNS = re.compile(rb"[!?+#]*(?:\s*\$[0-9]+)*")
"""The signs behind a move."""


class Chunk:
    """A text of whole games.

    `in_line` says whether it begins within a line, and `number` is that of its first game. Unless
    it is the last of its file, its last game may still go on.
    """

    def __init__(
        self, text: bytes, in_line: bool = False, number: int = 1, *, is_last: bool = True
    ) -> None:
        self.text = text
        self.in_line = in_line
        self.number = number
        self.games = _Scanner(self).scan(is_last=is_last)

    @property
    def end(self) -> int:
        """The end of the last game."""
        return self.games[-1].span.stop if self.games else 0

    def rest(self) -> bytes:
        """The text behind the last game."""
        return self.text[self.end :]


@dataclass(slots=True)
class GameText:
    """A game of a chunk as it is written."""

    chunk: Chunk
    number: int
    """The number of the game in its file, from 1."""
    span: slice
    """The game's slice of its chunk, including the text before it."""
    tag_lines: list[re.Match[bytes]] = field(default_factory=list)
    moves_at: array[int] = field(default_factory=partial(array, "q"))
    """Start and end of each move, without its number and signs."""
    result: str | None = None
    """The result that stands behind the moves, in its usual spelling."""
    text_at: int = -1
    """The place of the movetext; -1 without one."""
    problem: str | None = None
    """The error of syntax, if there is one."""

    @property
    def tags(self) -> dict[str, str]:
        """The tags; if two have the same name, the last counts."""
        tags = {}
        for line in self.tag_lines:
            value = decoded(line["value"])
            if "\\" in value:
                value = _ESCAPED.sub(r"\1", value)
            tags[line["name"].decode()] = value
        return tags

    @property
    def moves(self) -> list[str]:
        """The moves as they are written."""
        offsets = zip(self.moves_at[::2], self.moves_at[1::2], strict=True)
        return [decoded(self.chunk.text[start:end]) for start, end in offsets]


class _Scanner:
    """Finds the games of a chunk, and keeps the one that is open."""

    _game: GameText
    """The open game."""
    _variations: int
    """The number of its open variations."""
    _has_ended: bool
    """Whether nothing but the tags of the next game may follow."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._games = list[GameText]()
        self._open()

    def scan(self, *, is_last: bool) -> list[GameText]:
        """The games. If more text follows, the last line counts only with its line end."""
        text = self._chunk.text
        stop = len(text)
        if not is_last:
            # A carriage return at the end may be half of a line end.
            stop = max(text.rfind(b"\n"), text.rfind(b"\r", 0, len(text) - 1)) + 1
        for token in _TOKENS.finditer(text, 0, stop):
            kind = token.lastgroup
            if kind is None:
                continue
            if kind == "tag":
                self._begin_line(token, token.start(kind))
                self._read_tags(token)
                continue
            if kind == "bracket":
                self._begin_line(token, token.start(kind))
                self._refuse_line(token[kind])
                continue
            game = self._game
            if game.text_at < 0:
                game.text_at = token.start()
            if kind == "move":
                if not self._variations:
                    game.moves_at.extend(token.span("move"))
            elif kind == "comment":
                self._read_comment(token)
            elif kind == "open":
                self._variations += 1
            elif kind == "close":
                self._variations = max(0, self._variations - 1)
            elif kind == "word" and not self._variations:
                self._read_word(token)
        if is_last:
            self._finish(len(text))
        return self._games

    def _open(self) -> None:
        """Begin a game behind the last one."""
        number = self._chunk.number + len(self._games)
        start = self._games[-1].span.stop if self._games else 0
        self._game = GameText(self._chunk, number, slice(start, len(self._chunk.text)))
        self._variations = 0
        self._has_ended = False

    def _finish(self, end: int) -> None:
        """Keep the open game unless it is empty, and begin the next one."""
        game = self._game
        game.span = slice(game.span.start, end)
        if self._variations:
            self._note_problem("a variation is not closed")
        if game.result is None:
            _take_double_forfeit(game)
        if game.result is None and (game.tag_lines or game.moves_at):
            self._note_problem(CUT_OFF)
        if game.tag_lines or game.moves_at or game.result or game.problem:
            self._games.append(game)
        self._open()

    def _note_problem(self, problem: str) -> None:
        """The first problem of a game is told."""
        if self._game.problem is None:
            self._game.problem = problem

    def _begin_line(self, token: re.Match[bytes], start: int) -> None:
        """End the open game if a line of tags, whose first bracket is at `start`, belongs to the
        next one.
        """
        game = self._game
        is_event = _EVENT_TAG.match(token.string, start) is not None
        has_event = any(line["name"] == b"Event" for line in game.tag_lines)
        if game.moves_at or self._has_ended or (is_event and has_event):
            self._finish(token.start())

    def _read_tags(self, token: re.Match[bytes]) -> None:
        """Note the tags of a line; most lines have one."""
        if b"]" not in token["value"]:
            self._game.tag_lines.append(token)
            return
        tags = list(_TAGS.finditer(token.string, *token.span("tag"))) or [token]
        self._game.tag_lines.extend(tags)
        if any(_END_WITHIN.search(tag["value"]) for tag in tags):
            self._refuse_line(token["tag"])

    def _refuse_line(self, line: bytes) -> None:
        self._note_problem(f"{_quoted(line.rstrip())} is no tag: it is not closed, or was cut off")

    def _read_comment(self, token: re.Match[bytes]) -> None:
        if not token[0].endswith(b"}"):
            self._note_problem("a comment is not closed")
            self._has_ended = True

    def _read_word(self, token: re.Match[bytes]) -> None:
        """Note the result or the move in a word; a result ends the game."""
        game = self._game
        result = RESULT_WORDS.get(decoded(token[0]))
        if result is not None:
            game.result = result
            self._finish(token.end())
            return
        start = token.start("word")
        move = token["word"].rstrip(b"!?")
        if not _NO_MOVE.fullmatch(move):
            game.moves_at.extend((start, start + len(move)))


def _take_double_forfeit(game: GameText) -> None:
    """Take a last `0-0` for the result if the tag Result says the same.

    Otherwise it is castling.
    """
    if game.moves_at and game.tags.get("Result", "").strip() == DOUBLE_FORFEIT:
        start, end = game.moves_at[-2:]
        if game.chunk.text[start:end] == DOUBLE_FORFEIT.encode():
            del game.moves_at[-2:]
            game.result = DOUBLE_FORFEIT


def _quoted(line: bytes) -> str:
    """A line as an error quotes it."""
    text = decoded(line)
    if len(text) > _MOST_QUOTED:
        text = text[:_MOST_QUOTED] + "…"
    return repr(text)


def chunks_of(pieces: Iterable[bytes], name: str, *, may_be_empty: bool = False) -> Iterator[Chunk]:
    """The games of a text that arrives in pieces, as soon as they are complete.

    An error if there are none. A game that is not complete is scanned again when something arrives
    that may end it, or when it has doubled; scanning it for each of its lines would be quadratic.
    """
    text = bytearray()
    scanned = 0
    searched = 0
    in_line = False
    number = 1
    for piece in chain(pieces, [None]):
        text += piece or b""
        begin = max(0, searched - _MAY_END_BYTES)
        may_end = scanned < _LONG_GAME_BYTES and _MAY_END_GAME.search(text, begin) is not None
        searched = len(text)
        if piece is not None and not may_end and len(text) < 2 * scanned:
            continue
        chunk = Chunk(bytes(text), in_line, number, is_last=piece is None)
        if piece is None:
            yield chunk
        elif chunk.games:
            chunk.text = chunk.text[: chunk.end]
            del text[: len(chunk.text)]
            yield chunk
            in_line = chunk.text[-1] not in _LINE_ENDS
            number += len(chunk.games)
        scanned = len(text)
        searched = len(text)
        if len(text) > MOST_GAME_BYTES:
            raise PgnError(name, f"it is longer than {MOST_GAME_BYTES >> 20} MB", number=number)
    if number == 1 and not chunk.games and not may_be_empty:
        raise PgnError(name, "it holds no games")


def chunks_in(path: str | os.PathLike[str], *, may_be_empty: bool = False) -> Iterator[Chunk]:
    """The games of a file; an error if it is no PGN file."""
    name = os.fspath(path)
    return chunks_of(read_pieces(name), name, may_be_empty=may_be_empty)


def decoded(text: bytes) -> str:
    """UTF-8 text; bytes that are not UTF-8 are Latin-1."""
    return text.decode("utf-8", "tbgen-latin-1")
