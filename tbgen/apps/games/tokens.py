"""The tokens of a game of PGN: tags, results and moves, and the words that are neither."""

from __future__ import annotations

import numpy as np

from tbgen.apps.games.characters import (
    BANG,
    CLASS,
    CONTROL,
    DOT,
    END_BRACKET,
    HIGH,
    HYPHEN,
    NINE,
    PLAIN,
    QUESTION,
    QUOTE,
    STAR,
    ZERO,
    char_width,
    character,
    is_ascii_space,
    is_wide_sign,
    is_wide_space,
)
from tbgen.compiled.arrays import Bytes, Int, Ints
from tbgen.compiled.jit import inner

LINE, NEXT_LINE, NAME, NAME_END, VALUE, VALUE_END, TAG_COLUMNS = range(7)
"""tags[n]: the start of its line and of the next one; its name, and its value between the quotation marks."""

MOVE, MOVE_END, MOVE_COLUMNS = range(3)
"""moves[n]: a move without its number and signs."""

NO_RESULT, WHITE_WINS, BLACK_WINS, DRAW, UNKNOWN = range(5)


def _names() -> Bytes:
    """[byte] -> 2 if a tag's name may begin with it, 1 if it may go on with it."""
    table = np.zeros(256, np.uint8)
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_":
        table[ord(letter)] = 2
    for letter in "+#=:-":
        table[ord(letter)] = 1
    return table


def _signs() -> Bytes:
    """[byte] -> 1 if it is a sign of annotation."""
    table = np.zeros(256, np.uint8)
    for letter in "-!?=~/+":
        table[ord(letter)] = 1
    return table


_NAME_CLASS, _SIGN = _names(), _signs()
EVENT, _HALVES = np.frombuffer(b"Event", np.uint8), np.frombuffer(b"1/2-1/2", np.uint8)


@inner
def spells(text: Bytes, start: Int, word: Bytes) -> bool:
    """Whether some bytes are a word."""
    for place in range(len(word)):  # noqa: SIM110 - the compiler knows no generators
        if text[start + place] != word[place]:
            return False
    return True


@inner
def starts_game(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a line is the tag Event, at least its beginning."""
    at = start + 1
    while at < end and is_ascii_space(text[at]):
        at += 1
    if end - at < 7:
        return False
    if not spells(text, at, EVENT):
        return False
    quote = at + 5
    while quote < end and is_ascii_space(text[quote]):
        quote += 1
    return bool(quote > at + 5 and quote < end and text[quote] == QUOTE)


@inner
def read_tag(text: Bytes, start: Int, end: Int, row: Ints) -> bool:
    """Find name and value of a tag that fills a line, and return whether the line is one."""
    at = start + 1
    while at < end and is_ascii_space(text[at]):
        at += 1
    if at >= end or _NAME_CLASS[text[at]] < 2:
        return False
    row[NAME] = at
    while at < end and _NAME_CLASS[text[at]]:
        at += 1
    row[NAME_END] = at
    while at < end and is_ascii_space(text[at]):
        at += 1
    if at == row[NAME_END] or at >= end or text[at] != QUOTE:
        return False
    last = end - 1
    while last > at and is_ascii_space(text[last]):
        last -= 1
    if text[last] != END_BRACKET:
        return False
    last -= 1
    while last > at and is_ascii_space(text[last]):
        last -= 1
    row[VALUE], row[VALUE_END] = at + 1, last
    return bool(last > at and text[last] == QUOTE)


@inner
def word_end(text: Bytes, at: Int, end: Int) -> Int:
    """The end of the word that begins at a byte; that byte itself if it begins white space or is a mark."""
    while at < end:
        kind = CLASS[text[at]]
        if kind in (PLAIN, CONTROL):
            at += 1
        elif kind == HIGH:
            width = char_width(text, at, end)
            if is_wide_space(character(text, at, width)):
                break
            at += width
        else:
            break
    return at


@inner
def half_width(text: Bytes, at: Int, end: Int) -> Int:
    """The number of bytes of a ½ at some place; 0 if there is none."""
    if at < end and text[at] == 0xBD:
        return 1
    return 2 if at + 1 < end and text[at] == 0xC2 and text[at + 1] == 0xBD else 0


@inner
def result_of(text: Bytes, start: Int, end: Int) -> Int:
    """The result that a word writes; NO_RESULT if it is none."""
    length = end - start
    if length == 1 and text[start] == STAR:
        return UNKNOWN
    if length == 3 and text[start + 1] == HYPHEN:
        white, black = text[start], text[start + 2]
        if white == 49 and black == 48:
            return WHITE_WINS
        if white == 48 and black == 49:
            return BLACK_WINS
    if length == 7 and spells(text, start, _HALVES):
        return DRAW
    first = half_width(text, start, end)
    if first and start + first < end and text[start + first] == HYPHEN:
        second = half_width(text, start + first + 1, end)
        return DRAW if second and first + 1 + second == length else NO_RESULT
    return NO_RESULT


@inner
def is_note(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a word is `e.p.` or `ep`, or a single character that stands for no move."""
    if end - start == 1:
        return bool(text[start] == 78 or text[start] == 0x1A)
    if text[start] != 101:
        return False
    rest = start + 2 if text[start + 1] == DOT else start + 1
    if rest >= end or text[rest] != 112:
        return False
    return bool(rest + 1 == end or (rest + 2 == end and text[rest + 1] == DOT))


@inner
def is_sign(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a word is an evaluation, dots, a number, `e.p.` or `N` and so no move."""
    digits: Int = 0
    dots = signs = length = 0
    at = start
    while at < end:
        width = char_width(text, at, end)
        number = character(text, at, width)
        is_digit, is_dot = ZERO <= number <= NINE, number == DOT
        has_sign = (number < 128 and _SIGN[number] == 1) or is_wide_sign(number)
        if not (is_digit or is_dot or has_sign):
            return is_note(text, start, end)
        digits += is_digit
        dots += is_dot
        signs += has_sign
        length += 1
        at += width
    return length in (digits, dots) or (
        length == signs and not (length == 2 and text[start] == text[start + 1] == HYPHEN)
    )


@inner
def read_move(text: Bytes, start: Int, end: Int, row: Ints) -> bool:
    """Find the move in a word, without its number and signs, and return whether there is one."""
    at = start
    while at < end and ZERO <= text[at] <= NINE:
        at += 1
    if at > start and at < end and text[at] == DOT:
        while at < end and text[at] == DOT:
            at += 1
        start = at
    while end > start and (text[end - 1] == BANG or text[end - 1] == QUESTION):
        end -= 1
    row[MOVE], row[MOVE_END] = start, end
    return not is_sign(text, start, end)
