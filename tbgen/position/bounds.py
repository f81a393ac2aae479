"""Bounds: the least and the most that a value can be, after an unsolved promotion or in a block that is solved at cuts.

After a promotion the other side replies. Where it can take the new man, the value is known; every other reply is worth
a mate, White's for an upper bound and Black's for a lower one. Without any reply the position itself is the end.

A queen has all the moves of a rook or a bishop in her place, and allows the other side no reply that they do not. So
her side can play their lines with her, and scores no worse, with two exceptions: she stalemates where they mate later,
or she must move where they leave her side stalemated. So they are looked at where she stalemates or loses by mate, and
get no more than that stalemate where she is solved and loses.

A *cut* is a score that White gets at least or does not, in a bit a position. The lower bound of a value is the best cut
that White gets. The upper bound is the next score below the worst cut that White does not get.
"""

import enum
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, SignedBytes, Word, Words
from tbgen.compiled.jit import borrowing, inlined
from tbgen.index.handover import Entries
from tbgen.index.kernels import byte_of_goal, goal_of_byte
from tbgen.index.layout import Layout, Squares
from tbgen.index.outcomes import worth_to_white
from tbgen.index.squares import Rays, rays_of
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.material import Role
from tbgen.position.bracket import ANYTHING, Bracket
from tbgen.retro.drive.single import own_pawns
from tbgen.retro.resets.destinations import ChildTables
from tbgen.retro.resets.folding import CHILD_HAS_NO_VALUE, fold_reset
from tbgen.retro.words.block import Block, bare_block, enter_block, find_legal
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.retro.words.moves import GONE, SLOT, Scratch, new_scratch, note_moves, unpack_squares
from tbgen.score import MOST_STORED_CODE, STALEMATE_CODE, Color, Score

Cuts = tuple[Score, ...]
"""Scores that White gets at least or does not, from White's best on."""

_ALL: Final = sorted(
    (Score(code, color) for code in range(MOST_STORED_CODE + 1) for color in Color), reverse=True
)
PART: Final = 1 << 18
"""Cells whose bounds are found at a time."""
ENDS: Final[Cuts] = (Score("G0.5"), Score("-G1.0"))
"""Whether White mates or stalemates, and whether Black does not."""
UNKNOWN: Final = -1, 1  # by bounds: what replaces a value that is not known


class Bound(enum.IntEnum):
    """The bound that replaces the value of an unsolved promotion, seen by White."""

    LOWER = 0
    UPPER = 1


# entry[word * 64 + black king's square]: the best of the promotions folded so far, for the side that promotes; 0 where
# none is legal. `first`: the first word with the new man on his promotion square. `asked`: where the promotion may be
# the best. `children`: those before the promotion of the pawn in the slot `promoted`, so slots are those, too:
# capturing the new man gives what capturing the pawn gives.
@borrowing
def fold_bounds(
    block: Block, children: ChildTables, scratch: Scratch, promoted: int, first: int, asked: Words, entry: SignedBytes,
    bound: int, narrows: bool,
) -> int:  # fmt: skip
    """Fold a bound of one promotion into that of the others, or make that of its own closer."""
    new_man, side = (
        len(scratch.men) + len(block.geometry.pawn_color),
        1 - block.geometry.color[len(scratch.men) - 1],
    )
    for number in range(len(asked)):
        word = first + number
        if not block.legal[side, word] & asked[number]:
            continue
        unpack_squares(block, scratch, word)
        note_moves(block, scratch, word, side, True)
        for slot in range(new_man, promoted, -1):
            scratch.now[slot] = scratch.now[slot - 1]
        scratch.folded.outcome[:] = 0
        moves, others = NOTHING, NOTHING
        for n in range(scratch.noted[0]):
            kings, move = scratch.kings[n], scratch.moves[n]
            moves |= kings
            if move[GONE] == new_man:
                move[GONE] = promoted
                if promoted <= move[SLOT] < new_man:
                    move[SLOT] += 1
                fold_reset(children, scratch, side, kings, move)
            else:
                others |= kings
        kings = block.legal[side, word] & asked[number]
        while kings:
            square, kings = lowest_and_rest(kings)
            byte = bound_of(block, scratch, side, word, square, moves, others, UNKNOWN[bound])
            cell = number * 64 + square
            if narrows and not entry[cell]:
                scratch.status[0] = CHILD_HAS_NO_VALUE
            entry[cell] = best_for(bound if narrows else 1 - side, byte, np.int64(entry[cell]))
    return scratch.status[0]


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
    """The value of a position whose best capture is folded, if every other reply is worth `unknown`."""
    bit = square_bit(square)
    if not moves & bit:
        return np.int64(
            byte_of_goal(0 if block.check[side, word] & bit else STALEMATE_CODE, 1 - side)
        )
    byte = np.int64(scratch.folded.outcome[square])
    return best_for(side, unknown, byte) if others & bit else byte


def fold_promotions(
    layout: Layout, pawns: Squares, promoted: int, main: Role, unsolved: set[Role], children: ChildTables,
    bound: Bound, entry: Entries,
) -> None:  # fmt: skip
    """Fold bounds of a pawn's promotions to its main role, and to those that are not solved, for a bound of the best.

    `children` are those of the layout for this bound. `entry` has the values of the main role, if it is solved.
    """
    color, is_solved = layout.slots[promoted][0], main not in unsolved
    to = pawns[promoted] + (8 if color is Color.WHITE else -8)
    geometry, others = (
        geometry_of(layout),
        np.array([*pawns[:promoted], *pawns[promoted + 1 :]], np.int64),
    )
    first, end, words = (
        to * geometry.words,
        (to + 1) * geometry.words,
        range(0, geometry.words, PART // 64),
    )
    men = [role for _, role in layout.slots[layout.pawns + 1 : -1]]

    def fold(role: Role, asked: Words, *, narrows: bool = False) -> None:
        # Only the part of these words for the square that the new man is on is ever touched.
        block = bare_block(
            _geometry_after(geometry, promoted, int(color), rays_of([*men, role])), end
        )
        enter_block(block, 0, others)
        find_legal(block, np.zeros(len(men) + 1, np.int64), first, end)

        def fold_some(number: int) -> int:
            mine, scratch, after = own_pawns(block), new_scratch(len(men) + 1), number + words.step
            some, here = asked[number:after], entry[64 * number : 64 * after]
            return fold_bounds(
                mine, children, scratch, promoted, first + number, some, here, int(bound), narrows
            )

        with ThreadPoolExecutor(2) as pool:
            if any(pool.map(fold_some, words)):
                raise ValueError(f"no value of what takes the pawn promoted on {to} is at hand")

    everywhere, is_most = np.full(geometry.words, ~NOTHING), int(bound) == int(color.other)
    fold(main, everywhere, narrows=is_solved)
    if weaker := unsolved & {Role.ROOK, Role.BISHOP}:
        stalemates, loses = Score(STALEMATE_CODE, color).signed, Score(0, color.other).signed
        few, parts = (stalemates, loses) if is_most else (stalemates,), range(0, len(entry), PART)
        asked = np.concatenate(
            [np.packbits(np.isin(entry[n : n + PART], few), bitorder="little") for n in parts]
        )
        lost = np.flatnonzero(entry == loses) if is_solved and is_most else np.zeros(0, np.int64)
        for role in weaker:
            fold(role, asked.view(np.uint64))
        entry[lost[entry[lost] != loses]] = Score(STALEMATE_CODE, color.other).signed
    if Role.KNIGHT in unsolved:
        fold(Role.KNIGHT, everywhere)


def _geometry_after(geometry: Geometry, promoted: int, color: int, rays: Rays) -> Geometry:
    """The geometry in which the new man is the last one, and the first axis of words says where he stands."""
    men = len(geometry.color)
    return geometry._replace(
        rays=rays,
        color=np.append(geometry.color, color),
        shift=np.append(geometry.shift, geometry.king_shift + 6),
        twin_start=np.append(geometry.twin_start, men),
        twin_end=np.append(geometry.twin_end, men + 1),
        king_square=np.tile(geometry.king_square, 64),
        pawn_color=np.delete(geometry.pawn_color, promoted),
    )


def threshold_of(cut: Score) -> tuple[Score, bool]:
    """The threshold by which a cut is found, and whether White gets the cut where its holder does not get that."""
    return (cut, False) if cut.holder is Color.WHITE else (Score(cut.code - 1, Color.BLACK), True)


def outcomes_of(got: Sequence[npt.NDArray[np.bool_]], cuts: Cuts, bound: Bound) -> Entries:
    """The bounds of some values, of which is known which of the cuts White gets."""
    ends = [UNKNOWN[bound]] * (
        len(cuts) + 1
    )  # by how many of the cuts he gets, which are the last ones
    if bound is Bound.LOWER:  # the best that he gets
        ends[1:] = [cut.signed for cut in reversed(cuts)]
    else:  # below the worst that he does not get
        ends[:-1] = [_ALL[_ALL.index(cut) + 1].signed for cut in reversed(cuts)]
    return np.array(ends, np.int8)[sum(each.view(np.uint8) for each in got)]


def unpacked(content: Sequence[Bytes], cuts: Cuts, bound: Bound, first: int, size: int) -> Entries:
    """The bounds of some values, by the bits of each cut's threshold."""
    bits = [np.unpackbits(some, bitorder="little")[first : first + size] for some in content]
    return outcomes_of(
        [some != threshold_of(cut)[1] for some, cut in zip(bits, cuts, strict=True)], cuts, bound
    )


def joined(values: Sequence[Entries], cuts: Cuts, bound: Bound) -> Entries:
    """The bounds of values that are right for one of the cuts each; 0 where there are none."""
    got = [
        worth_to_white(each.astype(np.int64)) >= cut.rank
        for each, cut in zip(values, cuts, strict=True)
    ]
    return np.where(values[0] != 0, outcomes_of(got, cuts, bound), np.int8(0))


def next_cuts(
    tried: Sequence[Cuts],
    within: Bracket,
    promoter: Color | None,
    shares: dict[Score, float],
    climbs: bool,
    both: bool,
) -> tuple[Bound, Cuts]:
    """Up to four cuts to be tried next, and the bound to try them with; none if nothing is left between those tried.

    The bound by which unsolved promotions are worth nothing to `promoter` is likely the value, so it is found first,
    unless another way has. A cut of the other bound may prove it. If not, a way that climbs asks it of the likely
    one; others ask further cuts of it if they are to find `both`. `shares` are of values in similar tables.
    """
    (least, most), (from_below, from_above) = within.ends, tried
    cuts = [cut for cut in _ALL if least < cut <= most]
    lower = [cut for cut in cuts if not any(least < other <= cut for other in from_below)]
    upper = [cut for cut in cuts if not any(cut <= other <= most for other in from_above)]
    likely, left, proof, others = Bound.LOWER, lower, cuts[-1:], upper
    if promoter is Color.BLACK:
        likely, left, proof, others = Bound.UPPER, upper, cuts[:1], lower
    is_new = {*proof} <= {*others}
    if climbs:
        return (Bound(1 - likely), tuple(proof)) if is_new else (likely, tuple({*proof} & {*left}))
    if left and (any(tried) or within == ANYTHING):
        return likely, _likely(left, shares) if promoter is not None else _shared(left, _ALL[:-1])
    return Bound(1 - likely), tuple(proof) if is_new else _likely(
        others, shares
    ) if others and both else ()


def _shared(left: Sequence[Score], cuts: Sequence[Score]) -> Cuts:
    """The first open cut where all are halved again and again: positions without pawns ask the same ones."""
    cut = min(
        _likely(cuts, {}), key=lambda each: each.code
    )  # one of few moves takes less time and memory
    at = cuts.index(cut)
    return (cut,) if cut in left else _shared(left, cuts[:at] if cut < left[0] else cuts[at + 1 :])


def _likely(cuts: Sequence[Score], shares: dict[Score, float]) -> Cuts:
    """Four of some cuts in a row, or fewer: values between any two are about equally likely. Low ones are quicker."""
    values = _ALL[_ALL.index(cuts[0]) :][: len(cuts) + 1]
    weights = np.cumsum(
        [shares.get(one, 0) + 0.004 * 0.5 ** (one.code / 8) for one in values]
    )  # few moves are likely
    far = np.abs(weights[:-1] / weights[-1] - np.arange(1, 5)[:, None] / 5) + [
        cut.code / 500 for cut in cuts
    ]
    return tuple(cuts[n] for n in sorted({*far.argmin(axis=1).tolist()}))
