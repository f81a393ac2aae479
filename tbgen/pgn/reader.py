"""Games in PGN files: read as a stream, exact about what is wrong with a game.

The reader is stricter than it has to be in one point: a word in the moves that is neither a move nor a
number nor a result is an error and not skipped, because a skipped move would falsify every score after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any, TypeVar

from tbgen.errors import MoveError, PgnError, TbgenError, UsageError
from tbgen.pgn.contradictions import contradictions
from tbgen.pgn.files import open_text
from tbgen.pgn.tags import GameTags, read_tags, winner_of
from tbgen.rules.fen import carried_into, parse_fen
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game, final_outcome
from tbgen.rules.notation import RESULTS, move_in
from tbgen.rules.points import Komi, Scheme, Scoring, points_facts
from tbgen.score import Outcome

_T = TypeVar("_T")

_TAG = re.compile(r'\[\s*([A-Za-z0-9_][A-Za-z0-9_+#=:-]*)\s+"(.*)"\s*\]\s*')
_NEW_GAME = re.compile(r'\[\s*Event\s+"')
_TOKEN = re.compile(r"[{}();]|\$[0-9]*|[^\s{}();$]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19]")
_CHESS960 = {"chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random"}
_ORDINARY = {"", "?", "standard", "chess", "classical", "normal", "from position"}


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


@dataclass(frozen=True, slots=True)
class PgnGame:
    """A game that was read and played through; `number` counts from 1 in its file."""

    number: int
    tags: dict[str, str]
    result: str
    game: Game
    scoring: Scoring
    warnings: tuple[str, ...] = ()
    """What its tags say against its moves, and moves after its end."""

    @property
    def final(self) -> Outcome:
        """What the game is scored with: a decisive result counts as mate."""
        return final_outcome(self.game.accrued, winner_of(self.result))

    @property
    def end(self) -> str:
        """Why the game ended: by the rules at its last ply, or else what its Termination tag says."""
        if self.game.last.end is not None:
            return self.game.last.end.value
        if "Termination" in self.tags:
            return self.tags["Termination"]
        return "unterminated" if self.result == "*" else "normal"

    def facts(self, *, moves: bool = True) -> dict[str, Any]:
        """The game as JSON has it, with the points for its final score under its own scheme."""
        game, tags = self.game, self.tags
        facts = {
            "number": self.number,
            **{name.lower(): tags.get(name, "?") for name in ("Event", "Round", "White", "Black")},
            "result": self.result,
            "plies": game.last.number,
            "fen": game.position().fen(),
            "accrued": str(game.accrued),
            "reached_at_ply": game.last.since,
            "final": str(self.final),
            "end": self.end,
            "points": points_facts(self.scoring.points(self.final)),
            "scoring": self.scoring.scheme.value,
            "warnings": list(self.warnings),
        }
        return {**facts, "moves": [ply.facts() for ply in game.plies]} if moves else facts


@dataclass(frozen=True, slots=True)
class Settings:
    """How games are to be scored; what is None is taken from a game's tags, and then from the defaults."""

    scheme: Scheme | None = None
    cutoff_code: int | None = None
    komi: Komi | None = None
    fifty_moves: FiftyMoveSetting | None = None

    def scoring(self, tags: GameTags) -> Scoring:
        plain = Scoring()
        return Scoring(
            _first(self.scheme, tags.scheme, plain.scheme),
            _first(self.cutoff_code, tags.cutoff_code, plain.cutoff_code),
            _first(self.komi, tags.komi, plain.komi),
        )

    def fifty_moves_of(self, tags: GameTags) -> FiftyMoves:
        setting = _first(self.fifty_moves, tags.fifty_moves, FiftyMoveSetting.RESET)
        return FiftyMoves(setting, self.scoring(tags).cutoff_code)


def _first(given: _T | None, tagged: _T | None, default: _T) -> _T:
    if given is not None:
        return given
    return default if tagged is None else tagged


def read_games(path: str, settings: Settings | None = None) -> Iterator[PgnGame | PgnError]:
    """Every game of a file in turn, or the error that is in its place.

    `-` is the standard input. Files packed by gzip, bzip2, xz or zstd are read as they are.
    """
    with open_text(path) as file:
        yield from games_in(file, path, settings)


def games_in(
    file: IO[str] | Iterable[str], name: str, settings: Settings | None = None
) -> Iterator[PgnGame | PgnError]:
    """Every game of an open file, or the error that is in its place; no game at all is raised."""
    rule = Settings() if settings is None else settings
    number = 0
    for number, movetext in enumerate(movetexts(file, name), start=1):
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
    variant = tags.get("Variant", "").lower()
    if variant not in _CHESS960 | _ORDINARY:
        raise UsageError(f"no rules for the variant {tags['Variant']!r}")
    known = read_tags(tags)
    fen = tags.get("FEN", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    board, accrued = parse_fen(fen, chess960=variant in _CHESS960)
    if accrued is None and known.accrued is not None:
        accrued = carried_into(board, known.accrued)
    game = Game(board, accrued=accrued, fifty_moves=settings.fifty_moves_of(known))
    for move in movetext.moves:
        game.push_text(move)
    if movetext.problem is not None:
        raise UsageError(movetext.problem)
    result = tags.get("Result", movetext.result or "*")
    warnings = tuple(contradictions(tags, movetext.result, game, Settings().scoring(known)))
    return PgnGame(number, tags, result, game, settings.scoring(known), warnings)


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
