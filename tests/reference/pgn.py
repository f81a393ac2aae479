"""PGN read line by line with regular expressions: the slow witness of the scanner.

A word in the moves that is neither a move nor a number nor a result is kept as a move: skipping it
would falsify every score after it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

RESULTS = {
    "1-0": "1-0",
    "0-1": "0-1",
    "1/2-1/2": "1/2-1/2",
    "1/2-0": "1/2-0",
    "0-1/2": "0-1/2",
    "*": "*",
    "½-½": "1/2-1/2",
    "½-0": "1/2-0",
    "0-½": "0-1/2",
}
"""[result as it is written] -> result"""
NAME = r"[A-Za-z0-9_][A-Za-z0-9_+#=:-]*"
WHOLE_LINE = re.compile(rf'\[\s*({NAME})\s+"(.*)"\s*\]\s*', re.ASCII)
TAG = re.compile(rf'\[\s*({NAME})\s+"((?:[^\\]|\\.)*?)"\s*\]\s*(?=\Z|\[\s*{NAME}\s+")', re.ASCII)
TAG_END = re.compile(r'"\s*\]', re.ASCII)
CUT_OFF = (
    "its moves end without a result; perhaps the file was cut off (otherwise write * behind them)"
)
NEW_GAME = re.compile(r'\[\s*Event\s+"', re.ASCII)
TOKEN = re.compile(r"[{}();]|\$[0-9]*|[^\s{}();$]+", re.ASCII)
NUMBER = re.compile(r"^[0-9]+\.+")
NO_MOVE = re.compile(r"(?!0[^0-9]|--$)[\x00-@\[-`{-\x7f]*|ep|e\.p\.|N")
"""Words that are no moves: ASCII without letters, signs of en passant, and a novelty.

Without letters, castling with zeros and a null move are moves nevertheless.
"""
LONGEST_QUOTE = 40


@dataclass
class Movetext:
    """A game as it is written."""

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    """Those of the main line."""
    result: str | None = None
    problem: str | None = None
    """What is wrong with the writing."""


def movetexts(lines: Iterable[str]) -> Iterator[Movetext]:
    """The games as they are written, without playing them."""
    reader = Reader()
    for line in lines:
        yield from reader.read(line)
    yield from reader.finish()


def move_in(word: str) -> str:
    """The move that a word writes; empty if it writes none."""
    move = NUMBER.sub("", word, count=1).rstrip("!?")
    if word in RESULTS or NO_MOVE.fullmatch(move):
        return ""
    return move


class Reader:
    """Cuts lines into games: a result or the tags of the next game end a game."""

    def __init__(self) -> None:
        self.game = Movetext()
        self.in_comment = False
        self.variations = 0

    def read(self, line: str) -> Iterator[Movetext]:
        line = line.removeprefix("\ufeff")
        starts_game = NEW_GAME.match(line) is not None
        is_escape = line.startswith("%") and not self.in_comment
        if self.in_comment and not starts_game:
            yield from self.read_moves(line, self.after_comment(line, 0))
        elif line.startswith("["):
            if self.game.moves or self.in_comment or (starts_game and "Event" in self.game.tags):
                yield from self.finish()
            self.read_tags(line)
        elif not is_escape:
            yield from self.read_moves(line, 0)

    def finish(self) -> Iterator[Movetext]:
        """The game read so far, if there is one; the next begins."""
        game = self.game
        if self.in_comment:
            self.note("a comment is not closed")
        elif self.variations:
            self.note("a variation is not closed")
        is_lost_by_both = game.tags.get("Result", "").strip() == "0-0"
        if is_lost_by_both and game.moves and game.moves[-1] == "0-0":
            game.moves.pop()  # it is the result, not castling
            game.result = "0-0"
        if game.result is None and (game.tags or game.moves):
            self.note(CUT_OFF)
        self.game = Movetext()
        self.in_comment = False
        self.variations = 0
        if game.tags or game.moves or game.result or game.problem:
            yield game

    def note(self, problem: str) -> None:
        """Keep the first problem of a game."""
        self.game.problem = self.game.problem or problem

    def read_tags(self, line: str) -> None:
        """The tags of a line, which holds nothing but tags."""
        line = line.rstrip("\r\n")
        if not WHOLE_LINE.fullmatch(line):
            self.note_line(line)
            return
        for name, value in TAG.findall(line) or WHOLE_LINE.findall(line):
            self.game.tags[name] = re.sub(r'\\(["\\])', r"\1", value)
            if TAG_END.search(re.sub(r"\\.", "", value)):
                self.note_line(line)

    def note_line(self, line: str) -> None:
        quoted = line.rstrip(" \t\v\f")
        if len(quoted) > LONGEST_QUOTE:
            quoted = quoted[:LONGEST_QUOTE] + "…"
        self.note(f"{quoted!r} is no tag: it is not closed, or was cut off")

    def after_comment(self, line: str, place: int) -> int:
        """Where a line goes on after a comment; at its end if the comment does not end there."""
        closing = line.find("}", place)
        self.in_comment = closing < 0
        if self.in_comment:
            return len(line)
        return closing + 1

    def read_moves(self, line: str, place: int) -> Iterator[Movetext]:
        while match := TOKEN.search(line, place):
            token = match[0]
            place = match.end()
            if token == ";":
                return
            if token == "{":
                place = self.after_comment(line, place)
            elif token == "(":
                self.variations += 1
            elif token == ")":
                self.variations = max(0, self.variations - 1)
            elif not self.variations and token[0] not in "$}":
                yield from self.read_word(token)

    def read_word(self, word: str) -> Iterator[Movetext]:
        if word in RESULTS:
            self.game.result = RESULTS[word]
            yield from self.finish()
            return
        move = move_in(word)
        if move:
            self.game.moves.append(move)
