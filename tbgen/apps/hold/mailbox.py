"""Chess on an array of 64 squares, by steps and loops: the checker's own, which shares nothing with boards of words.

    position[0:64]        the man on a square: its role from 1 (pawn) to 6 (king), and 8 more if it is black; 0 if empty
    position[TURN]        1 if Black is to move
    position[EN_PASSANT]  the square behind a pawn that has just made a double step and can be captured; else -1

A move is `from + 64 * to + 4096 * promotion`. There is no castling: positions with such rights are checked otherwise.
"""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes
from tbgen.compiled.jit import borrowing, inner

TURN, EN_PASSANT, SIZE = 64, 65, 66
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 1, 2, 3, 4, 5, 6
BLACK_MAN = 8
MOST_MOVES = 320

_STEPS = np.array([(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)])
"""Straight, then diagonal: files and ranks."""
_LEAPS = np.array([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)])


@inner
def step(square: Int, files: Int, ranks: Int) -> Int:
    """The square so far away; -1 beyond the edge."""
    file, rank = square % 8 + files, square // 8 + ranks
    return file + 8 * rank if 0 <= file < 8 and 0 <= rank < 8 else -1


@inner
def is_man(position: SignedBytes, square: Int, role: Int, side: Int) -> bool:
    """Whether a man of a side stands on a square, which may be none."""
    return bool(square >= 0 and position[square] == role + BLACK_MAN * side)


@inner
def is_attacked(position: SignedBytes, square: Int, side: Int) -> bool:
    """Whether a side attacks a square."""
    behind = 1 if side else -1
    for way in range(8):
        if is_man(position, step(square, _LEAPS[way, 0], _LEAPS[way, 1]), KNIGHT, side):
            return True
        if is_man(position, step(square, _STEPS[way, 0], _STEPS[way, 1]), KING, side):
            return True
        at = step(square, _STEPS[way, 0], _STEPS[way, 1])
        while at >= 0 and position[at] == 0:
            at = step(at, _STEPS[way, 0], _STEPS[way, 1])
        if is_man(position, at, QUEEN, side) or is_man(position, at, ROOK if way < 4 else BISHOP, side):
            return True
    return is_man(position, step(square, 1, behind), PAWN, side) or is_man(
        position, step(square, -1, behind), PAWN, side
    )


@borrowing
def in_check(position: SignedBytes, side: Int) -> bool:
    """Whether the king of a side is attacked."""
    for square in range(64):
        if is_man(position, square, KING, side):
            return is_attacked(position, square, 1 - side)
    return False


@inner
def put(position: SignedBytes, move: Int, after: SignedBytes) -> bool:
    """Write the position after a move, without a right of en passant; whether it is a capture or a pawn move."""
    origin, target, promotion = move % 64, move // 64 % 64, move // 4096
    man, side = position[origin], position[TURN]
    is_pawn = man % BLACK_MAN == PAWN
    for place in range(len(position)):
        after[place] = position[place]
    after[TURN], after[EN_PASSANT] = 1 - side, -1
    if is_pawn and target == position[EN_PASSANT]:
        after[target + (8 if side else -8)] = 0
    after[origin] = 0
    after[target] = promotion + BLACK_MAN * side if promotion else man
    return bool(is_pawn or position[target] != 0)


@inner
def add(position: SignedBytes, after: SignedBytes, move: Int, moves: Ints, count: Int) -> Int:
    """Write down a move unless it leaves the own king in check; a pawn on the last rank becomes any of four men."""
    put(position, move, after)
    if in_check(after, position[TURN]):
        return count
    rank = move // 64 % 64 // 8
    if position[move % 64] % BLACK_MAN == PAWN and (rank in (0, 7)):
        for role in range(KNIGHT, QUEEN + 1):
            moves[count] = move + 4096 * role
            count += 1
        return count
    moves[count] = move
    return count + 1


@inner
def add_pawn(position: SignedBytes, after: SignedBytes, square: Int, moves: Ints, count: Int) -> Int:
    """Write down the moves of a pawn."""
    side = position[TURN]
    ahead = -1 if side else 1
    to = step(square, 0, ahead)
    if position[to] == 0:
        count = add(position, after, square + 64 * to, moves, count)
        double = step(to, 0, ahead)
        if square // 8 == (6 if side else 1) and position[double] == 0:
            count = add(position, after, square + 64 * double, moves, count)
    for files in (-1, 1):
        to = step(square, files, ahead)
        if to >= 0 and (to == position[EN_PASSANT] or (position[to] and position[to] // BLACK_MAN != side)):
            count = add(position, after, square + 64 * to, moves, count)
    return count


@inner
def add_piece(position: SignedBytes, after: SignedBytes, square: Int, moves: Ints, count: Int) -> Int:
    """Write down the moves of any other man."""
    side, role = position[TURN], position[square] % BLACK_MAN
    for way in range(8):
        if (role == BISHOP and way < 4) or (role == ROOK and way >= 4):
            continue
        files, ranks = _STEPS[way, 0], _STEPS[way, 1]
        if role == KNIGHT:
            files, ranks = _LEAPS[way, 0], _LEAPS[way, 1]
        to = step(square, files, ranks)
        while to >= 0:
            if position[to] == 0 or position[to] // BLACK_MAN != side:
                count = add(position, after, square + 64 * to, moves, count)
            if position[to] or role in (KNIGHT, KING):
                break
            to = step(to, files, ranks)
    return count


@borrowing
def legal_moves(position: SignedBytes, after: SignedBytes, moves: Ints) -> Int:
    """Write down the legal moves; how many there are. `after` is a buffer."""
    count: Int = 0
    for square in range(64):
        man = position[square]
        if man == 0 or man // BLACK_MAN != position[TURN]:
            continue
        if man % BLACK_MAN == PAWN:
            count = add_pawn(position, after, square, moves, count)
        else:
            count = add_piece(position, after, square, moves, count)
    return count


@borrowing
def play(position: SignedBytes, move: Int, after: SignedBytes, buffer: SignedBytes) -> bool:
    """Write the position after a legal move; whether it is a capture or a pawn move."""
    resets = put(position, move, after)
    origin, target = move % 64, move // 64 % 64
    if position[origin] % BLACK_MAN == PAWN and abs(target - origin) == 16:
        behind = (origin + target) // 2
        after[EN_PASSANT] = behind
        usable = False
        for files in (-1, 1):
            square = step(target, files, 0)
            if is_man(after, square, PAWN, after[TURN]):
                put(after, square + 64 * behind, buffer)
                usable |= not in_check(buffer, after[TURN])
        if not usable:
            after[EN_PASSANT] = -1
    return resets
