"""Facts about a position or a move, and how the accrued score changes along moves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import chess

from tbgen.errors import AccruedError, UsageError, expect
from tbgen.material import Material
from tbgen.men import AnyMan
from tbgen.rules.own_board import kinds_on
from tbgen.rules.stage import MOST_KING_CODE, FiftyMoves, can_accrue
from tbgen.score import STALEMATE_CODE, Color, Mobility, Score, code_of, expect_score


def expect_any_board(value: object) -> chess.Board:
    """The argument called `board`, if it is a board of chess or of a variant."""
    return expect(value, chess.Board, "board", "a chess.Board")


def expect_board(value: object) -> chess.Board:
    """The argument called `board`, if it is a board of chess; Chess960 is chess."""
    board = expect_any_board(value)
    if board.uci_variant != chess.Board.uci_variant:
        raise UsageError(
            f"board must be one of chess: tables and solvers know nothing of {board.uci_variant}"
        )
    return board


def is_standard(board: chess.Board) -> bool:
    """Whether a board is one of chess and not of a variant; Chess960 is chess.

    >>> is_standard(chess.Board())
    True
    """
    return board.uci_variant == chess.Board.uci_variant


def key_of(board: chess.Board) -> Hashable:
    """Equal for two positions of a game if the later one repeats the other.

    >>> board = chess.Board()
    >>> first = key_of(board)
    >>> for uci in ("g1f3", "g8f6", "f3g1", "f6g8"):
    ...     board.push_uci(uci)
    Move.from_uci('g1f3')
    Move.from_uci('g8f6')
    Move.from_uci('f3g1')
    Move.from_uci('f6g8')
    >>> key_of(board) == first
    True
    """
    if not is_standard(board):  # variants have pockets or counted checks
        return board.epd()
    en_passant = board.ep_square if board.has_legal_en_passant() else None
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
        board.clean_castling_rights(),
        en_passant,
    )


def own_score(board: chess.Board, moves: int | None = None) -> Score:
    """The score of the position itself, held by the side that has just moved.

    Arguments:
        board: The position.
        moves: The number of legal moves, if you know it already.

    Returns:
        The number of legal moves, and whether the side to move is in check, as a score.

    >>> str(own_score(chess.Board()))
    '-G20.5'
    """
    return own_of(expect_any_board(board), moves)


def own_of(board: chess.Board, moves: int | None = None) -> Score:
    """`own_score` of a board that has been checked."""
    legal = board.legal_moves.count() if moves is None else moves
    return Score(code_of(legal, in_check=board.is_check()), Color.of(not board.turn))


def is_reset(board: chess.Board, move: chess.Move) -> bool:
    """Whether `move`, not yet played on `board`, is a capture or a pawn move.

    >>> board = chess.Board()
    >>> [is_reset(board, chess.Move.from_uci(uci)) for uci in ("e2e4", "g1f3")]
    [True, False]
    """
    return expect_any_board(board).is_zeroing(
        expect(move, chess.Move, "move", "a chess.Move, such as parse_move gives")
    )


def board_after(board: chess.Board, move: chess.Move) -> chess.Board:
    """The position after a move, as a board of its own without the moves before.

    >>> board_after(chess.Board(), chess.Move.from_uci("g1f3")).fen()
    'rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1'
    """
    after = board.copy(stack=False)
    after.push(move)
    return after


def is_bare_kings(board: chess.Board) -> bool:
    """Whether only kings are left, in chess: variants have no such rule."""
    return board.occupied == board.kings and is_standard(board)


def material_of(board: chess.Board) -> Material:
    """The material on the board as it stands, not brought into canonical form.

    >>> material_of(chess.Board("8/8/8/4Kbk1/8/8/8/8 b - - 0 1"))
    Material.parse('KvKB')
    """
    return material_on(expect_board(board))


def material_on(board: chess.Board) -> Material:
    """`material_of` a board that has been checked."""
    kinds = kinds_on(board)
    sides: dict[chess.Color, list[AnyMan]] = {chess.WHITE: [], chess.BLACK: []}
    for piece in board.piece_map().values():
        sides[piece.color].append(kinds[piece.piece_type - 1])
    return Material(sides[chess.WHITE], sides[chess.BLACK])


class Reached(NamedTuple):
    """The scores after a move."""

    own: Score
    """The score of the new position."""
    accrued: Score
    """The accrued score after the move."""
    reset: bool
    """Whether the move was a capture or a pawn move."""


def first_accrued(
    board: chess.Board,
    own: Score,
    carried: Score | None,
    mobility: Mobility,
    fifty_moves: FiftyMoves,
) -> Score:
    """The accrued score in the first position of a game, with the own score `own`.

    AccruedError if it is impossible.

    `carried` is what its FEN says; without it, or if the halfmove clock is 0, the own score counts.
    Under whole-game mobility the clock does not matter. Where the fifty-move rule has ended the
    game, the own score may count no more.
    """
    if carried is None or (mobility.forgets and board.halfmove_clock == 0):
        return own
    accrued = accrued_in(carried, own, bare_sides(board, mobility))
    if can_accrue(own.code, board.halfmove_clock, fifty_moves):
        return accrued
    return carried


def accrued_in(carried: Score, own: Score, bare: Sequence[bool] = (False, False)) -> Score:
    """The accrued score of a position, with its own score counted.

    AccruedError if no game can carry `carried` into it.

    For `bare` see `why_not_accrued`.
    """
    if carried != own:
        reason = why_not_accrued(carried, bare)
        if reason is not None:
            raise AccruedError(str(carried), reason)
    return carried.after(own, reset=False)


def bare_sides(board: chess.Board, mobility: Mobility = Mobility.RESET) -> list[bool]:
    """By colour, whether a side has had its king alone since the accrued score can have begun."""
    if not mobility.forgets or not is_standard(board):
        return [False, False]  # it may have had more men
    sides = (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK])
    return [men.bit_count() == 1 for men in sides]


def why_not_accrued(accrued: Score, bare: Sequence[bool] = (False, False)) -> str | None:
    """Why a score cannot have accrued in a game that goes on, in words; None if it can.

    `bare` says by colour whether a side has its king alone. It has had so since the last reset, so
    the limits of a lone king held when the score was reached, too.

    >>> from tbgen.score import Color
    >>> why_not_accrued(Score(20, Color.WHITE), [False, True])
    "Black's king alone has at most 8 moves"
    """
    holder = accrued.holder
    other = holder.other
    if accrued.code <= STALEMATE_CODE:
        return "the game would have ended before this position"
    if bare[int(holder)] and accrued.check:
        return f"{holder}'s king alone gives no check"
    if bare[int(other)] and accrued.code > MOST_KING_CODE:
        return f"{other}'s king alone has at most 8 moves"
    return None


def accruable(own: Score, bare: Sequence[bool] = (False, False)) -> list[Score]:
    """The scores that can have accrued in a position, the best one for White first.

    They are its own and lower ones: the own score would have replaced a higher one. For `bare` see
    `why_not_accrued`.

    >>> from tbgen.score import Score
    >>> [str(score) for score in accruable(Score("G1.5"))]
    ['G1.0', 'G1.5', '-G1.5', '-G1.0']
    """
    codes = range(own.code + 1)
    scores = [Score(code, Color.WHITE) for code in codes]
    scores += [Score(code, Color.BLACK) for code in reversed(codes)]
    return [score for score in scores if score == own or why_not_accrued(score, bare) is None]


def play_move(
    board: chess.Board, move: chess.Move, accrued: Score | str, mobility: Mobility = Mobility.RESET
) -> Reached:
    """Make a legal move on the board, and let its score accrue.

    Arguments:
        board: The position before the move; the move is pushed onto its stack.
        move: A legal move.
        accrued: The accrued score before the move.
        mobility: Whether resets wipe out the accrued score.

    Returns:
        The score of the new position, the accrued score after the move, and whether the move was a
        reset.

    Raises:
        UsageError: An argument is of another kind. The board is unchanged.
        ScoreFormatError: The text of `accrued` is no score.

    >>> board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    >>> own, accrued, reset = play_move(board, chess.Move.from_uci("e6e5"), own_score(board))
    >>> str(own), str(accrued), reset
    ('G3.5', 'G3.5', False)
    """
    before = expect_score(accrued, "accrued")
    reset = is_reset(board, move)
    board.push(move)
    own = own_of(board)
    return Reached(own, before.after(own, reset=reset and mobility.forgets), reset)


def accrued_of(board: chess.Board, mobility: Mobility = Mobility.RESET) -> Score:
    """The accrued score after the moves on a board; `Game` also takes what had accrued before them.

    Arguments:
        board: A position with the moves that led to it.
        mobility: Whether resets wipe out the accrued score.

    Returns:
        The score since the last reset, or under whole-game mobility since the first position.

    >>> board = chess.Board()
    >>> for san in ("e4", "e5", "Qh5", "Nc6"):
    ...     move = board.push_san(san)
    >>> str(accrued_of(board))
    'G26.5'
    """
    walker = expect_board(board).copy()
    later = list[chess.Move]()
    while walker.move_stack:
        if mobility.forgets and later and walker.is_zeroing(later[-1]):
            break
        later.append(walker.pop())
    accrued = own_of(walker)
    for move in reversed(later):
        reset = walker.is_zeroing(move)
        walker.push(move)
        accrued = accrued.after(own_of(walker), reset=reset and mobility.forgets)
    return accrued
