"""Boards with men of your own, which python-chess takes for men of chess that are not on the board.

>>> board = OwnBoard("8/8/8/8/8/2k5/1M6/2K5 b - - 0 1", [Role.own("M=WF")])
>>> board.fen(), [board.san(move) for move in board.legal_moves], board.is_check()
('8/8/8/8/8/2k5/1M6/2K5 b - - 0 1', ['Kd4', 'Kc4', 'Kb4', 'Kd3'], True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import chess

from tbgen.errors import FenError
from tbgen.material import Role

_STAND_INS = "NBRQ"


class OwnBoard(chess.Board):
    """A board without pawns, with men of your own in place of knights, bishops, rooks or queens."""

    roles: tuple[Role, ...]
    """[piece type - 1] -> the men that python-chess has as such."""

    def __init__(self, fen: str | None, own: Sequence[Role] = (), chess960: bool = False) -> None:
        placement = (fen or "").partition(" ")[0].upper()
        if "P" in placement:
            reason = "pawns cannot stand beside men of your own: what they become is not known"
            raise FenError(fen or "", reason)
        there = [role for role in own if role.letter in placement]
        free = [letter for letter in _STAND_INS if letter not in placement]
        if len(there) > len(free):
            raise FenError(
                fen or "", f"it has more than {len(free)} kinds of men beside those of chess"
            )
        self._stand_ins = {role.letter: free[n] for n, role in enumerate(there)}
        own_of = dict(zip(free, there, strict=False))
        self.roles = tuple(own_of.get(role.letter, role) for role in Role)
        super().__init__(fen, chess960=chess960)
        if self.castling_rights:
            raise FenError(fen or "", "nobody castles beside men of your own")

    def _swapped(self, text: str, *, lower: bool) -> str:
        """A text with letters of stand-ins for those of your men, and the other way round."""
        pairs = [*self._stand_ins.items(), *((b, a) for a, b in self._stand_ins.items())]
        table = {ord(a): b for a, b in pairs}
        return text.translate(
            table | ({ord(a.lower()): b.lower() for a, b in pairs} if lower else {})
        )

    def _set_board_fen(self, fen: str) -> None:
        super()._set_board_fen(self._swapped(fen, lower=True))

    def board_fen(self, *, promoted: bool | None = False) -> str:
        return self._swapped(super().board_fen(promoted=promoted), lower=True)

    def __str__(self) -> str:
        return self._swapped(super().__str__(), lower=True)

    def san(self, move: chess.Move) -> str:
        return self._swapped(super().san(move), lower=False)

    def parse_san(self, san: str) -> chess.Move:
        return super().parse_san(self._swapped(san, lower=False))

    def copy(self, *, stack: bool | int = True) -> OwnBoard:
        board = super().copy(stack=stack)
        board.roles, board._stand_ins = self.roles, self._stand_ins
        return board

    def attacks_mask(self, square: chess.Square) -> chess.Bitboard:
        return self._attacked_from(square, self.occupied)

    def attackers_mask(
        self, color: chess.Color, square: chess.Square, occupied: chess.Bitboard | None = None
    ) -> chess.Bitboard:
        blocking = self.occupied if occupied is None else occupied
        attackers = 0
        for origin in chess.scan_forward(self.occupied_co[color]):
            if self._attacked_from(origin, blocking) & chess.BB_SQUARES[square]:
                attackers |= chess.BB_SQUARES[origin]
        return attackers

    def _attacked_from(self, square: chess.Square, occupied: chess.Bitboard) -> chess.Bitboard:
        """The squares that the man on a square attacks, if men stand in his way as said."""
        kind = self.piece_type_at(square)
        return 0 if kind is None else _attacked(self.roles[kind - 1], square, occupied)

    def is_into_check(self, move: chess.Move) -> bool:
        # Threads may share the board, so the move is not played on it.
        target = chess.BB_SQUARES[move.to_square]
        king = self.king(self.turn)
        if king == move.from_square:
            king = move.to_square
        if king is None:
            return False
        occupied = (self.occupied & ~chess.BB_SQUARES[move.from_square]) | target
        return bool(self.attackers_mask(not self.turn, king, occupied) & ~target)

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        moves = self.generate_pseudo_legal_moves(from_mask, to_mask)
        return (move for move in moves if not self.is_into_check(move))


def _attacked(role: Role, square: int, occupied: int) -> int:
    """The squares that a man attacks."""
    found = 0
    for walk in _walks(role, square):
        for to in walk:
            found |= 1 << to
            if occupied >> to & 1:
                break
    return found


_walks = cache(Role.walks)


def board_of(fen: str, own: Sequence[Role], *, chess960: bool) -> chess.Board:
    """The board of a FEN, where these men of your own may stand; ValueError as python-chess has it."""
    placement = fen.partition(" ")[0].upper()
    if any(role.letter in placement for role in own):
        return OwnBoard(fen, own, chess960)
    return chess.Board(fen, chess960=chess960)


def roles_on(board: chess.Board) -> Sequence[Role]:
    """[piece type - 1] -> what python-chess has as such."""
    return board.roles if isinstance(board, OwnBoard) else _CHESS


_CHESS = tuple(Role)


def sets_on(board: chess.Board) -> Mapping[int, int] | Sequence[int]:
    """[role] -> the squares of such men."""
    sets = (0, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return dict(zip(board.roles, sets[1:], strict=True)) if isinstance(board, OwnBoard) else sets
