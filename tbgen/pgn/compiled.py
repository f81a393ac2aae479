"""Games out of blocks of text, played by kernels; python-chess is asked only for what they cannot read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple

import chess
import numpy as np

from tbgen import _jit
from tbgen.arrays import Words
from tbgen.bitboard.board import BLACK, NO_MOVE, WHITE
from tbgen.bitboard.convert import board_of, kernel_move, words_of
from tbgen.bitboard.replay import FACTS, HISTORY_WORDS, replay
from tbgen.errors import MoveError, PgnError, TbgenError, UsageError
from tbgen.pgn import scan as at
from tbgen.pgn.blocks import Block
from tbgen.pgn.contradictions import contradictions
from tbgen.pgn.game import PgnGame, Settings, root_of
from tbgen.pgn.tags import GameTags, read_tags
from tbgen.rules.accrual import first_accrued
from tbgen.rules.game import FiftyMoves, Game
from tbgen.rules.notation import parse_one
from tbgen.rules.position import color_of
from tbgen.rules.stage import Stage, first_stage, next_stage
from tbgen.score import Accrued

_RESULTS = (None, "1-0", "0-1", "1/2-1/2", "*")
_PROBLEMS = (None, "a comment is not closed", "a variation is not closed")
_ESCAPED = re.compile(r'\\(["\\])')


class Root(NamedTuple):
    """Where a game begins."""

    board: chess.Board
    words: Words
    carried: Accrued | None


class Told(NamedTuple):
    """A game told by kernels."""

    facts: list[list[int]]
    """Of every ply: code, reset, bare kings, times seen."""
    board: Words
    """After the last ply."""


def is_compiled() -> bool:
    """Whether the kernels that read games need not be compiled first."""
    kernels = (("pgn", "scan"), ("bitboard", "replay"))
    return all(any(_jit.cache_folder(package).rglob(f"*.{name}-*.nbc")) for package, name in kernels)


def games_of(block: Block, name: str, settings: Settings) -> Iterator[PgnGame | PgnError]:
    """Every game of a block, or the error that is in its place."""
    for place in range(len(block.games)):
        yield game_of(block, place, name, settings)


def game_of(block: Block, place: int, name: str, settings: Settings) -> PgnGame | PgnError:
    """A game of a block, or what is wrong with it."""
    number = block.piece.number + place
    try:
        return _played(block, block.games[place], number, settings)
    except MoveError as error:
        return PgnError(name, f"{error.reason} {error.move!r}", game=number, ply=error.ply)
    except TbgenError as error:
        return PgnError(name, str(error), game=number)


def tags_of(block: Block, game: at.Spans) -> dict[str, str]:
    """The tags of a game; of two with the same name the last counts."""
    tags, text = {}, block.piece.text
    for _, _, name, name_end, value, value_end in block.tags[game[at.FIRST_TAG] : game[at.LAST_TAG]].tolist():
        written = _decoded(text[value:value_end])
        tags[text[name:name_end].decode("ascii")] = _ESCAPED.sub(r"\1", written) if "\\" in written else written
    return tags


def _played(block: Block, game: at.Spans, number: int, settings: Settings) -> PgnGame:
    tags = tags_of(block, game)
    known = read_tags(tags)
    root = _root(tags.get("FEN"), tags.get("Variant"), known.accrued)
    spans = block.words[game[at.FIRST_WORD] : game[at.LAST_WORD]]
    told = _told(block, spans, root)
    if game[at.PROBLEM]:
        raise UsageError(str(_PROBLEMS[game[at.PROBLEM]]))
    fifty_moves = settings.fifty_moves_of(known)
    last, ended = _walked(root, told, fifty_moves)
    written = _RESULTS[game[at.RESULT]]
    result = tags.get("Result", written or "*")
    warnings = tuple(contradictions(tags, written, last, ended, Settings().scoring(known)))
    board = partial(_last_board, root.board, told.board, last.number)
    again = partial(_again, root, fifty_moves, block, spans)
    men = int(told.board[WHITE] | told.board[BLACK]).bit_count()
    return PgnGame(number, tags, result, last, ended, settings.scoring(known), warnings, men, board, again)


@lru_cache(maxsize=1024)
def _root(fen: str | None, variant: str | None, accrued: Accrued | None) -> Root:
    tags = {name: value for name, value in (("FEN", fen), ("Variant", variant)) if value is not None}
    board, carried = root_of(tags, GameTags(accrued=accrued))
    return Root(board, words_of(board), carried)


def _told(block: Block, spans: at.Spans, root: Root) -> Told:
    """Play a game; a word that the kernel cannot read may still be a move in another spelling."""
    room = len(spans) + 1
    history, facts = np.empty((room, HISTORY_WORDS), np.uint64), np.empty((room, FACTS), np.int64)
    board = root.words.copy()
    plies = int(replay(block.data, spans, board, history, facts, 0, NO_MOVE))
    while plies < len(spans):
        start, end = spans[plies].tolist()
        before = board_of(board)
        move = parse_one(before, _decoded(block.piece.text[start:end]), plies + 1)
        plies = int(replay(block.data, spans, board, history, facts, plies, kernel_move(before, move)))
    return Told(facts.tolist(), board)


def _walked(root: Root, told: Told, fifty_moves: FiftyMoves) -> tuple[Stage, Stage | None]:
    """The last ply, and the first one at which the game was over."""
    code, _, bare, _ = told.facts[0]
    own = Accrued(code, color_of(not root.board.turn))
    accrued = first_accrued(root.board, own, root.carried)
    stage = first_stage(own, accrued, root.board.halfmove_clock, bare, fifty_moves)
    ended = None if stage.end is None else stage
    for number in range(1, len(told.facts)):
        code, reset, bare, seen = told.facts[number]
        stage = next_stage(stage, code, reset, bare, seen, fifty_moves)
        if stage.end is not None and ended is None:
            ended = stage
    return stage, ended


def _last_board(root: chess.Board, words: Words, plies: int) -> chess.Board:
    board = board_of(words)
    board.fullmove_number = root.fullmove_number + (plies + (root.turn == chess.BLACK)) // 2
    return board


def _again(root: Root, fifty_moves: FiftyMoves, block: Block, spans: at.Spans) -> Game:
    """The game once more, by python-chess."""
    game = Game(root.board, accrued=root.carried, fifty_moves=fifty_moves)
    for start, end in spans.tolist():
        game.push_text(_decoded(block.piece.text[start:end]))
    return game


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("utf-8", "tbgen-latin-1")
