"""The codes of many boards at once."""

from __future__ import annotations

from tbgen._jit import kernel
from tbgen.pgn.board import code_on


# boards[n] are the words of a board, as board.py has them
@kernel
def codes_on(boards, codes):
    """Each board's code: twice its legal moves, and one if there is no check."""
    for n in range(len(codes)):
        codes[n] = code_on(boards[n])
    return len(codes)
