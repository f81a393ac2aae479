"""The characters and tokens of PGN: tags, results and moves, and the words that are neither."""

from __future__ import annotations

import string

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints
from tbgen.compiled.jit import inner

LINE, NEXT_LINE, NAME, NAME_END, VALUE, VALUE_END, TAG_COLUMNS = range(7)
"""tags[n]: the start of its line and of the next one; its name, and its value between the quotation marks."""

MOVE, MOVE_END, MOVE_COLUMNS = range(3)
"""moves[n]: a move without its number and signs."""

NO_RESULT, WHITE_WINS, BLACK_WINS, DRAW, UNKNOWN = range(5)

PLAIN, SPACE, MARK = range(3)
OPEN, CLOSE, LEFT, RIGHT, SEMICOLON, DOLLAR = (ord(letter) for letter in "{}();$")
NEWLINE, RETURN, BRACKET, END_BRACKET, QUOTE, PERCENT = (ord(letter) for letter in '\n\r[]"%')
DOT, ZERO, NINE, STAR, BANG, QUESTION, _NOVELTY = (ord(letter) for letter in ".09*!?N")


def _marked(*sets: tuple[bytes, int]) -> Bytes:
    """[byte] -> the number that goes with its set; 0 for all other bytes."""
    table = np.zeros(256, np.uint8)
    for members, mark in sets:
        table[list(members)] = mark
    return table


CLASS = _marked((b"\t\n\v\f\r ", SPACE), (b"{}();$", MARK))
"""[byte] -> its class."""
_NAME_CLASS = _marked((f"{string.ascii_letters}{string.digits}_".encode(), 2), (b"+#=:-", 1))
"""[byte] -> 2 if a tag's name may begin with it, 1 if it may go on with it."""
_LETTER = _marked((string.ascii_letters.encode() + bytes(range(0x80, 0x100)), 1))
"""[byte] -> 1 if it belongs to a letter or to any other character beyond ASCII."""
EVENT, _ORDER_MARK, _WHITE, _BLACK, _DRAW, _EN_PASSANT, _EN_PASSANT_DOTS, _NULL = (
    np.frombuffer(word, np.uint8)
    for word in (b"Event", b"\xef\xbb\xbf", b"1-0", b"0-1", b"1/2-1/2", b"ep", b"e.p.", b"--")
)


@inner
def skip_space(text: Bytes, at: Int, end: Int) -> Int:
    """The first byte from `at` on that is not white space."""
    while at < end and CLASS[text[at]] == SPACE:
        at += 1
    return at


@inner
def spells(text: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    """Whether some bytes are a word."""
    if end - start != len(word):
        return False
    for place in range(len(word)):  # noqa: SIM110 - the compiler knows no generators
        if text[start + place] != word[place]:
            return False
    return True


@inner
def behind_order_mark(text: Bytes, start: Int, end: Int) -> Int:
    """The start of a line, or the byte behind its byte order mark."""
    return start + 3 if end - start >= 3 and spells(text, start, start + 3, _ORDER_MARK) else start


@inner
def starts_game(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a line is the tag Event, at least its beginning."""
    at = skip_space(text, start + 1, end)
    if end - at < 7 or not spells(text, at, at + 5, EVENT):
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
    while last > at and CLASS[text[last]] == SPACE:
        last -= 1
    if text[last] != END_BRACKET:
        return False
    last -= 1
    while last > at and CLASS[text[last]] == SPACE:
        last -= 1
    row[VALUE], row[VALUE_END] = at + 1, last
    return bool(last > at and text[last] == QUOTE)


@inner
def word_end(text: Bytes, at: Int, end: Int) -> Int:
    """The end of the word that begins at a byte; that byte itself if it begins white space or is a mark."""
    while at < end and CLASS[text[at]] == PLAIN:
        at += 1
    return at


@inner
def result_of(text: Bytes, start: Int, end: Int) -> Int:
    """The result that a word writes; NO_RESULT if it is none."""
    if end - start == 1 and text[start] == STAR:
        return UNKNOWN
    if spells(text, start, end, _WHITE):
        return WHITE_WINS
    if spells(text, start, end, _BLACK):
        return BLACK_WINS
    return DRAW if spells(text, start, end, _DRAW) else NO_RESULT


@inner
def is_sign(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a word is a number, an evaluation, `e.p.` or `N` and so no move; castling may be written with zeros."""
    if spells(text, start, end, _EN_PASSANT) or spells(text, start, end, _EN_PASSANT_DOTS):
        return True
    if end - start == 1 and text[start] == _NOVELTY:
        return True
    has_zeros = end - start > 1 and text[start] == ZERO and not ZERO <= text[start + 1] <= NINE
    if has_zeros or spells(text, start, end, _NULL):
        return False
    for at in range(start, end):  # noqa: SIM110
        if _LETTER[text[at]]:
            return False
    return True


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
