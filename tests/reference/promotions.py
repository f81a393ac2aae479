"""The replies to a promotion, of which only those that take the new man have a known value."""

import numpy as np
from numpy.typing import NDArray

from .jit import njit
from .moves import CAPTURED, MAN, MOST_MOVES, NO_MAN, NO_SQUARE, in_check, legal_moves

MOST_TAKERS = 8


@njit
def find_replies(roles, colors, squares, sides, new_man, takers, others, checks):
    """Fill in, for each row, who may take the new man, the number of other moves, and the check."""
    moves = np.zeros((MOST_MOVES, 4), dtype=np.int64)
    for row in range(len(squares)):
        men = squares[row]
        count = legal_moves(roles, colors, men, sides[row], NO_SQUARE, moves)
        checks[row] = in_check(roles, colors, men, sides[row])
        taking = 0
        for number in range(count):
            if moves[number, CAPTURED] == new_man:
                takers[row, taking] = moves[number, MAN]
                taking += 1
            else:
                others[row] += 1


class Replies:
    """The legal replies in positions after a promotion, a row of squares for each."""

    takers: NDArray[np.int64]
    """[position, number] a man that may take the new one, or NO_MAN."""
    others: NDArray[np.int64]
    """[position] -> how many other replies there are."""
    checks: NDArray[np.bool_]
    """[position] -> whether the side to move is in check."""

    def __init__(
        self,
        roles: NDArray[np.int64],
        colors: NDArray[np.int64],
        squares: NDArray[np.int64],
        sides: NDArray[np.int64],
        new_man: int,
    ) -> None:
        self.takers = np.full((len(squares), MOST_TAKERS), NO_MAN, np.int64)
        self.others = np.zeros(len(squares), np.int64)
        self.checks = np.zeros(len(squares), np.bool_)
        find_replies(roles, colors, squares, sides, new_man, self.takers, self.others, self.checks)
