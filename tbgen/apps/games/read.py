"""Reads the games of PGN files as a stream, and reports exactly what is wrong with a game.

Kernels find and replay the games; python-chess reads only the moves that kernels cannot.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import chess
import numpy as np

from tbgen.apps.games.contradictions import contradictions
from tbgen.apps.games.results import (
    SHEET_POINTS,
    SPLIT_RESULTS,
    UNFINISHED,
    final_of,
    result_of,
    winner_of,
)
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import read_tags, root_of, says_fifty_moves
from tbgen.apps.games.text import GameText, chunks_of, decoded
from tbgen.compiled.arrays import Words
from tbgen.errors import MoveError, PgnError, TbgenError, UsageError, expect
from tbgen.facts import plain
from tbgen.rules.game import FiftyMoves, Game
from tbgen.rules.notation import parse_one
from tbgen.rules.points import DRAW, Points, Scoring, points_facts
from tbgen.rules.position import first_accrued, is_standard
from tbgen.rules.stage import ON_THE_BOARD, End, FiftyMoveSetting, Ply, first_ply, next_ply
from tbgen.score import Color, Mobility, Score
from tbgen.system.inputs import read_pieces

StopIfLate = Callable[[], None]
"""Called again and again during a long task, which it stops by an error."""


@dataclass(frozen=True)
class PgnGame:
    """A game that was read and played through; `number` counts from 1 in its file."""

    file: str
    number: int
    tags: dict[str, str]
    result: str
    last: Ply
    """The last ply; its move is in `replayed`."""
    scoring: Scoring
    fifty_moves: FiftyMoves
    warnings: tuple[str, ...]
    """Contradictions between tags and moves, and moves after the end."""
    position: Callable[[], chess.Board] = field(repr=False, compare=False)
    """Makes a board of the last position, without moves; its clock is that of the game's fifty-move
    rule.
    """
    _game: Callable[[], Game] = field(repr=False, compare=False)

    @cached_property
    def replayed(self) -> Game:
        """The game ply by ply; played again by python-chess when it is asked for."""
        return self._game()

    @property
    def is_played(self) -> bool:
        """Whether the game has moves, or began from a position of its own.

        Else it is a bye, or a draw that was agreed before the first move.
        """
        return self.last.number > 0 or "FEN" in self.tags

    @property
    def counts_by_sheet(self) -> bool:
        """Whether no score expresses the result, so that the score sheet counts."""
        if self.last.end in ON_THE_BOARD:
            return False
        is_drawn = winner_of(self.result) is None
        return self.result in SPLIT_RESULTS or (is_drawn and not self.is_played)

    @property
    def final(self) -> Score | None:
        """The final score of the game; None if the score sheet counts.

        A decisive result counts as mate, unless the board decides.
        """
        return None if self.counts_by_sheet else final_of(self.last, self.result)

    @property
    def points(self) -> Points:
        """White's and Black's points: for the final score, or else those of the score sheet."""
        if self.final is None:
            return SHEET_POINTS.get(self.result, (DRAW, DRAW))
        return self.scoring.points(self.final)

    @property
    def end(self) -> str:
        """The rule that ended the game at its last ply, or else the text of its Termination tag."""
        if self.last.end is not None:
            return self.last.end.value
        default = "unterminated" if self.result == UNFINISHED else "normal"
        return self.tags.get("Termination", default)

    @property
    def heading(self) -> dict[str, Any]:
        """The keys that name the game in JSON: its number, and tags by names in lower case."""
        heading: dict[str, Any] = {"file": self.file, "number": self.number}
        for name in ("Event", "Round", "White", "Black"):
            heading[name.lower()] = self.tags.get(name, "?")
        heading["result"] = self.result
        return heading

    def facts(self, *, plies: bool = True) -> dict[str, Any]:
        """The game as JSON has it, with the points for its final score under its own scheme."""
        facts: dict[str, Any] = plain(
            {
                **self.heading,
                "ply_count": self.last.number,
                "fen": self.position().fen(),
                "accrued": self.last.accrued,
                "reached_at_ply": self.last.since,
                "final": self.final,
                "end": self.end,
                "points": points_facts(self.points),
                "scoring": self.scoring.scheme,
                "warnings": self.warnings,
            }
        )
        if plies:
            facts["plies"] = [ply.facts() for ply in self.replayed.plies]
        return facts


def read_games(
    path: str | os.PathLike[str], rules: Rules | None = None
) -> Iterator[PgnGame | PgnError]:
    """Read the games of a PGN file, one after another.

    Arguments:
        path: The file; `-` for the standard input. It may be packed by gzip, bzip2, xz or zstd.
        rules: How to score games. Without it, the tags of each game decide.

    Returns:
        An iterator. A `PgnError` takes the place of an unreadable game.

    Raises:
        UnreadableFileError: The file cannot be opened.
        InputFileError: The file is no text, or holds no games.
        UsageError: The path is no path.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "games.pgn")
    ...     _ = path.write_text("1. f3 e5 2. g4 Qh4# 0-1")
    ...     [str(game.final) for game in read_games(path)]
    ['-G0.0']
    """
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"path must be the path of a PGN file, not {path!r}")
    name = os.fspath(path)
    return _games(read_pieces(name), name, rules)


def games_in(
    lines: str | Iterable[str],
    name: str = "PGN",
    rules: Rules | None = None,
    check: StopIfLate | None = None,
) -> Iterator[PgnGame | PgnError]:
    """Every game of a text or its lines, or the error that is in its place; PgnError is raised if
    there is no game.

    Errors call the text by `name`. A game of a variant can take minutes, because python-chess plays
    it. `check` is called before each of its moves, and may raise an error that stops the reading.

    >>> [str(game.final) for game in games_in("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0")]
    ['G0.0']
    """
    given = [lines] if isinstance(lines, str) else lines
    return _games(_pieces_of(given), name, rules, check)


def _pieces_of(lines: Iterable[str]) -> Iterator[bytes]:
    """Lines as bytes of a file, each with its line end."""
    for line in lines:
        whole = line if line.endswith(("\n", "\r")) else f"{line}\n"
        yield whole.encode("utf-8", "replace")


def _games(
    pieces: Iterable[bytes], name: str, rules: Rules | None, check: StopIfLate | None = None
) -> Iterator[PgnGame | PgnError]:
    if rules is None:
        rules = Rules()
    expect(rules, Rules, "rules", "Rules such as Rules()")
    texts = chain.from_iterable(chunk.games for chunk in chunks_of(pieces, name))
    return (game_of(text, name, rules, check) for text in texts)


def game_of(
    text: GameText, name: str, rules: Rules, check: StopIfLate | None = None
) -> PgnGame | PgnError:
    """A game of a file, or the error in its place; `check` as in `games_in`."""
    try:
        return _replayed_game(text, name, rules, check)
    except MoveError as error:
        return PgnError(name, error.said, number=text.number, ply=error.ply)
    except TbgenError as error:
        return PgnError(name, str(error), number=text.number)


def _replayed_game(text: GameText, name: str, rules: Rules, check: StopIfLate | None) -> PgnGame:
    tags = text.tags
    known = read_tags(tags)
    result = result_of(tags, text.result)
    root = _root(tags.get("FEN"), tags.get("Variant"), known.accrued, rules.mobility)
    fifty_moves = rules.fifty(known)
    if is_standard(root.board):
        facts, words = _replayed(text, root.board)
        _expect_no_problem(text)
        course = _course_of(root, facts, fifty_moves, rules.mobility)
        names_a_rule = rules.fifty_moves is not None or known.fifty_moves is not None
        if course.last.end is None and not names_a_rule and says_fifty_moves(tags):
            # The event may know no rule but FIDE's.
            by_fide = FiftyMoves(FiftyMoveSetting.FIDE)
            course_by_fide = _course_of(root, facts, by_fide, rules.mobility)
            if course_by_fide.last.end is End.FIFTY_MOVES:
                course = course_by_fide
        position: Callable[[], chess.Board] = partial(_last_board, root.board, words, course.last)
    else:
        # The kernels know no variants.
        _expect_no_problem(text)
        game = _game_by_python_chess(root, fifty_moves, rules.mobility, text, check)
        course = _Course(game.last, game.ended, fifty_moves)
        position = game.position
    return PgnGame(
        file=name,
        number=text.number,
        tags=tags,
        result=result,
        last=course.last,
        scoring=rules.scoring(known),
        fifty_moves=course.fifty_moves,
        warnings=tuple(contradictions(tags, known, text.result, course.last, course.ended)),
        position=position,
        _game=partial(_game_by_python_chess, root, course.fifty_moves, rules.mobility, text),
    )


def _expect_no_problem(text: GameText) -> None:
    if text.problem is not None:
        raise UsageError(text.problem)


class _Root(NamedTuple):
    """The first position of a game."""

    board: chess.Board
    carried: Score | None
    """Its accrued score, if it has one."""


@lru_cache(maxsize=1024)
def _root(fen: str | None, variant: str | None, accrued: Score | None, mobility: Mobility) -> _Root:
    return _Root(*root_of(fen, variant, accrued, mobility))


def _replayed(text: GameText, first: chess.Board) -> tuple[list[list[int]], Words]:
    """The columns of `board.replay` for every ply of a game, and its last position as kernels
    read it.

    A word that the kernel cannot read may still be a move in another spelling.
    """
    # These load the compiler, which a command without games does not need.
    from tbgen.board.board import NO_MOVE, board_of, kernel_move, words_of
    from tbgen.board.replay import FACTS, HISTORY_WORDS, replay

    board = words_of(first)
    data = np.frombuffer(text.chunk.text, np.uint8)
    spans = np.array(text.moves_at).reshape(-1, 2)
    rows = len(spans) + 1
    history = np.empty((rows, HISTORY_WORDS), np.uint64)
    facts = np.empty((rows, FACTS), np.int64)
    plies = int(replay(data, spans, board, history, facts, 0, NO_MOVE))
    while plies < len(spans):
        start, end = spans[plies].tolist()
        before = board_of(board)
        move = parse_one(before, decoded(text.chunk.text[start:end]), plies + 1)
        plies = int(replay(data, spans, board, history, facts, plies, kernel_move(before, move)))
    return facts.tolist(), board


class _Course(NamedTuple):
    """How a game went under a fifty-move rule."""

    last: Ply
    ended: Ply | None
    """The first ply at which the game was over."""
    fifty_moves: FiftyMoves


def _course_of(
    root: _Root, facts: list[list[int]], fifty_moves: FiftyMoves, mobility: Mobility
) -> _Course:
    """The course of a game by the columns of `board.replay` for every ply."""
    code, _, bare, _ = facts[0]
    own = Score(code, Color.of(not root.board.turn))
    accrued = first_accrued(root.board, own, root.carried, mobility, fifty_moves)
    ply = first_ply(own, accrued, root.board.halfmove_clock, bare, fifty_moves)
    ended = ply if ply.end is not None else None
    for code, reset, bare, seen in facts[1:]:
        ply = next_ply(ply, code, reset, bare, seen, fifty_moves, mobility)
        if ended is None and ply.end is not None:
            ended = ply
    return _Course(ply, ended, fifty_moves)


def _last_board(root: chess.Board, words: Words, last: Ply) -> chess.Board:
    from tbgen.board.board import board_of

    board = board_of(words)
    plies_since_white = last.number + (root.turn == chess.BLACK)
    board.fullmove_number = root.fullmove_number + plies_since_white // 2
    board.halfmove_clock = last.counter
    return board


def _game_by_python_chess(
    root: _Root,
    fifty_moves: FiftyMoves,
    mobility: Mobility,
    text: GameText,
    check: StopIfLate | None = None,
) -> Game:
    game = Game(root.board, accrued=root.carried, fifty_moves=fifty_moves, mobility=mobility)
    # Each move is one word of the file; `push_line` would split some of them again.
    for move in text.moves:
        if check is not None:
            check()
        game.push_text(move)
    return game
