"""Display: answers as a notebook shows them, with a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import chess

_SIZE: Final = 320
_MOST_ARROWS: Final = 6


class Shown:
    """An answer about a position: a notebook shows its text and the board, with arrows for its moves."""

    __slots__ = ()

    def facts(self) -> Any:
        """The answer as JSON has it."""
        raise NotImplementedError

    def _drawing(self) -> tuple[chess.Board, Sequence[chess.Move]]:
        return chess.Board(self.facts()["fen"]), ()

    def _repr_svg_(self) -> str:
        import chess.svg  # costs more than a probe

        board, moves = self._drawing()
        return chess.svg.board(board, arrows=[(m.from_square, m.to_square) for m in moves[:_MOST_ARROWS]], size=_SIZE)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(str(self))}</p>{self._repr_svg_()}"
