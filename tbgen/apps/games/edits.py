"""Tags and comments put into games' texts, where every other byte stays; several files as one."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from re import Match
from typing import IO

from tbgen.apps.games.tags import OWN_TAGS
from tbgen.apps.games.text import LINE_END, SIGNS, Chunk, GameText
from tbgen.errors import PgnError

_OWN_NAMES = {name.encode() for name in OWN_TAGS}
_LINE_ENDS = (b"\n", b"\r")
_MARK = "tbgen:"
"""The beginning of tbgen's comments."""
# A comment of `commented`.
_OWN_COMMENT = re.compile(rb" \{tbgen: [^}]*\}|\{tbgen: [^}]*\} ")
_LAST_LINE_ENDS = re.compile(rb"(?:\r\n|\n|\r){1,2}\Z")

Edit = tuple[int, int, bytes]
"""Start, end, and the replacement."""


def tagged(game: GameText, tags: Mapping[str, str]) -> bytes:
    """A game's text with r-mobility tags in place of earlier ones."""
    return _edited(game, _tag_edits(game, tags))


def commented(game: GameText, comments: Mapping[int, str]) -> bytes:
    """A game's text with comments behind some of its moves, which are numbered from 1; 0 is before
    them.

    They replace those of an earlier call.
    """
    text = game.chunk.text
    begin = game.text_at
    end = game.span.stop
    edits = list[Edit]()
    if begin >= 0:
        for old in _OWN_COMMENT.finditer(text[begin:end]):
            edits.append((begin + old.start(), begin + old.end(), b""))
    for number, move_end in enumerate(game.moves_at[1::2], 1):
        if number in comments:
            signs = SIGNS.match(text, move_end, end)
            behind = move_end if signs is None else signs.end()
            edits.append((behind, behind, f" {{{_MARK} {comments[number]}}}".encode()))
    if 0 in comments and begin >= 0:
        edits.append((begin, begin, f"{{{_MARK} {comments[0]}}} ".encode()))
    return _edited(game, edits)


def _edited(game: GameText, edits: Iterable[Edit]) -> bytes:
    text = game.chunk.text
    pieces = list[bytes]()
    done = game.span.start
    for first, last, new in sorted(edits):
        pieces.append(text[done:first])
        pieces.append(new)
        done = last
    pieces.append(text[done : game.span.stop])
    return b"".join(pieces)


def _tag_edits(game: GameText, tags: Mapping[str, str]) -> Iterator[Edit]:
    """Replace tbgen's tags: new ones go after the Result tag, else after the last tag, else before
    the moves.

    The last tag is one of others, if there are any.
    """
    own = list[Match[bytes]]()
    others = list[Match[bytes]]()
    results = list[Match[bytes]]()
    for line in game.tag_lines:
        if line["name"] in _OWN_NAMES:
            own.append(line)
            yield (line.start("tag"), line.end("tag"), b"")
        else:
            others.append(line)
        if line["name"] == b"Result":
            results.append(line)
    if not tags:
        return
    anchors = results or others or own[:1]
    if not anchors:
        yield _tags_before_moves(game, tags)
        return
    text = game.chunk.text
    anchor = anchors[-1]
    behind = anchor.end("tag")
    line_end = _line_end_in(text, anchor.end("value"), behind)
    new = _tag_lines(tags, line_end)
    # A tag of tbgen's goes with its line end, so the new ones begin a line.
    is_ended = anchor in own or text[behind - 1 : behind] in _LINE_ENDS
    yield (behind, behind, new if is_ended else line_end + new)


def _tag_lines(tags: Mapping[str, str], line_end: bytes) -> bytes:
    lines = b""
    for name, value in tags.items():
        lines += f'[{name} "{value}"]'.encode() + line_end
    return lines


def _tags_before_moves(game: GameText, tags: Mapping[str, str]) -> Edit:
    """The first tags of a game, with an empty line after them."""
    text = game.chunk.text
    behind = game.text_at
    line_end = _line_end_in(text)
    new = _tag_lines(tags, line_end) + line_end
    is_first = text[:behind] in (b"", BOM_UTF8) and not game.chunk.in_line
    is_ended = is_first or text[behind - 1 : behind] in _LINE_ENDS
    return (behind, behind, new if is_ended else line_end + new)


def _line_end_in(text: bytes, start: int = 0, end: int | None = None) -> bytes:
    """The first line end in a part of a text, or else in the whole text, or else a newline."""
    line_end = LINE_END.search(text, start, len(text) if end is None else end)
    if line_end is None:
        line_end = LINE_END.search(text)
    return b"\n" if line_end is None else line_end[0]


class JoinedGames:
    """One file for the games of several.

    A file may end within a line, or within a comment that is not closed. An empty line keeps the
    next file apart from it. PgnError if even so the two would not be read as they are alone.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._name = ""
        self._last = b""
        """The last text of the file that is being written, with its last game."""
        self._before: tuple[str, bytes] | None = None
        """The name and the last text of the file before, until text of this one is there."""

    def begin(self, name: str) -> None:
        """The texts from now on are those of another file."""
        if self._last:
            self._before = (self._name, self._last)
        self._name = name
        self._last = b""

    def write(self, text: bytes) -> None:
        """Write the next text of a file: whole games, and whatever stands behind them."""
        if not text:
            return
        if self._before is not None:
            self._file.write(self._between(*self._before, text))
            self._before = None
        self._file.write(text)
        self._last = text

    def _between(self, name: str, before: bytes, text: bytes) -> bytes:
        """What keeps a text apart from the end of the file before."""
        gap = _empty_line_after(before)
        apart = [*_games_of(before), *_games_of(text)]
        if _games_of(before + gap + text) != apart:
            raise PgnError(
                name,
                "it is cut off at its end, so no game can follow it in the same file; "
                f"name it behind {self._name}",
            )
        return gap


def _empty_line_after(text: bytes) -> bytes:
    """The line ends that a text lacks to end with an empty line."""
    first = LINE_END.search(text)
    line_end = b"\n" if first is None else first[0]
    last = _LAST_LINE_ENDS.search(text[-2 * len(b"\r\n") :])
    present = 0 if last is None else len(LINE_END.findall(last[0]))
    return (2 - present) * line_end


def _games_of(text: bytes) -> list[object]:
    """All that a reader learns of each game in a text."""
    return [(game.tags, game.moves, game.result, game.problem) for game in Chunk(text).games]
