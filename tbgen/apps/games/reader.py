"""Reads the games of PGN files as a stream, and reports exactly what is wrong with a game.

Kernels find and replay the games; python-chess reads only the moves that kernels cannot.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial

import chess
import numpy as np

from tbgen.apps.games.chunks import Chunk, chunks_of, decoded
from tbgen.apps.games.files import read_pieces
from tbgen.apps.games.game import GameSettings, PgnGame, contradictions, root_of
from tbgen.apps.games.tags import UNFINISHED, read_tags, says_fifty_moves
from tbgen.board.board import NO_MOVE, board_of, kernel_move, words_of
from tbgen.board.replay import FACTS, HISTORY_WORDS, replay
from tbgen.compiled.arrays import Ints, Words
from tbgen.errors import MoveError, PgnError, TbgenError, UsageError, expect
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game
from tbgen.rules.notation import parse_one
from tbgen.rules.position import color_of, first_accrued, is_standard
from tbgen.rules.stage import End, Stage, first_stage, next_stage
from tbgen.score import Mobility, Score


def read_games(path: str | os.PathLike[str], settings: GameSettings | None = None) -> Iterator[PgnGame | PgnError]:
    """Read the games of a PGN file, one after another.

    Arguments:
        path: The file; `-` for the standard input. It may be packed by gzip, bzip2, xz or zstd.
        settings: How to score games. Without it, the tags of each game decide.

    Returns:
        An iterator. A `PgnError` takes the place of an unreadable game.

    Raises:
        OSError: The file cannot be opened.
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
    return _games(read_pieces(name), name, settings)


def games_in(
    lines: str | Iterable[str], name: str = "PGN", settings: GameSettings | None = None
) -> Iterator[PgnGame | PgnError]:
    """Every game of a text or its lines, or the error that is in its place; PgnError is raised if there is no game.

    Errors call the text by `name`.

    >>> [str(game.final) for game in games_in("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0")]
    ['G0.0']
    """
    given = [lines] if isinstance(lines, str) else lines
    ended = (line if line.endswith(("\n", "\r")) else f"{line}\n" for line in given)
    return _games((line.encode("utf-8", "replace") for line in ended), name, settings)


def _games(pieces: Iterable[bytes], name: str, settings: GameSettings | None) -> Iterator[PgnGame | PgnError]:
    given = GameSettings() if settings is None else settings
    wanted = expect(given, GameSettings, "settings", "GameSettings such as GameSettings()")
    return (game for chunk in chunks_of(pieces, name) for game in games_of(chunk, name, wanted))


def games_of(chunk: Chunk, name: str, settings: GameSettings) -> Iterator[PgnGame | PgnError]:
    """Every game of a chunk, or the error that is in its place."""
    for place in range(len(chunk.games)):
        yield game_of(chunk, place, name, settings)


def game_of(chunk: Chunk, place: int, name: str, settings: GameSettings) -> PgnGame | PgnError:
    """A game of a chunk, or the error in its place."""
    number = chunk.number + place
    try:
        return _replayed_game(chunk, place, name, number, settings)
    except MoveError as error:
        return PgnError(name, error.said, number=number, ply=error.ply)
    except TbgenError as error:
        return PgnError(name, str(error), number=number)


def _replayed_game(chunk: Chunk, place: int, name: str, number: int, settings: GameSettings) -> PgnGame:
    tags = chunk.tags_of(place)
    known = read_tags(tags)
    root, carried, words = _root(tags.get("FEN"), tags.get("Variant"), known.accrued, settings.game)
    facts: list[list[int]] = []
    if is_standard(root):
        facts, words = _replayed(chunk, chunk.move_rows(place), words.copy())
    if (problem := chunk.problem_of(place)) is not None:
        raise UsageError(problem)
    fifty_moves = settings.fifty_moves_of(known)
    if facts:
        last, ended = _last_and_end(root, carried, facts, fifty_moves, settings.game)
    else:  # the kernels know no variants
        game = _game_by_python_chess(root, carried, fifty_moves, settings.game, chunk, place)
        last, ended = game.last.stage, None if game.ended is None else game.ended.stage
    if facts and last.end is None and settings.fifty_moves is known.fifty_moves is None and says_fifty_moves(tags):
        fide = FiftyMoves(FiftyMoveSetting.FIDE)
        under_fide = _last_and_end(root, carried, facts, fide, settings.game)
        if under_fide[0].end is End.FIFTY_MOVES:  # an event that knows no other rule
            fifty_moves, (last, ended) = fide, under_fide
    written = chunk.result_of(place)
    result = tags.get("Result", written or UNFINISHED)
    warnings = tuple(contradictions(tags, known, written, last, ended))
    return PgnGame(
        *(name, number, tags, result, last, settings.scoring(known), fifty_moves, warnings),
        position=partial(_last_board, root, words, last) if facts else game.position,
        _game=partial(_game_by_python_chess, root, carried, fifty_moves, settings.game, chunk, place),
    )


@lru_cache(maxsize=1024)
def _root(
    fen: str | None, variant: str | None, accrued: Score | None, game: Mobility
) -> tuple[chess.Board, Score | None, Words]:
    """The first position of a game, what has accrued there, and the position as kernels take it."""
    board, carried = root_of(fen, variant, accrued, game)
    return board, carried, words_of(board)


def _replayed(chunk: Chunk, spans: Ints, board: Words) -> tuple[list[list[int]], Words]:
    """The columns of `board.replay` for every ply of a game, and its last position, which the first becomes.

    A word that the kernel cannot read may still be a move in another spelling.
    """
    rows = len(spans) + 1
    history, facts = np.empty((rows, HISTORY_WORDS), np.uint64), np.empty((rows, FACTS), np.int64)
    plies = int(replay(chunk.data, spans, board, history, facts, 0, NO_MOVE))
    while plies < len(spans):
        start, end = spans[plies].tolist()
        before = board_of(board)
        move = parse_one(before, decoded(chunk.text[start:end]), plies + 1)
        plies = int(replay(chunk.data, spans, board, history, facts, plies, kernel_move(before, move)))
    return facts.tolist(), board


def _last_and_end(
    root: chess.Board, carried: Score | None, facts: list[list[int]], fifty_moves: FiftyMoves, game: Mobility
) -> tuple[Stage, Stage | None]:
    """The last ply, and the first one at which the game was over."""
    code, _, bare, _ = facts[0]
    own = Score(code, color_of(not root.turn))
    accrued = first_accrued(root, own, carried, game, fifty_moves)
    stages = [first_stage(own, accrued, root.halfmove_clock, bare, fifty_moves)]
    for code, reset, bare, seen in facts[1:]:
        stages.append(next_stage(stages[-1], code, reset, bare, seen, fifty_moves, game))
    return stages[-1], next((stage for stage in stages if stage.end is not None), None)


def _last_board(root: chess.Board, words: Words, last: Stage) -> chess.Board:
    board = board_of(words)
    board.fullmove_number = root.fullmove_number + (last.number + (root.turn == chess.BLACK)) // 2
    board.halfmove_clock = last.counter
    return board


def _game_by_python_chess(
    root: chess.Board, carried: Score | None, fifty_moves: FiftyMoves, game: Mobility, chunk: Chunk, place: int
) -> Game:
    played = Game(root, accrued=carried, fifty_moves=fifty_moves, game=game)
    for move in chunk.moves_of(place):  # each is one word of the file; `push_line` would split some of them again
        played.push_text(move)
    return played
