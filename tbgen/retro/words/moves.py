"""Every legal move of 64 positions at a time.

`lanes` are black king squares: the positions of a word for which a move is legal.
"""

from __future__ import annotations

from tbgen.compiled.arrays import Int, Ints, Word
from tbgen.compiled.jit import inlined, inner
from tbgen.index.squares import KING_ATTACKS, KING_TO, MOVES, PAWN_ATTACKS, RAY_COUNT
from tbgen.index.words import NOTHING, king_step, square_bit
from tbgen.material import Role
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import BLACK, NOBODY, WHITE, Geometry, king_of, unpack_men, word_after
from tbgen.retro.words.legality import white_attacks, white_king_attacked
from tbgen.retro.words.movelist import NO_ROLE, NO_SLOT, Scratch, note_move

KNIGHT, QUEEN = int(Role.KNIGHT), int(Role.QUEEN)


@inner
def man_on(block: Block, men: Ints, color: Int, square: Int) -> tuple[int, int]:
    """(man, pawn) of a colour on a square; NOBODY for the one it is not."""
    geometry = block.geometry
    for n in range(len(geometry.color)):
        if geometry.color[n] == color and men[n] == square:
            return n, NOBODY
    for n in range(len(geometry.pawn_color)):
        if geometry.pawn_color[n] == color and block.pawns[n] == square:
            return NOBODY, n
    return NOBODY, NOBODY


@inlined
def slot_of(geometry: Geometry, man: Int, pawn: Int) -> Int:
    """The slot of a man or a pawn, -1 for nobody."""
    if man != NOBODY:
        return len(geometry.pawn_color) + 1 + man
    return pawn


@inner
def lanes_after_white_move(block: Block, men: Ints, king: Int, occupied: Word, gone_man: Int, gone_pawn: Int) -> Word:
    """Lanes in which White's king is not attacked once White has moved."""
    geometry = block.geometry
    attacked = white_king_attacked(geometry, men, block.pawns, king, occupied, gone_man, gone_pawn)
    return ~(attacked | KING_ATTACKS[king])


@inner
def lanes_after_black_move(block: Block, men: Ints, king: Int, occupied: Word, gone_man: Int, gone_pawn: Int) -> Word:
    """Lanes in which Black's king is not attacked once another black man has moved."""
    geometry = block.geometry
    return ~white_attacks(geometry, men, block.pawns, king, occupied, gone_man, gone_pawn)


@inner
def lanes_after_move(
    side: Int, block: Block, men: Ints, king: Int, occupied: Word, gone_man: Int, gone_pawn: Int
) -> Word:
    """Lanes in which the mover's king is not attacked after the move of another man."""
    if side == WHITE:
        return lanes_after_white_move(block, men, king, occupied, gone_man, gone_pawn)
    return lanes_after_black_move(block, men, king, occupied, gone_man, gone_pawn)


@inner
def note_white_king_moves(block: Block, scratch: Scratch, word: Int) -> None:
    """Steps and captures of the white king."""
    geometry = block.geometry
    men, king, occupied = scratch.men, king_of(geometry, word), block.occupied[word]
    slot = len(geometry.pawn_color)
    for to in KING_TO[king]:
        if to < 0:
            break
        gone_man, gone_pawn = man_on(block, men, BLACK, to)
        gone = slot_of(geometry, gone_man, gone_pawn)
        if gone < 0 and occupied & square_bit(to):
            continue
        now_occupied = occupied & ~square_bit(king) | square_bit(to)
        lanes = block.legal[WHITE, word] & ~square_bit(to)
        lanes &= lanes_after_white_move(block, men, to, now_occupied, gone_man, gone_pawn)
        note_move(scratch, lanes, slot, to, gone, NO_ROLE, 0)


@inner
def note_black_king_moves(block: Block, scratch: Scratch, word: Int) -> None:
    """Steps and captures of the black king, whose squares are the lanes."""
    geometry = block.geometry
    men, king, occupied = scratch.men, king_of(geometry, word), block.occupied[word]
    slot = len(geometry.pawn_color) + len(geometry.color) + 1
    for direction in range(8):
        lanes = block.legal[BLACK, word] & king_step(block.legal[WHITE, word], direction ^ 2)
        note_move(scratch, lanes, slot, 0, NO_SLOT, NO_ROLE, 0)
    for prey in range(slot):
        if prey == len(geometry.pawn_color):
            continue
        pawn = prey if prey < len(geometry.pawn_color) else NOBODY
        man = NOBODY if pawn != NOBODY else prey - len(geometry.pawn_color) - 1
        color = geometry.pawn_color[pawn] if man == NOBODY else geometry.color[man]
        to = scratch.now[prey]
        safe = lanes_after_black_move(block, men, king, occupied & ~square_bit(to), man, pawn)
        if color == WHITE and safe & square_bit(to):
            note_move(scratch, block.legal[BLACK, word] & KING_ATTACKS[to], slot, to, prey, NO_ROLE, 0)


@inner
def note_man_moves(block: Block, scratch: Scratch, word: Int, side: Int, man: Int) -> None:
    """Moves and captures of a man that is neither king nor pawn."""
    geometry = block.geometry
    men, king, occupied = scratch.men, king_of(geometry, word), block.occupied[word]
    start, slot, role = men[man], slot_of(geometry, man, NOBODY), geometry.role[man]
    for ray in range(RAY_COUNT[role]):
        clear = block.legal[side, word]
        for step in range(8):
            to = MOVES[role, start, ray, step]
            if to < 0:
                break
            clear &= ~square_bit(to)
            if not occupied & square_bit(to):
                lanes = clear & block.legal[1 - side, word_after(geometry, word, men, man, to)]
                note_move(scratch, lanes, slot, to, NO_SLOT, NO_ROLE, 0)
                continue
            gone_man, gone_pawn = man_on(block, men, 1 - side, to)
            gone = slot_of(geometry, gone_man, gone_pawn)
            if gone >= 0:
                men[man] = to
                now_occupied = occupied & ~square_bit(start)
                lanes = clear & lanes_after_move(side, block, men, king, now_occupied, gone_man, gone_pawn)
                men[man] = start
                note_move(scratch, lanes, slot, to, gone, NO_ROLE, 0)
            break


@inner
def note_pawn_moves(block: Block, scratch: Scratch, word: Int, side: Int, pawn: Int) -> None:
    """Steps, double steps, captures and promotions of a pawn (en passant: see levels/en_passant.py)."""
    geometry = block.geometry
    pawns, men, king, occupied = block.pawns, scratch.men, king_of(geometry, word), block.occupied[word]
    start, up = pawns[pawn], 8 if side == WHITE else -8
    reach = 2 if start >> 3 == (1 if side == WHITE else 6) else 1
    lanes = block.legal[side, word]
    for target in range(2 + len(geometry.pawn_color) + len(geometry.color) + 1):
        gone_man, gone_pawn, prey = NOBODY, NOBODY, target - 2
        if prey < 0:
            to = start + up * (target + 1)
            way = square_bit(start + up) | square_bit(start + up * (reach if target else 1))
            if target >= reach or occupied & way:
                continue
            clear = ~way
        else:
            to, clear = scratch.now[prey], ~NOTHING
            gone_man, gone_pawn = man_on(block, men, 1 - side, to)
            if slot_of(geometry, gone_man, gone_pawn) != prey or not PAWN_ATTACKS[side, start] & square_bit(to):
                continue
        pawns[pawn] = to
        now_occupied = occupied & ~square_bit(start) | square_bit(to)
        legal = lanes & clear & lanes_after_move(side, block, men, king, now_occupied, gone_man, gone_pawn)
        pawns[pawn] = start
        first, last = (NO_ROLE, NO_ROLE) if 0 < to >> 3 < 7 else (KNIGHT, QUEEN)
        for role in range(first, last + 1):
            note_move(scratch, legal, pawn, to, max(prey, NO_SLOT), role, target == 1)


@inner
def unpack_squares(block: Block, scratch: Scratch, word: Int) -> None:
    """Write the squares of a word, but for the black king's, into `men` and `now`."""
    geometry = block.geometry
    unpack_men(geometry, word, scratch.men)
    pawns = len(geometry.pawn_color)
    for n in range(pawns):
        scratch.now[n] = block.pawns[n]
    scratch.now[pawns] = king_of(geometry, word)
    for n in range(len(scratch.men)):
        scratch.now[pawns + 1 + n] = scratch.men[n]


@inner
def note_moves(block: Block, scratch: Scratch, word: Int, side: Int) -> None:
    """Note every move of one side in a word."""
    geometry = block.geometry
    scratch.noted[0] = 0
    if side == WHITE:
        note_white_king_moves(block, scratch, word)
    else:
        note_black_king_moves(block, scratch, word)
    for man in range(len(scratch.men)):
        if geometry.color[man] == side:
            note_man_moves(block, scratch, word, side, man)
    for pawn in range(len(geometry.pawn_color)):
        if geometry.pawn_color[pawn] == side:
            note_pawn_moves(block, scratch, word, side, pawn)
