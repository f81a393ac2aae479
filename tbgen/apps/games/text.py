"""PGN text as chunks of whole games; and a game's text: its tags, moves and result, and edits of it.

A result, or the tags of the next game, end a game. Comments, variations, annotation signs, lines that begin with `%`,
and a byte order mark at the start of a line, as in joined files, are ignored. White space and marks are ASCII alone:
other bytes are decoded with names and moves. `tests/reference/pgn.py` is a second copy of this grammar.

An edit inserts tags, a variation or comments. Every other byte stays as it is.
"""

from __future__ import annotations

import os
import re
import textwrap
from array import array
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from tbgen.apps.games.tags import LINE_WIDTH, MARK, OWN_TAGS
from tbgen.errors import PgnError
from tbgen.system.inputs import read_pieces

_LONG_GAME_BYTES = 1 << 20
"""Beyond this size, an unfinished game is scanned again only when it has doubled: rescanning would be quadratic."""
MOST_GAME_BYTES = 64 << 20
"""The longest game that is read, because an endless one must not take all memory."""
_LINE_ENDS = b"\r\n"
_RESULTS = (b"1-0", b"0-1", b"1/2-1/2", b"*")

_EVENT = re.compile(rb'\[[ \t\v\f]*Event[ \t\v\f]+"')
_PARTS = {
    b"LINE": rb"(?<![^\r\n]) (?:\xef\xbb\xbf)?",
    b"EVENT": _EVENT.pattern,
    b"BLANK": rb"[ \t\v\f]",
    b"WORD": rb"[^\s{}();$]",
}
_GRAMMAR = rb"""
    (?: [0-9]+ \.+ [ \t]* )? (?P<move> [a-hKQRBNO] [a-h1-8KQRBNOx=+\#-]+ ) [!?]* (?! WORD ) \s*
  | LINE (?P<tag>
      \[ BLANK* (?P<name> \w [\w+\#=:-]* ) BLANK+ " (?P<value> [^\r\n]* ) " BLANK* \] BLANK* (?: \r\n? | \n | \Z )
    )
  | LINE (?P<bracket> \[ [^\r\n]* )
  | LINE % [^\r\n]*
  | (?<![^\r\n]) \xef\xbb\xbf
  | (?P<comment> \{ [^}\[\xef]*+ (?: (?! LINE EVENT ) [\[\xef] [^}\[\xef]*+ )*+ \}? )
  | (?P<open> \( )
  | (?P<close> \) )
  | (?P<other> ; [^\r\n]* | \$ [0-9]* | \} )
  | (?= WORD ) (?: [0-9]+ \.+ )? (?P<word> WORD* )
"""
"""The tokens. What has no name is ignored; a comment that is not closed ends before the next Event tag."""
_TOKENS = re.compile(re.sub(rb"\b[A-Z]{4,5}\b", lambda name: _PARTS[name[0]], _GRAMMAR), re.VERBOSE)
_NO_MOVE = re.compile(rb"(?!0[^0-9]|--\Z)[\x00-@\[-`{-\x7f]*|ep|e\.p\.|N")
"""A number or an evaluation, but for castling that is written with zeros and a null move; `e.p.` and `N`."""
_ESCAPED = re.compile(r'\\(["\\])')
_OWN_NAMES = {name.encode() for name in OWN_TAGS}
_LINE_END = re.compile(rb"\r\n|\n|\r")
# A whole variation of tbgen's at the end of the moves. It has no brackets inside.
_OWN_VARIATION = re.compile(rb"(?:\r\n|\n|\r)\( \{tbgen:[^}]*\}[^()]*\)(?:\r\n|\n|\r)?\Z")
# A comment of `commented`; the comment of a variation of tbgen's stands behind its bracket.
_OWN_COMMENT = re.compile(rb"(?<!\() \{tbgen: [^}]*\}|(?<!\( )\{tbgen: [^}]*\} ")
_SIGNS = re.compile(rb"[!?+#]*(?:\s*\$[0-9]+)*")
"""The signs behind a move."""

Edit = tuple[int, int, bytes]
"""Start, end, and the replacement."""


class Chunk:
    """A text of whole games.

    `in_line` says whether it begins within a line, and `number` is that of its first game. Unless it is the last of its
    file, its last game may still go on.
    """

    def __init__(
        self, text: bytes, in_line: bool = False, number: int = 1, *, is_last: bool = True
    ) -> None:
        self.text, self.in_line, self.number = text, in_line, number
        self.games: list[GameText] = []
        self._scan(is_last=is_last)

    @property
    def end(self) -> int:
        """The end of the last game."""
        return self.games[-1].span.stop if self.games else 0

    def rest(self) -> bytes:
        """The text behind the last game."""
        return self.text[self.end :]

    def _scan(self, *, is_last: bool) -> None:
        """Find the games. If more text follows, the last line counts only with its line end."""
        text = self.text
        # A carriage return at the end may be half of a line end.
        stop = (
            len(text)
            if is_last
            else max(text.rfind(b"\n"), text.rfind(b"\r", 0, len(text) - 1)) + 1
        )
        game = GameText(self, self.number, slice(0, len(text)))
        for token in _TOKENS.finditer(text, 0, stop):
            kind = token.lastgroup
            if kind in ("tag", "bracket"):
                is_event = _EVENT.match(text, token.start(kind)) is not None
                is_next = is_event and any(line["name"] == b"Event" for line in game.tag_lines)
                if is_next or game.moves_at or game.problem:
                    game = self._finished(game, token.start())
                if kind == "tag":
                    game.tag_lines.append(token)
            elif kind is not None:
                game.last = token
                if game.text_at < 0:
                    game.text_at = token.start()
                if kind == "open":
                    game.depth += 1
                elif kind == "close":
                    game.depth = max(0, game.depth - 1)
                elif kind == "comment" and not token[0].endswith(b"}"):
                    game.problem = "a comment is not closed"
                elif kind == "move" and not game.depth:
                    game.moves_at.extend(token.span("move"))
                elif kind == "word" and not game.depth:
                    game = self._read_word(game, token)
        if is_last:
            self._finished(game, len(text))

    def _read_word(self, game: GameText, token: re.Match[bytes]) -> GameText:
        """Note the result or the move in a word; a result ends the game."""
        start, move = token.start("word"), token["word"].rstrip(b"!?")
        if token[0] in _RESULTS:
            game.result = token[0].decode()
            return self._finished(game, token.end())
        if not _NO_MOVE.fullmatch(move):
            game.moves_at.extend((start, start + len(move)))
        return game

    def _finished(self, game: GameText, end: int) -> GameText:
        """Keep a game that has tags, moves or a result, and begin the next one."""
        game.span = slice(game.span.start, end)
        if game.depth and game.problem is None:
            game.problem = "a variation is not closed"
        if game.tag_lines or game.moves_at or game.result:
            self.games.append(game)
        return GameText(self, self.number + len(self.games), slice(self.end, len(self.text)))


@dataclass(slots=True)
class GameText:
    """A game of a chunk as it is written, before anybody has played it."""

    chunk: Chunk
    number: int
    """The number of the game in its file, from 1."""
    span: slice
    """The game's slice of its chunk, including the text before it."""
    tag_lines: list[re.Match[bytes]] = field(default_factory=list)
    moves_at: array[int] = field(default_factory=partial(array, "q"))
    """Start and end of each move, without its number and signs."""
    result: str | None = None
    """The result that stands behind the moves."""
    text_at: int = -1
    """The place of the movetext; -1 without one."""
    last: re.Match[bytes] | None = None
    """The last token of the movetext, which is the result if there is one."""
    depth: int = 0
    """The variations that are not closed yet."""
    problem: str | None = None
    """The error of syntax, if there is one."""

    @property
    def tags(self) -> dict[str, str]:
        """The tags; if two have the same name, the last counts."""
        tags = {}
        for line in self.tag_lines:
            written = decoded(line["value"])
            tags[line["name"].decode()] = (
                _ESCAPED.sub(r"\1", written) if "\\" in written else written
            )
        return tags

    @property
    def moves(self) -> list[str]:
        """The moves as they are written."""
        offsets = zip(self.moves_at[::2], self.moves_at[1::2], strict=True)
        return [decoded(self.chunk.text[start:end]) for start, end in offsets]

    def tagged(self, tags: Mapping[str, str], line: str | None = None) -> bytes:
        """The text with r-mobility tags, and with tbgen's variation after the moves, in place of earlier ones.

        An empty `line` removes the present variation; None keeps it.
        """
        return self._edited(
            [*self._tag_edits(tags), *(() if line is None else self._line_edits(line))]
        )

    def commented(self, comments: Mapping[int, str]) -> bytes:
        """The text with comments behind some of its moves, which are numbered from 1; 0 is before them.

        They replace those of an earlier call.
        """
        text, begin, end = self.chunk.text, self.text_at, self.span.stop
        edits: list[Edit] = []
        if begin >= 0:
            edits += (
                (begin + old.start(), begin + old.end(), b"")
                for old in _OWN_COMMENT.finditer(text[begin:end])
            )
        for number, move_end in enumerate(self.moves_at[1::2], 1):
            if number in comments:
                signs = _SIGNS.match(text, move_end, end)
                behind = move_end if signs is None else signs.end()
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
        own = [line for line in self.tag_lines if line["name"] in _OWN_NAMES]
        others = [line for line in self.tag_lines if line["name"] not in _OWN_NAMES]
        results = [line for line in others if line["name"] == b"Result"]
        yield from ((*line.span("tag"), b"") for line in own)
        if not tags:
            return
        lines = [f'[{name} "{value}"]'.encode() for name, value in tags.items()]
        anchors = results or others or own[:1]
        if not anchors:
            behind = self.text_at
            line_end = _line_end_in(text)
            is_first = text[:behind] in (b"", BOM_UTF8) and not self.chunk.in_line
            is_ended = is_first or text[behind - 1 : behind] in (b"\n", b"\r")
            lines.append(b"")
        else:
            anchor = anchors[-1]
            behind = anchor.end("tag")
            line_end = _line_end_in(text, anchor.end("value"), behind)
            is_ended = (
                anchor in own or text[behind - 1] in _LINE_ENDS
            )  # tbgen's own line goes with its line end
        yield (
            behind,
            behind,
            (b"" if is_ended else line_end) + b"".join(line + line_end for line in lines),
        )

    def _line_edits(self, line: str) -> Iterator[Edit]:
        """Put a variation before the result, or after the moves, in place of the present one."""
        text, begin = self.chunk.text, self.text_at
        if self.last is None:
            return
        end = last = self.last.start() + (0 if self.result else len(self.last[0].rstrip()))
        if self.result is None and (following := _LINE_END.match(text, end)):
            last = following.end()
        old = _OWN_VARIATION.search(text[begin:last])
        line_end = _line_end_in(text)
        parts = textwrap.wrap(line, LINE_WIDTH, break_long_words=False, break_on_hyphens=False)
        new = line_end + line_end.join(part.encode() for part in parts) + line_end if line else b""
        first, behind = (end, end) if old is None else (begin + old.start(), begin + old.end())
        yield first, behind, new


def _line_end_in(text: bytes, start: int = 0, end: int | None = None) -> bytes:
    """The first line end in a part of a text, or else in the whole text, or else a newline."""
    found = _LINE_END.search(text, start, len(text) if end is None else end) or _LINE_END.search(
        text
    )
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
        elif chunk.games:
            chunk.text = chunk.text[: chunk.end]
            del read[: len(chunk.text)]
            yield chunk
            in_line, number = chunk.text[-1] not in _LINE_ENDS, number + len(chunk.games)
        wanted = 2 * len(read) if len(read) >= _LONG_GAME_BYTES else 0
        if len(read) > MOST_GAME_BYTES:
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
