"""What a game is scored with, in a script that knows python-chess and the public probe and nothing else of ours."""

from __future__ import annotations

import io
from collections import Counter

import chess
import chess.pgn

import tbgen

CUTOFF_CODE = 12


def final_scores(text: str, tables: tbgen.Tablebase) -> list[tuple[str, str, int | None]]:
    """Final score, source and plies to go of every game of a text."""
    file, found = io.StringIO(text), []
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors
        found.append(final_score(game, tables))
    return found


def code_of(board: chess.Board) -> int:
    return 2 * board.legal_moves.count() + (0 if board.is_check() else 1)


def written(code: int, white_holds: bool) -> str:
    return f"{'' if white_holds else '-'}G{code // 2}.{5 * (code % 2)}"


def final_score(game: chess.pgn.Game, tables: tbgen.Tablebase) -> tuple[str, str, int | None]:
    """The rules of docs/rules.md, read once more: fifty moves under `reset`, continued unless over."""
    board = game.board()
    code, white_holds, counter = code_of(board), board.turn == chess.BLACK, board.halfmove_clock
    carried = game.headers.get("RMobilityAccrued")
    if carried is not None and counter:
        carried_code = round(2 * float(carried.lstrip("-G")))
        if carried_code <= code:
            code, white_holds = carried_code, not carried.startswith("-")
    seen = Counter([key_of(board)])
    previous_bare, over = False, counter >= 100
    own = code_of(board)
    for ply, move in enumerate(game.mainline_moves(), start=1):
        was_bare_with_eight = previous_bare and own == 17
        reset = board.is_capture(move) or board.piece_type_at(move.from_square) == chess.PAWN
        board.push(move)
        own = code_of(board)
        counter = 0 if reset else counter + 1
        if reset or own < code:
            code, white_holds = own, board.turn == chess.BLACK
            counter = 0 if own < CUTOFF_CODE else counter
        seen[key := key_of(board)] += 1
        bare = chess.popcount(board.occupied) == 2
        over = (bare and own == 17 and was_bare_with_eight) or counter >= 100 or seen[key] >= 3
        previous_bare = bare and ply > 0
    accrued, result = written(code, white_holds), game.headers["Result"]
    if own <= 1:
        return accrued, "game", None
    if result in ("1-0", "0-1"):
        return ("G0.0" if result == "1-0" else "-G0.0"), "result", None
    if over:
        return accrued, "game", None
    answer = tables.get(board.copy(stack=False), tbgen.Score(accrued))
    return (accrued, "game", None) if answer is None else (str(answer.outcome), "tablebase", answer.dtg)


def key_of(board: chess.Board) -> tuple[object, ...]:
    en_passant = board.ep_square if board.has_legal_en_passant() else None
    men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return men, *board.occupied_co, board.turn, board.clean_castling_rights(), en_passant
