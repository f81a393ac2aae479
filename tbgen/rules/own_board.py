"""Boards with men of your own.

python-chess knows six kinds of men. On such a board each man of your own takes the place of a
knight, bishop, rook or queen that does not stand there. All else is python-chess: moves, FENs, SAN,
copies, and everything that takes a board.

>>> board = OwnBoard("8/8/8/8/8/2k5/1M6/2K5 b - - 0 1", [Man.parse("M=WF")])
>>> board.fen(), [board.san(move) for move in board.legal_moves], board.is_check()
('8/8/8/8/8/2k5/1M6/2K5 b - - 0 1', ['Kd4', 'Kc4', 'Kb4', 'Kd3'], True)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import chess

from tbgen.betza import Walk, walks_from
from tbgen.errors import FenError
from tbgen.men import AnyMan, Man, Role

_STAND_INS = (Role.KNIGHT, Role.BISHOP, Role.ROOK, Role.QUEEN)
_CHESS = tuple(Role)


class OwnBoard(chess.Board):
    """A board with men of your own, and without pawns and castling."""

    kinds: tuple[AnyMan, ...]
    """[piece type - 1] -> the man that python-chess takes for one of that type."""

    def __init__(self, fen: str | None, own: Sequence[Man] = (), chess960: bool = False) -> None:
        placement = (fen or "").partition(" ")[0].upper()
        if "P" in placement:
            reason = "pawns cannot stand beside men of your own: what they become is not known"
            raise FenError(fen or "", reason)
        men = [man for man in own if man.letter in placement]
        free = [role for role in _STAND_INS if role.letter not in placement]
        if len(men) > len(free):
            reason = f"it has more than {len(free)} kinds of men beside those of chess"
            raise FenError(fen or "", reason)
        man_of = dict(zip(free, men, strict=False))
        self.kinds = tuple(man_of.get(role, role) for role in Role)
        ours = "".join(man.letter for man in man_of.values())
        theirs = "".join(role.letter for role in man_of)
        # Small letters are black men in a FEN, but files in SAN.
        self._in_san = str.maketrans(ours + theirs, theirs + ours)
        self._in_fen = self._in_san | str.maketrans(
            (ours + theirs).lower(), (theirs + ours).lower()
        )
        super().__init__(fen, chess960=chess960)
        if self.castling_rights:
            raise FenError(fen or "", "nobody castles beside men of your own")

    def _set_board_fen(self, fen: str) -> None:
        super()._set_board_fen(fen.translate(self._in_fen))

    def board_fen(self, *, promoted: bool | None = False) -> str:
        return super().board_fen(promoted=promoted).translate(self._in_fen)

    def __str__(self) -> str:
        return super().__str__().translate(self._in_fen)

    def san(self, move: chess.Move) -> str:
        return super().san(move).translate(self._in_san)

    def parse_san(self, san: str) -> chess.Move:
        return super().parse_san(san.translate(self._in_san))

    def copy(self, *, stack: bool | int = True) -> OwnBoard:
        return self._with_own_men(super().copy(stack=stack))

    def root(self) -> OwnBoard:
        return self._with_own_men(super().root())

    def _with_own_men(self, board: OwnBoard) -> OwnBoard:
        board.kinds = self.kinds
        board._in_san = self._in_san
        board._in_fen = self._in_fen
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
        """The squares that the man on a square attacks past the men on the occupied ones."""
        piece_type = self.piece_type_at(square)
        if piece_type is None:
            return 0
        attacked = 0
        for walk in _walks(self.kinds[piece_type - 1], square):
            for to in walk:
                attacked |= chess.BB_SQUARES[to]
                if occupied & chess.BB_SQUARES[to]:
                    break
        return attacked

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
        for move in self.generate_pseudo_legal_moves(from_mask, to_mask):
            if not self.is_into_check(move):
                yield move


@cache
def _walks(kind: AnyMan, square: chess.Square) -> list[Walk]:
    return walks_from(square, kind.rays)


def board_from_fen(fen: str, own: Sequence[Man], *, chess960: bool) -> chess.Board:
    """The board of a FEN, where these men of your own may stand.

    ValueError as python-chess has it.
    """
    placement = fen.partition(" ")[0].upper()
    if any(man.letter in placement for man in own):
        return OwnBoard(fen, own, chess960)
    return chess.Board(fen, chess960=chess960)


def kinds_on(board: chess.Board) -> Sequence[AnyMan]:
    """[piece type - 1] -> the man that python-chess takes for one of that type."""
    if isinstance(board, OwnBoard):
        return board.kinds
    return _CHESS
