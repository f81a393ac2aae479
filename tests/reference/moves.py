"""The moves of chess on a handful of men: squares and loops, nothing clever.

A position is `roles` and `colors` (one entry a man, fixed for a material), `squares` (one a man,
0 = a1 ... 63 = h8, -1 = captured), the side to move and the square a pawn has just jumped over (-1
if none). There is no castling.
"""

import itertools

import numpy as np

from .jit import njit

WHITE = 0
BLACK = 1

PAWN = 1
KNIGHT = 2
BISHOP = 3
ROOK = 4
QUEEN = 5
KING = 6

NO_MAN = -1
NO_SQUARE = -1
NO_PROMOTION = -1

# The columns of a move.
MAN = 0
TO = 1
CAPTURED = 2
PROMOTION = 3
MOST_MOVES = 256

# Steps are (files, ranks).
STRAIGHT = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])
DIAGONAL = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])
ALL_ROUND = np.concatenate((STRAIGHT, DIAGONAL))
LEAPS = np.array([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)])

OWN = {
    "A": ([(1, 2)], [(0, 1), (1, 1)]),  # Amazon
    "C": ([(1, 2)], [(0, 1)]),  # Chancellor
    "D": ([(0, 1), (0, 2)], []),  # Woody Rook
    "E": ([(0, 2)], [(1, 1)]),
    "F": ([(1, 1)], []),  # Ferz
    "G": ([], [(1, 2)]),  # Nightrider
    "H": ([], [(1, 1), (0, 2)]),
    "I": ([(2, 2)], []),  # Alfil
    "J": ([(0, 1), (1, 2)], []),
    "L": ([(1, 3)], []),  # Camel
    "M": ([(0, 1), (1, 1)], []),  # Commoner
    "O": ([(0, 2), (1, 1), (2, 2)], []),
    "S": ([(1, 2)], [(1, 1)]),  # Archbishop
    "U": ([(0, 2)], []),  # Dabbaba
    "W": ([(0, 1)], []),  # Wazir
}
"""[letter] -> the leaps and the rides of men that are not of chess: how far one way and the other.

Their roles are -1, -2 ... in this order.
"""


def ways_of(leaps, rides):
    """(files, ranks, whether it is a ride) of every way that a man goes, then zeros."""
    ways = np.zeros((16, 3), dtype=np.int64)
    count = 0
    for steps, is_ride in ((leaps, False), (rides, True)):
        for files, ranks in itertools.product(range(-3, 4), repeat=2):
            near, far = sorted((abs(files), abs(ranks)))
            if (near, far) in steps:
                ways[count] = (files, ranks, is_ride)
                count += 1
    return ways


WAYS = np.array([ways_of(*OWN[letter]) for letter in OWN])


@njit
def ways(role):
    """The ways of a man that is not of chess."""
    return WAYS[-1 - role]


@njit
def step(square, files, ranks):
    """The square so many files and ranks away, or none beyond the edge of the board."""
    file = square % 8 + files
    rank = square // 8 + ranks
    return rank * 8 + file if 0 <= file < 8 and 0 <= rank < 8 else NO_SQUARE


@njit
def man_on(squares, square):
    """The man that stands on `square`, or none."""
    for man in range(len(squares)):
        if squares[man] == square:
            return man
    return NO_MAN


@njit
def forward(color):
    """The ranks a pawn of this colour moves in one step."""
    return 1 if color == WHITE else -1


@njit
def path_is_clear(squares, origin, target):
    """Whether the squares between two squares on one line are empty."""
    files = target % 8 - origin % 8
    ranks = target // 8 - origin // 8
    length = max(abs(files), abs(ranks))
    for distance in range(1, length):
        between = step(origin, files // length * distance, ranks // length * distance)
        if man_on(squares, between) != NO_MAN:
            return False
    return True


@njit
def goes_to(squares, role, origin, target):
    """Whether a man that is not of chess comes from one square to another."""
    for files, ranks, is_ride in ways(role):
        to = origin
        while files != 0 or ranks != 0:
            to = step(to, files, ranks)
            if to == target:
                return True
            if to == NO_SQUARE or is_ride == 0 or man_on(squares, to) != NO_MAN:
                break
    return False


@njit
def attacks(roles, colors, squares, man, target):
    """Whether the man attacks the square `target`."""
    files = target % 8 - squares[man] % 8
    ranks = target // 8 - squares[man] // 8
    role = roles[man]
    if role < 0:
        return goes_to(squares, role, squares[man], target)
    if role == PAWN:
        return ranks == forward(colors[man]) and abs(files) == 1
    if role == KNIGHT:
        return abs(files) * abs(ranks) == 2
    if role == KING:
        return max(abs(files), abs(ranks)) == 1
    on_straight = (files == 0) != (ranks == 0)
    on_diagonal = abs(files) == abs(ranks) and files != 0
    if (on_straight and role != BISHOP) or (on_diagonal and role != ROOK):
        return path_is_clear(squares, squares[man], target)
    return False


@njit
def in_check(roles, colors, squares, side):
    """Whether the king of `side` is attacked."""
    for king in range(len(squares)):
        if roles[king] == KING and colors[king] == side:
            for man in range(len(squares)):
                is_enemy = colors[man] != side and squares[man] != NO_SQUARE
                if is_enemy and attacks(roles, colors, squares, man, squares[king]):
                    return True
    return False


@njit
def is_legal_position(roles, colors, squares, side):
    """Whether men stand apart, pawns on their ranks, and the side not to move is not in check."""
    for man in range(len(squares)):
        if man_on(squares, squares[man]) != man:
            return False
        if roles[man] == PAWN and not 8 <= squares[man] < 56:
            return False
    return not in_check(roles, colors, squares, 1 - side)


@njit
def add_move(roles, colors, squares, man, to, captured, promotion, moves, count):
    """Write down the move if it leaves its own king safe; return the new number of moves."""
    origin = squares[man]
    victim_square = squares[captured] if captured != NO_MAN else NO_SQUARE
    squares[man] = to
    if captured != NO_MAN:
        squares[captured] = NO_SQUARE
    is_legal = not in_check(roles, colors, squares, colors[man])
    squares[man] = origin
    if captured != NO_MAN:
        squares[captured] = victim_square
    if not is_legal:
        return count
    moves[count, MAN] = man
    moves[count, TO] = to
    moves[count, CAPTURED] = captured
    moves[count, PROMOTION] = promotion
    return count + 1


@njit
def add_way(roles, colors, squares, man, files, ranks, is_slider, moves, count):
    """Add the moves of a man other than a pawn in one direction."""
    to = step(squares[man], files, ranks)
    while to != NO_SQUARE:
        met = man_on(squares, to)
        if met == NO_MAN or colors[met] != colors[man]:
            count = add_move(roles, colors, squares, man, to, met, NO_PROMOTION, moves, count)
        if met != NO_MAN or not is_slider:
            break
        to = step(to, files, ranks)
    return count


@njit
def add_piece_moves(roles, colors, squares, man, steps, is_slider, moves, count):
    """Add the moves of a man other than a pawn along its steps."""
    for way in range(len(steps)):
        count = add_way(
            roles, colors, squares, man, steps[way, 0], steps[way, 1], is_slider, moves, count
        )
    return count


@njit
def add_pawn_arrivals(roles, colors, squares, man, to, captured, moves, count):
    """Add the pawn's move to `to`, once for each promotion piece on the last rank."""
    if 8 <= to < 56:
        return add_move(roles, colors, squares, man, to, captured, NO_PROMOTION, moves, count)
    for role in range(KNIGHT, QUEEN + 1):
        count = add_move(roles, colors, squares, man, to, captured, role, moves, count)
    return count


@njit
def add_pawn_moves(roles, colors, squares, man, en_passant, moves, count):
    """Add a pawn's steps, captures and promotions."""
    ahead = forward(colors[man])
    start_rank = 1 if colors[man] == WHITE else 6
    to = step(squares[man], 0, ahead)
    if man_on(squares, to) == NO_MAN:
        count = add_pawn_arrivals(roles, colors, squares, man, to, NO_MAN, moves, count)
        jump = step(to, 0, ahead)
        if squares[man] // 8 == start_rank and man_on(squares, jump) == NO_MAN:
            count = add_move(roles, colors, squares, man, jump, NO_MAN, NO_PROMOTION, moves, count)
    for files in (-1, 1):
        to = step(squares[man], files, ahead)
        if to == NO_SQUARE:
            continue
        victim = man_on(squares, to)
        if victim == NO_MAN and to == en_passant:
            victim = man_on(squares, step(to, 0, -ahead))
        if victim != NO_MAN and colors[victim] != colors[man]:
            count = add_pawn_arrivals(roles, colors, squares, man, to, victim, moves, count)
    return count


@njit
def legal_moves(roles, colors, squares, side, en_passant, moves):
    """Fill `moves` with the legal moves and return their number."""
    count = 0
    for man in range(len(squares)):
        if colors[man] != side or squares[man] == NO_SQUARE:
            continue
        role = roles[man]
        if role < 0:
            for files, ranks, is_ride in ways(role):
                if files != 0 or ranks != 0:
                    count = add_way(
                        roles, colors, squares, man, files, ranks, is_ride == 1, moves, count
                    )
        elif role == PAWN:
            count = add_pawn_moves(roles, colors, squares, man, en_passant, moves, count)
        elif role == KNIGHT:
            count = add_piece_moves(roles, colors, squares, man, LEAPS, False, moves, count)
        elif role == BISHOP:
            count = add_piece_moves(roles, colors, squares, man, DIAGONAL, True, moves, count)
        elif role == ROOK:
            count = add_piece_moves(roles, colors, squares, man, STRAIGHT, True, moves, count)
        else:
            count = add_piece_moves(
                roles, colors, squares, man, ALL_ROUND, role == QUEEN, moves, count
            )
    return count


@njit
def is_reset(roles, move):
    """Whether the move is a capture or a pawn move."""
    return move[CAPTURED] != NO_MAN or roles[move[MAN]] == PAWN


@njit
def jumped_square(roles, squares, move):
    """The square a pawn's double step jumps over, or none for any other move."""
    origin = squares[move[MAN]]
    is_jump = roles[move[MAN]] == PAWN and abs(move[TO] - origin) == 16
    return (origin + move[TO]) // 2 if is_jump else NO_SQUARE


@njit
def is_en_passant(squares, move):
    """Whether the move captures a man that does not stand on the square moved to."""
    return move[CAPTURED] != NO_MAN and squares[move[CAPTURED]] != move[TO]


@njit
def own_code(roles, colors, squares, side, moves):
    """The position's own score code: twice its `moves` legal moves, plus one if not in check."""
    return 2 * moves + (0 if in_check(roles, colors, squares, side) else 1)
