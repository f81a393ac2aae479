"""Promotions that are not solved: the least and the most that they can be worth.

After a promotion the other side replies. Where it can take the new man, the value is known; every
other reply is worth a mate, White's for an upper bound and Black's for a lower one. Without any
reply the position itself is the end.

    Queen theorem. A queen has all the moves of a rook or a bishop in her place, and allows the
    other side no reply that they do not. So her side can play their lines with her, and scores no
    worse, with two exceptions: she stalemates where they mate later, or she must move where they
    leave her side stalemated.

So rooks and bishops are looked at in two places only:

* where the queen stalemates,
* where she is solved and loses by mate. There they get no more than a stalemate of her own side.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np

from tbgen.closures.bounds import CELLS_AT_ONCE, UNKNOWN, Bound
from tbgen.compiled.arrays import Int, Ints, SignedBytes, Word, Words
from tbgen.compiled.jit import borrowing, inlined, inner
from tbgen.index.kernels import byte_of_goal, goal_of_byte
from tbgen.index.layout import Layout
from tbgen.index.placements import Squares
from tbgen.index.squares import rays_of
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.men import AnyMan, Role
from tbgen.retro.drive.single import QUESTIONS_OF_A_BLOCK, own_pawns
from tbgen.retro.drive.task import check_status
from tbgen.retro.resets.destinations import ChildTables
from tbgen.retro.resets.folding import fold_reset, merit_of_byte, spread
from tbgen.retro.status import CHILD_HAS_NO_VALUE
from tbgen.retro.words.block import Block, bare_block, enter_block, find_legal
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.retro.words.moves import (
    GONE,
    SLOT,
    Scratch,
    new_scratch,
    note_enough_moves,
    unpack_squares,
)
from tbgen.score import STALEMATE_CODE, Color, Score
from tbgen.table import Entries

WORDS_AT_ONCE: Final = CELLS_AT_ONCE // 64
ALL_BITS: Final = ~NOTHING


class PromotedGeometries:
    """The geometries after the promotions that a layout's pawns have, each made once."""

    def __init__(self, layout: Layout) -> None:
        self.material = layout.material
        self.before = geometry_of(layout)
        self.slots = layout.slots
        self.men: Sequence[AnyMan] = [man for _, man in layout.slots[layout.pawns + 1 : -1]]
        """The men of the words before a promotion."""
        self._after = dict[tuple[int, Role], Geometry]()

    def after(self, promoted: int, role: Role) -> Geometry:
        """The geometry once the pawn in the slot `promoted` has become a man of this role.

        The new man is the last one, and the first axis of words says where he stands.
        """
        known = self._after.get((promoted, role))
        if known is not None:
            return known
        before = self.before
        color, _ = self.slots[promoted]
        men = len(before.color)
        after = before._replace(
            rays=rays_of([*self.men, role]),
            color=np.append(before.color, int(color)),
            shift=np.append(before.shift, before.king_shift + 6),
            # The shade is that of the bishops before the promotion.
            light=np.append(before.light, np.zeros((1, 64), np.int64), axis=0),
            twin_start=np.append(before.twin_start, men),
            twin_end=np.append(before.twin_end, men + 1),
            king_square=np.tile(before.king_square, 64),
            pawn_color=np.delete(before.pawn_color, promoted),
        )
        self._after[promoted, role] = after
        return after


class BoundOfBest(NamedTuple):
    """A bound of the best promotion of a pawn."""

    bound: Bound
    """Whether it is the least or the most that the promotions are worth to White."""
    children: ChildTables
    """What the layout's blocks lead to, with this bound."""
    entry: Entries
    """Receives the bound of each cell. If the first role is solved, it has that role's values."""


class BestPromotion:
    """Finds bounds of the best promotion of a pawn, to which its roles are added one by one.

    Arguments:
        geometries: Of the block's layout.
        pawns: Of the block.
        shades: Those of the block's bishops that are solved.
        promoted: The slot of the pawn.
        bounds: What is found.
    """

    def __init__(
        self,
        geometries: PromotedGeometries,
        pawns: Squares,
        shades: Word,
        promoted: int,
        bounds: Sequence[BoundOfBest],
    ) -> None:
        self._geometries = geometries
        self._words = geometries.before.words
        self._men = len(geometries.men) + 1
        self._other_pawns = np.array([*pawns[:promoted], *pawns[promoted + 1 :]], np.int64)
        self._shades = shades
        self._promoted = promoted
        self._color, _ = geometries.slots[promoted]
        square = pawns[promoted] + (8 if self._color is Color.WHITE else -8)
        # Only the words with the new man on its square are ever touched. Those of the last rank
        # have negative numbers, which count from the end of an array. So no array has room for the
        # seven ranks before it, which would be more than many systems promise.
        self._first_word = square * self._words
        if self._color is Color.WHITE:
            self._first_word -= 64 * self._words
        self._bounds = bounds

    def find(self, first: Role, unsolved: set[Role]) -> None:
        """Find the bounds of a first role and of the unsolved ones.

        The first role is a queen, or a knight that is solved. Solved values come closer.
        """
        everywhere = [np.full(self._words, ALL_BITS)] * len(self._bounds)
        is_solved = first not in unsolved
        self._add(first, everywhere, narrows=is_solved)
        weaker = unsolved & {Role.ROOK, Role.BISHOP}
        if weaker:
            self._add_weaker(weaker, is_queen_solved=is_solved)
        if Role.KNIGHT in unsolved:
            self._add(Role.KNIGHT, everywhere)

    def _add(self, role: Role, asked: Sequence[Words], *, narrows: bool = False) -> None:
        """Add the promotion to a role to each bound, in the cells that are asked of it.

        With `narrows`, the values in `entry` are the role's own, and come closer.
        """
        if not any(words.any() for words in asked):
            return
        block = self._block_after(role)
        for best, words in zip(self._bounds, asked, strict=True):
            self._add_in_parts(best, block, words, narrows=narrows)

    def _block_after(self, role: Role) -> Block:
        """The block after the promotion to a role, with its legal positions."""
        end = self._first_word + self._words
        geometry = self._geometries.after(self._promoted, role)
        block = bare_block(geometry, max(end, -self._first_word))
        enter_block(block, 0, self._other_pawns)
        block.shades[0] = self._shades
        find_legal(block, np.zeros(self._men, np.int64), self._first_word, end)
        return block

    def _add_in_parts(
        self, best: BoundOfBest, block: Block, asked: Words, *, narrows: bool
    ) -> None:
        """Add a promotion, after which there is this block, to one of the bounds."""

        def add_part(number: int) -> int:
            after = number + WORDS_AT_ONCE
            return add_bounds(
                own_pawns(block),
                best.children,
                new_scratch(self._men),
                self._promoted,
                self._first_word + number,
                asked[number:after],
                best.entry[64 * number : 64 * after],
                int(best.bound),
                narrows,
            )

        parts = range(0, self._words, WORDS_AT_ONCE)
        if len(parts) == 1:
            statuses = [add_part(0)]
        else:
            # A large block has as many threads as when it is asked.
            with ThreadPoolExecutor(QUESTIONS_OF_A_BLOCK) as pool:
                statuses = list(pool.map(add_part, parts))
        for status in statuses:
            check_status(self._geometries.material, status)

    def _add_weaker(self, roles: set[Role], *, is_queen_solved: bool) -> None:
        """Add rooks and bishops where the theorem lets them be better than the queen."""
        other_stalemated = Score(STALEMATE_CODE, self._color).signed
        own_mated = Score(0, self._color.other).signed
        own_stalemated = Score(STALEMATE_CODE, self._color.other).signed
        asked = list[Words]()
        lost = list[tuple[Entries, Words]]()
        """The cells that a solved queen loses by mate."""
        for best in self._bounds:
            # The upper bound of White's promotion, or the lower one of Black's, is the most for the
            # promoting side. The least for that side stays right if it leaves out what a rook or
            # bishop saves.
            is_most = (best.bound is Bound.UPPER) == (self._color is Color.WHITE)
            if not is_most:
                asked.append(_words_of(best.entry, (other_stalemated,)))
                continue
            asked.append(_words_of(best.entry, (other_stalemated, own_mated)))
            if is_queen_solved:
                lost.append((best.entry, _words_of(best.entry, (own_mated,))))
        for role in roles:
            self._add(role, asked)
        # Where the queen loses by mate, they may save no more than a stalemate of their own side.
        for entry, was_lost in lost:
            _limit_saved(entry, was_lost, own_mated, own_stalemated)


def _limit_saved(entry: Entries, was_lost: Words, mated: int, stalemated: int) -> None:
    """Give the cells that the queen loses no more than a stalemate, unless they stay lost."""
    for first in range(0, len(entry), CELLS_AT_ONCE):
        part = entry[first : first + CELLS_AT_ONCE]
        words = was_lost[first // 64 : (first + len(part)) // 64]
        bits = np.unpackbits(words.view(np.uint8), bitorder="little").view(np.bool_)
        part[bits & (part != mated)] = stalemated


def _words_of(entry: Entries, outcomes: tuple[int, ...]) -> Words:
    """The cells with some outcomes, as words."""
    parts = []
    for first in range(0, len(entry), CELLS_AT_ONCE):
        part = entry[first : first + CELLS_AT_ONCE]
        has_outcome = np.zeros(len(part), np.bool_)
        for outcome in outcomes:
            has_outcome |= part == outcome
        parts.append(np.packbits(has_outcome, bitorder="little"))
    return np.concatenate(parts).view(np.uint64)


# entry[word * 64 + black king's square]: the best of the promotions added so far, for the side
# that promotes; 0 where none is legal. `first`: the first word with the new man on his promotion
# square. `asked`: where the promotion may be the best. `children`: those before the promotion of
# the pawn in the slot `promoted`, so slots are those, too.
@borrowing
def add_bounds(
    block: Block,
    children: ChildTables,
    scratch: Scratch,
    promoted: int,
    first: int,
    asked: Words,
    entry: SignedBytes,
    bound: int,
    narrows: bool,
) -> int:
    """Add a bound of one promotion to that of the others, or narrow its own."""
    new_man = len(scratch.men) + len(block.geometry.pawn_color)
    side = 1 - block.geometry.color[len(scratch.men) - 1]
    for number in range(len(asked)):
        word = first + number
        kings = block.legal[side, word] & asked[number]
        if not kings:
            continue
        unpack_squares(block, scratch, word)
        note_enough_moves(block, scratch, word, side, kings)
        make_room_for_pawn(scratch, promoted, new_man)
        scratch.folded.outcome[:] = 0
        moves = NOTHING
        captures = NOTHING
        others = NOTHING
        for n in range(scratch.noted[0]):
            movers = scratch.kings[n]
            move = scratch.moves[n]
            moves |= movers
            if move[GONE] == new_man:
                as_if_unpromoted(move, promoted, new_man)
                fold_reset(children, scratch, side, movers, move)
                captures |= movers
            else:
                others |= movers
        # The closer of two lower bounds is better for White, whose number the lower bound has.
        chooser = bound if narrows else 1 - side
        part = entry[number * 64 : number * 64 + 64]
        has_values = add_unknown(scratch, part, kings & others & ~captures, bound, chooser)
        kings &= captures | ~others
        while kings:
            square, kings = lowest_and_rest(kings)
            byte = bound_of(block, scratch, side, word, square, moves, others, UNKNOWN[bound])
            has_values &= part[square] != 0
            part[square] = best_for(chooser, byte, np.int64(part[square]))
        if narrows and not has_values:
            scratch.status[0] = CHILD_HAS_NO_VALUE
    return scratch.status[0]


@inner
def add_unknown(
    scratch: Scratch, entry: SignedBytes, kings: Word, bound: Int, chooser: Int
) -> bool:
    """Add the bound of a value of which nothing is known to the positions of a word.

    Returns whether all of them had a value before. As in `fold_line`, nothing branches.
    """
    asked = scratch.asked
    spread(kings, asked)
    unknown = merit_of_byte(np.uint8(UNKNOWN[bound]), chooser)
    lacking = np.uint8(0)
    for square in range(64):
        at = np.uint64(square)
        known = merit_of_byte(np.uint8(entry[at]), chooser)
        lacking |= asked[at] & np.uint8(255 * (known == 0))
        entry[at] = np.int8(merit_of_byte(max(known, unknown & asked[at]), chooser))
    return lacking == 0


@inlined
def make_room_for_pawn(scratch: Scratch, promoted: Int, new_man: Int) -> None:
    """Number the squares as before the promotion.

    The pawn had the slot `promoted`. Each slot behind it moves up by one.
    """
    for slot in range(new_man, promoted, -1):
        scratch.now[slot] = scratch.now[slot - 1]


@inlined
def as_if_unpromoted(move: Ints, promoted: Int, new_man: Int) -> None:
    """Rewrite a capture of the new man as one of the pawn: both leave the same position."""
    move[GONE] = promoted
    if promoted <= move[SLOT] < new_man:
        move[SLOT] += 1


@inlined
def best_for(side: Int, byte: Int, other: Int) -> Int:
    """The better of two outcomes; the other one may be 0 for none."""
    return other if other and goal_of_byte(other, side) < goal_of_byte(byte, side) else byte


@inlined
def bound_of(
    block: Block,
    scratch: Scratch,
    side: Int,
    word: Int,
    square: Int,
    moves: Word,
    others: Word,
    unknown: Int,
) -> Int:
    """The value of a position whose best capture of the new man is at hand.

    Every other reply is worth `unknown`.
    """
    bit = square_bit(square)
    if not moves & bit:
        code = 0 if block.check[side, word] & bit else STALEMATE_CODE
        return np.int64(byte_of_goal(code, 1 - side))
    byte = np.int64(scratch.folded.outcome[square])
    return best_for(side, unknown, byte) if others & bit else byte
