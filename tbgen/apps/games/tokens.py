"""The characters and tokens of PGN: tags, results and moves, and the words that are neither."""

from __future__ import annotations

import string

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints
from tbgen.compiled.jit import inner, small

LINE, NEXT_LINE, NAME, NAME_END, VALUE, VALUE_END, TAG_COLUMNS = range(7)
"""tags[n]: the start of its line and of the next one; its name, and its value between the quotation marks."""

MOVE, MOVE_END, MOVE_COLUMNS = range(3)
"""moves[n]: a move without its number and signs."""

NO_RESULT, WHITE_WINS, BLACK_WINS, DRAW, UNKNOWN = range(5)

PLAIN, SPACE, MARK, CONTROL, HIGH = range(5)
OPEN, CLOSE, LEFT, RIGHT, SEMICOLON, DOLLAR = (ord(letter) for letter in "{}();$")
NEWLINE, RETURN, BRACKET, END_BRACKET, QUOTE, PERCENT = (ord(letter) for letter in '\n\r[]"%')
DOT, ZERO, ONE, NINE, HYPHEN, STAR, BANG, QUESTION = (ord(letter) for letter in ".019-*!?")
_NOVELTY, _E, _P, _SUBSTITUTE = (ord(letter) for letter in "Nep\x1a")


def _marked(*sets: tuple[bytes, int]) -> Bytes:
    """[byte] -> the number that goes with its set; 0 for all other bytes."""
    table = np.zeros(256, np.uint8)
    for members, mark in sets:
        table[list(members)] = mark
    return table


CLASS = _marked(
    (bytes([*range(0x09), *range(0x0E, 0x1A)]), CONTROL),
    (bytes([*range(0x09, 0x0E), *range(0x1C, 0x21)]), SPACE),
    (b"{}();$", MARK),
    (bytes(range(0x80, 0x100)), HIGH),
)
"""[byte] -> its class; HIGH for bytes that only a look at the whole character can tell."""
_NAME_CLASS = _marked((f"{string.ascii_letters}{string.digits}_".encode(), 2), (b"+#=:-", 1))
"""[byte] -> 2 if a tag's name may begin with it, 1 if it may go on with it."""
_SIGN = _marked((b"-!?=~/+", 1))
"""[byte] -> 1 if it is a sign of annotation."""
EVENT, _HALVES, _ORDER_MARK = (np.frombuffer(word, np.uint8) for word in (b"Event", b"1/2-1/2", b"\xef\xbb\xbf"))


@small
def is_ascii_space(byte: Int) -> bool:
    return bool(byte == 32 or 9 <= byte <= 13)


@inner
def skip_space(text: Bytes, at: Int, end: Int) -> Int:
    """The first byte from `at` on that is not white space."""
    while at < end and is_ascii_space(text[at]):
        at += 1
    return at


@inner
def character(text: Bytes, at: Int, end: Int) -> tuple[Int, Int]:
    """The number and the width of a character: a sequence of UTF-8, or else one byte of Latin-1.

    Overlong sequences, surrogates and numbers above U+10FFFF are not UTF-8, as Python's decoder has it.
    """
    first = np.int64(text[at])
    if first < 0xC2 or first > 0xF4:
        return first, 1
    width = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if at + width > end:
        return first, 1
    number = first & (0xFF >> (width + 1))
    for place in range(at + 1, at + width):
        if text[place] & 0xC0 != 0x80:
            return first, 1
        number = number << 6 | np.int64(text[place]) & 0x3F
    if (width == 3 and number < 0x800) or (width == 4 and number < 0x10000):
        return first, 1
    if 0xD800 <= number <= 0xDFFF or number > 0x10FFFF:
        return first, 1
    return number, width


@small
def is_wide_space(number: Int) -> bool:
    """Whether a character beyond ASCII is white space."""
    if number in (0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000):
        return True
    return bool(0x2000 <= number <= 0x200A)


@small
def is_wide_sign(number: Int) -> bool:
    """Whether a character beyond ASCII is a sign of evaluation: − ± ∓ ⩲ ⩱ □ ∞"""
    return number in (0x2212, 0xB1, 0x2213, 0x2A72, 0x2A71, 0x25A1, 0x221E)


@inner
def spells(text: Bytes, start: Int, word: Bytes) -> bool:
    """Whether some bytes are a word."""
    for place in range(len(word)):  # noqa: SIM110 - the compiler knows no generators
        if text[start + place] != word[place]:
            return False
    return True


@inner
def behind_order_mark(text: Bytes, start: Int, end: Int) -> Int:
    """The start of a line, or the byte behind its byte order mark."""
    return start + 3 if end - start >= 3 and spells(text, start, _ORDER_MARK) else start


@inner
def starts_game(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a line is the tag Event, at least its beginning."""
    at = skip_space(text, start + 1, end)
    if end - at < 7 or not spells(text, at, EVENT):
        return False
    quote = skip_space(text, at + 5, end)
    return bool(quote > at + 5 and quote < end and text[quote] == QUOTE)


@inner
def read_tag(text: Bytes, start: Int, end: Int, row: Ints) -> bool:
    """Find name and value of a tag that fills a line, and return whether the line is one."""
    at = skip_space(text, start + 1, end)
    if at >= end or _NAME_CLASS[text[at]] < 2:
        return False
    row[NAME] = at
    while at < end and _NAME_CLASS[text[at]]:
        at += 1
    row[NAME_END] = at
    at = skip_space(text, at, end)
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
            number, width = character(text, at, end)
            if is_wide_space(number):
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
        if white == ONE and black == ZERO:
            return WHITE_WINS
        if white == ZERO and black == ONE:
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
        return bool(text[start] == _NOVELTY or text[start] == _SUBSTITUTE)
    if text[start] != _E:
        return False
    rest = start + 2 if text[start + 1] == DOT else start + 1
    if rest >= end or text[rest] != _P:
        return False
    return bool(rest + 1 == end or (rest + 2 == end and text[rest + 1] == DOT))


@inner
def is_sign(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a word is an evaluation, dots, a number, `e.p.` or `N` and so no move."""
    digits: Int = 0
    dots = signs = length = 0
    at = start
    while at < end:
        number, width = character(text, at, end)
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
