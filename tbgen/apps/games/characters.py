"""The characters of a PGN file: bytes by what the grammar makes of them, and UTF-8 as Python's decoder has it."""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Bytes, Int
from tbgen.compiled.jit import inner, small

PLAIN, SPACE, MARK, CONTROL, HIGH = range(5)
OPEN, CLOSE, LEFT, RIGHT, SEMICOLON, DOLLAR = (ord(letter) for letter in "{}();$")
NEWLINE, RETURN, BRACKET, END_BRACKET, QUOTE, PERCENT = (ord(letter) for letter in '\n\r[]"%')
DOT, ZERO, NINE, HYPHEN, STAR, BANG, QUESTION = (ord(letter) for letter in ".09-*!?")


def _classes() -> Bytes:
    """[byte] -> its class; HIGH for bytes that only a look at the whole character can tell."""
    table = np.full(256, PLAIN, np.uint8)
    table[[*range(0x09), *range(0x0E, 0x1A)]] = CONTROL
    table[[*range(0x09, 0x0E), *range(0x1C, 0x21)]] = SPACE
    table[[OPEN, CLOSE, LEFT, RIGHT, SEMICOLON, DOLLAR]] = MARK
    table[0x80:] = HIGH
    return table


CLASS = _classes()


@small
def is_ascii_space(byte: Int) -> bool:
    return bool(byte == 32 or 9 <= byte <= 13)


@inner
def char_width(text: Bytes, at: Int, end: Int) -> Int:
    """The number of bytes of a character: a sequence of UTF-8, or else one byte of Latin-1.

    Overlong sequences, surrogates and numbers above U+10FFFF are not UTF-8, as Python's decoder has it.
    """
    first = np.int64(text[at])
    if first < 0xC2 or first > 0xF4:
        return 1
    width = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if at + width > end:
        return 1
    for place in range(1, width):
        if text[at + place] & 0xC0 != 0x80:
            return 1
    second = np.int64(text[at + 1])
    if (first == 0xE0 and second < 0xA0) or (first == 0xED and second > 0x9F):
        return 1
    if (first == 0xF0 and second < 0x90) or (first == 0xF4 and second > 0x8F):
        return 1
    return width


@inner
def character(text: Bytes, at: Int, width: Int) -> Int:
    """The number of the character that takes some bytes."""
    first = np.int64(text[at])
    if width == 1:
        return first
    number = first & (0xFF >> (width + 1))
    for place in range(1, width):
        number = number << 6 | np.int64(text[at + place]) & 0x3F
    return number


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
