"""PGN read line by line with regular expressions: the slow witness of the scanner.

A word in the moves that is neither a move nor a number nor a result is kept as a move: skipping it would falsify every
score after it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
TAG = re.compile(r'\[\s*([A-Za-z0-9_][A-Za-z0-9_+#=:-]*)\s+"(.*)"\s*\]\s*', re.ASCII)
NEW_GAME = re.compile(r'\[\s*Event\s+"', re.ASCII)
TOKEN = re.compile(r"[{}();]|\$[0-9]*|[^\s{}();$]+", re.ASCII)
NUMBER = re.compile(r"^[0-9]+\.+")
NO_MOVE = re.compile(r"(?!0[^0-9]|--$)[\x00-@\[-`{-\x7f]*|ep|e\.p\.|N")
"""Nothing but ASCII without letters, unless it may be castling with zeros or a null move; en passant; a novelty."""


@dataclass
class Movetext:
    """A game as it is written: tags, moves of the main line, result, and what is wrong with the writing."""

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    result: str | None = None
    problem: str | None = None


def movetexts(lines: Iterable[str]) -> Iterator[Movetext]:
    """The games as they are written, without playing them."""
    reader = Reader()
    for line in lines:
        yield from reader.read(line)
    yield from reader.finish()


def move_in(word: str) -> str:
    """The move that a word writes; empty if it writes none."""
    move = NUMBER.sub("", word, count=1).rstrip("!?")
    return "" if word in RESULTS or NO_MOVE.fullmatch(move) else move


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
            self.read_tag(line)
        elif not is_escape:
            yield from self.read_moves(line, 0)

    def finish(self) -> Iterator[Movetext]:
        """The game read so far, if there is one; the next begins."""
        game = self.game
        if self.in_comment or self.variations:
            game.problem = f"a {'comment' if self.in_comment else 'variation'} is not closed"
        self.game, self.in_comment, self.variations = Movetext(), False, 0
        if game.tags or game.moves or game.result:
            yield game

    def read_tag(self, line: str) -> None:
        match = TAG.fullmatch(line)
        if match is not None:
            name, value = match.groups()
            self.game.tags[name] = re.sub(r'\\(["\\])', r"\1", value)

    def after_comment(self, line: str, place: int) -> int:
        closing = line.find("}", place)
        self.in_comment = closing < 0
        return len(line) if closing < 0 else closing + 1

    def read_moves(self, line: str, place: int) -> Iterator[Movetext]:
        while match := TOKEN.search(line, place):
            token, place = match[0], match.end()
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
            self.game.result = word
            yield from self.finish()
        elif move := move_in(word):
            self.game.moves.append(move)
