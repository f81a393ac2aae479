"""Reads the games of PGN files as a stream, and reports exactly what is wrong with a game.

Kernels find and replay the games; python-chess reads only the moves that kernels cannot.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

import chess
import numpy as np

from tbgen.apps.games.results import UNFINISHED, result_of
from tbgen.apps.games.tags import (
    Rules,
    contradictions,
    final_of,
    read_tags,
    root_of,
    says_fifty_moves,
)
from tbgen.apps.games.text import GameText, chunks_of, decoded
from tbgen.board.board import NO_MOVE, board_of, kernel_move, words_of
from tbgen.board.replay import FACTS, HISTORY_WORDS, replay
from tbgen.compiled.arrays import Words
from tbgen.errors import MoveError, PgnError, TbgenError, UsageError, expect
from tbgen.facts import plain
from tbgen.rules.game import FiftyMoves, Game
from tbgen.rules.notation import parse_one
from tbgen.rules.points import Scoring, points_facts
from tbgen.rules.position import first_accrued, is_standard
from tbgen.rules.stage import End, FiftyMoveSetting, Ply, first_ply, next_ply
from tbgen.score import Color, Mobility, Score
from tbgen.system.inputs import read_pieces


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
    """Makes a board of the last position, without moves; its clock is that of the game's fifty-move rule."""
    _game: Callable[[], Game] = field(repr=False, compare=False)

    @cached_property
    def replayed(self) -> Game:
        """The game ply by ply; played again by python-chess when it is asked for."""
        return self._game()

    @property
    def final(self) -> Score:
        """The final score of the game. A decisive result counts as mate, unless the board decides."""
        return final_of(self.last, self.result)

    @property
    def end(self) -> str:
        """The rule that ended the game at its last ply, or else the text of its Termination tag."""
        said = self.tags.get(
            "Termination", "unterminated" if self.result == UNFINISHED else "normal"
        )
        return said if self.last.end is None else self.last.end.value

    @property
    def heading(self) -> dict[str, Any]:
        """The keys that name the game in JSON: its number, and tags by their names in lower case."""
        tags = {
            name.lower(): self.tags.get(name, "?") for name in ("Event", "Round", "White", "Black")
        }
        return {"file": self.file, "number": self.number, **tags, "result": self.result}

    def facts(self, *, plies: bool = True) -> dict[str, Any]:
        """The game as JSON has it, with the points for its final score under its own scheme."""
        last = self.last
        facts: dict[str, Any] = plain(
            {
                **self.heading,
                "ply_count": last.number,
                "fen": self.position().fen(),
                "accrued": last.accrued,
                "reached_at_ply": last.since,
                "final": self.final,
                "end": self.end,
                "points": points_facts(self.scoring.points(self.final)),
                "scoring": self.scoring.scheme,
                "warnings": self.warnings,
            }
        )
        return {**facts, "plies": [ply.facts() for ply in self.replayed.plies]} if plies else facts


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
    check: Callable[[], None] | None = None,
) -> Iterator[PgnGame | PgnError]:
    """Every game of a text or its lines, or the error that is in its place; PgnError is raised if there is no game.

    Errors call the text by `name`. A game of a variant can take minutes, because python-chess plays it. `check` is
    called before each of its moves, and may raise an error that stops the reading.

    >>> [str(game.final) for game in games_in("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0")]
    ['G0.0']
    """
    given = [lines] if isinstance(lines, str) else lines
    ended = (line if line.endswith(("\n", "\r")) else f"{line}\n" for line in given)
    return _games((line.encode("utf-8", "replace") for line in ended), name, rules, check)


def _games(
    pieces: Iterable[bytes],
    name: str,
    rules: Rules | None,
    check: Callable[[], None] | None = None,
) -> Iterator[PgnGame | PgnError]:
    wanted = expect(Rules() if rules is None else rules, Rules, "rules", "Rules such as Rules()")
    return (
        game_of(text, name, wanted, check)
        for chunk in chunks_of(pieces, name)
        for text in chunk.games
    )


def game_of(
    text: GameText, name: str, rules: Rules, check: Callable[[], None] | None = None
) -> PgnGame | PgnError:
    """A game of a file, or the error in its place; `check` as in `games_in`."""
    try:
        return _replayed_game(text, name, rules, check)
    except MoveError as error:
        return PgnError(name, error.said, number=text.number, ply=error.ply)
    except TbgenError as error:
        return PgnError(name, str(error), number=text.number)


def _replayed_game(
    text: GameText, name: str, rules: Rules, check: Callable[[], None] | None
) -> PgnGame:
    tags, written = text.tags, text.result
    known = read_tags(tags)
    result = result_of(tags, written)
    root, carried, words = _root(
        tags.get("FEN"), tags.get("Variant"), known.accrued, rules.mobility
    )
    facts, words = (
        _replayed(text, words.copy()) if is_standard(root) else ([], words)
    )  # kernels know no variants
    if (problem := text.problem) is not None:
        raise UsageError(problem)
    fifty_moves = rules.fifty(known)
    if facts:
        last, ended = _last_and_end(root, carried, facts, fifty_moves, rules.mobility)
    else:
        game = _game_by_python_chess(root, carried, fifty_moves, rules.mobility, text, check)
        last, ended = game.last, game.ended
    if (
        facts
        and last.end is None
        and rules.fifty_moves is known.fifty_moves is None
        and says_fifty_moves(tags)
    ):
        fide = FiftyMoves(FiftyMoveSetting.FIDE)
        under_fide = _last_and_end(root, carried, facts, fide, rules.mobility)
        if under_fide[0].end is End.FIFTY_MOVES:  # an event that knows no other rule
            fifty_moves, (last, ended) = fide, under_fide
    return PgnGame(
        file=name,
        number=text.number,
        tags=tags,
        result=result,
        last=last,
        scoring=rules.scoring(known),
        fifty_moves=fifty_moves,
        warnings=tuple(contradictions(tags, known, written, last, ended)),
        position=partial(_last_board, root, words, last) if facts else game.position,
        _game=partial(_game_by_python_chess, root, carried, fifty_moves, rules.mobility, text),
    )


@lru_cache(maxsize=1024)
def _root(
    fen: str | None, variant: str | None, accrued: Score | None, mobility: Mobility
) -> tuple[chess.Board, Score | None, Words]:
    """The first position of a game, its accrued score, and the position as kernels read it."""
    board, carried = root_of(fen, variant, accrued, mobility)
    return board, carried, words_of(board)


def _replayed(text: GameText, board: Words) -> tuple[list[list[int]], Words]:
    """The columns of `board.replay` for every ply of a game, and its last position, which replaces the first in place.

    A word that the kernel cannot read may still be a move in another spelling.
    """
    data, spans = np.frombuffer(text.chunk.text, np.uint8), np.array(text.moves_at).reshape(-1, 2)
    rows = len(spans) + 1
    history, facts = np.empty((rows, HISTORY_WORDS), np.uint64), np.empty((rows, FACTS), np.int64)
    plies = int(replay(data, spans, board, history, facts, 0, NO_MOVE))
    while plies < len(spans):
        start, end = spans[plies].tolist()
        before = board_of(board)
        move = parse_one(before, decoded(text.chunk.text[start:end]), plies + 1)
        plies = int(replay(data, spans, board, history, facts, plies, kernel_move(before, move)))
    return facts.tolist(), board


def _last_and_end(
    root: chess.Board,
    carried: Score | None,
    facts: list[list[int]],
    fifty_moves: FiftyMoves,
    mobility: Mobility,
) -> tuple[Ply, Ply | None]:
    """The last ply, and the first one at which the game was over."""
    code, _, bare, _ = facts[0]
    own = Score(code, Color.of(not root.turn))
    accrued = first_accrued(root, own, carried, mobility, fifty_moves)
    plies = [first_ply(own, accrued, root.halfmove_clock, bare, fifty_moves)]
    for code, reset, bare, seen in facts[1:]:
        plies.append(next_ply(plies[-1], code, reset, bare, seen, fifty_moves, mobility))
    return plies[-1], next((ply for ply in plies if ply.end is not None), None)


def _last_board(root: chess.Board, words: Words, last: Ply) -> chess.Board:
    board = board_of(words)
    board.fullmove_number = root.fullmove_number + (last.number + (root.turn == chess.BLACK)) // 2
    board.halfmove_clock = last.counter
    return board


def _game_by_python_chess(
    root: chess.Board,
    carried: Score | None,
    fifty_moves: FiftyMoves,
    mobility: Mobility,
    text: GameText,
    check: Callable[[], None] | None = None,
) -> Game:
    played = Game(root, accrued=carried, fifty_moves=fifty_moves, mobility=mobility)
    # Each move is one word of the file; `push_line` would split some of them again.
    for move in text.moves:
        if check is not None:
            check()
        played.push_text(move)
    return played
