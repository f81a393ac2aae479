"""PGN read line by line and played by python-chess: what the compiled reader is held against.

The reader is stricter than it has to be in one point: a word in the moves that is neither a move nor a
number nor a result is an error and not skipped, because a skipped move would falsify every score after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tbgen.arguments import expect
from tbgen.errors import MoveError, PgnError, TbgenError, UsageError
from tbgen.pgn.contradictions import contradictions
from tbgen.pgn.game import PgnGame, Settings, root_of
from tbgen.pgn.tags import read_tags
from tbgen.rules.game import Game
from tbgen.rules.notation import RESULTS, move_in

_TAG = re.compile(r'\[\s*([A-Za-z0-9_][A-Za-z0-9_+#=:-]*)\s+"(.*)"\s*\]\s*', re.ASCII)
_NEW_GAME = re.compile(r'\[\s*Event\s+"', re.ASCII)
_TOKEN = re.compile(r"[{}();]|\$[0-9]*|[^\s{}();$]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19]")


@dataclass(slots=True)
class Movetext:
    """A game as it is written: tags, moves of the main line, result, and what is wrong with the writing."""

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    result: str | None = None
    problem: str | None = None

    @property
    def is_empty(self) -> bool:
        return not (self.tags or self.moves or self.result)


def games_in(
    lines: str | Iterable[str], name: str = "PGN", settings: Settings | None = None
) -> Iterator[PgnGame | PgnError]:
    """Every game of a text or its lines, or the error that is in its place, called by `name`; no game at all is raised.

    >>> [str(game.final) for game in games_in("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0")]
    ['G0.0']
    """
    rule = Settings() if settings is None else expect(settings, Settings, "settings", "Settings such as Settings()")
    lines = lines.splitlines(keepends=True) if isinstance(lines, str) else lines
    number = 0
    for number, movetext in enumerate(movetexts(lines, name), start=1):
        try:
            yield _played(movetext, number, rule)
        except MoveError as error:
            yield PgnError(name, f"{error.reason} {error.move!r}", game=number, ply=error.ply)
        except TbgenError as error:
            yield PgnError(name, str(error), game=number)
    if number == 0:
        raise PgnError(name, "it holds no games")


def _played(movetext: Movetext, number: int, settings: Settings) -> PgnGame:
    tags = movetext.tags
    known = read_tags(tags)
    board, accrued = root_of(tags, known)
    game = Game(board, accrued=accrued, fifty_moves=settings.fifty_moves_of(known))
    for move in movetext.moves:
        game.push_text(move)
    if movetext.problem is not None:
        raise UsageError(movetext.problem)
    result = tags.get("Result", movetext.result or "*")
    last, ended = game.stage, game.ended_stage
    warnings = tuple(contradictions(tags, movetext.result, last, ended, Settings().scoring(known)))
    scoring, men = settings.scoring(known), game.board.occupied.bit_count()
    return PgnGame(number, tags, result, last, ended, scoring, warnings, men, game.position, lambda: game)


def movetexts(lines: Iterable[str], name: str) -> Iterator[Movetext]:
    """The games as they are written, without playing them."""
    reader = _Reader()
    for line in lines:
        if _CONTROL.search(line):
            raise PgnError(name, "this is a binary file, not PGN")
        yield from reader.read(line)
    yield from reader.finish()


class _Reader:
    """Cuts lines into games: a result or the tags of the next game end a game."""

    def __init__(self) -> None:
        self.game = Movetext()
        self.in_comment = False
        self.variations = 0

    def read(self, line: str) -> Iterator[Movetext]:
        starts_game = _NEW_GAME.match(line) is not None
        if self.in_comment and not starts_game:
            yield from self._read_moves(line, self._after_comment(line, 0))
        elif line.startswith("["):
            if self.game.moves or self.in_comment or (starts_game and "Event" in self.game.tags):
                yield from self.finish()
            self._read_tag(line)
        elif not line.startswith("%"):
            yield from self._read_moves(line, 0)

    def finish(self) -> Iterator[Movetext]:
        """The game read so far, if there is one; the next begins."""
        game = self.game
        if self.in_comment or self.variations:
            game.problem = f"a {'comment' if self.in_comment else 'variation'} is not closed"
        self.game, self.in_comment, self.variations = Movetext(), False, 0
        if not game.is_empty:
            yield game

    def _read_tag(self, line: str) -> None:
        match = _TAG.fullmatch(line)
        if match is not None:
            name, value = match.groups()
            self.game.tags[name] = re.sub(r'\\(["\\])', r"\1", value)

    def _after_comment(self, line: str, place: int) -> int:
        closing = line.find("}", place)
        self.in_comment = closing < 0
        return len(line) if closing < 0 else closing + 1

    def _read_moves(self, line: str, place: int) -> Iterator[Movetext]:
        while match := _TOKEN.search(line, place):
            token, place = match[0], match.end()
            if token == ";":
                return
            if token == "{":
                place = self._after_comment(line, place)
            elif token == "(":
                self.variations += 1
            elif token == ")":
                self.variations = max(0, self.variations - 1)
            elif not self.variations and token[0] not in "$}":
                yield from self._read_word(token)

    def _read_word(self, word: str) -> Iterator[Movetext]:
        if word in RESULTS:
            self.game.result = RESULTS[word]
            yield from self.finish()
        elif move := move_in(word):
            self.game.moves.append(move)
