"""The one scanner of PGN: where the games of a text begin and end, and where their tags and moves stand.

A result, or the tags of the next game, end a game. Comments, variations, annotation signs and lines that begin with
`%` are passed over. Text is UTF-8; a byte that is not part of a UTF-8 sequence is a character of Latin-1.

What else asks about the text of a game (its tags, the place for new ones, what is read back of a match) takes the
offsets found here. `tests/reference/pgn.py` is a second copy of the grammar, written with regular expressions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen._jit import inner, kernel, small
from tbgen.arrays import Bytes, Int, Ints

END, FIRST_TAG, LAST_TAG, FIRST_MOVE, LAST_MOVE, RESULT, RESULT_AT, PROBLEM, TEXT_AT, TEXT_END, GAME_COLUMNS = range(11)
"""games[n]: where a game ends, its rows of `tags` and `moves`, its result and where that stands (-1: nowhere), what is
wrong with it, and where its movetext begins and ends (-1: nowhere)."""

LINE, NEXT_LINE, NAME, NAME_END, VALUE, VALUE_END, TAG_COLUMNS = range(7)
"""tags[n]: the start of its line and of the next one; its name, and its value between the quotation marks."""

MOVE, MOVE_END, MOVE_COLUMNS = range(3)
"""moves[n]: a move without its number and signs."""

NO_RESULT, WHITE_WINS, BLACK_WINS, DRAW, UNKNOWN = range(5)
NO_PROBLEM, OPEN_COMMENT, OPEN_VARIATION, CONTROL_CHARACTER = range(4)
GAMES, TAGS, MOVES, _IN_COMMENT, _DEPTH, _HAS_EVENT, STATE_WORDS = range(7)
"""state: how many rows have been filled, and where the scan is within the game at hand."""

LINE_ENDS = b"\r\n"


class Found(NamedTuple):
    """What a scan fills in: arrays with rows as described above, and its state."""

    state: Ints
    games: Ints
    tags: Ints
    moves: Ints


_PLAIN, _SPACE, _MARK, _CONTROL, _HIGH = range(5)
_OPEN, _CLOSE, _LEFT, _RIGHT, _SEMICOLON, _DOLLAR = (ord(letter) for letter in "{}();$")
_NEWLINE, _RETURN, _BRACKET, _END_BRACKET, _QUOTE, _PERCENT = (ord(letter) for letter in '\n\r[]"%')
_DOT, _ZERO, _NINE, _HYPHEN, _STAR, _BANG, _QUESTION = (ord(letter) for letter in ".09-*!?")


def _classes() -> Bytes:
    """[byte] -> its class; _HIGH for bytes that only a look at the whole character can tell."""
    table = np.full(256, _PLAIN, np.uint8)
    table[[*range(0x09), *range(0x0E, 0x1A)]] = _CONTROL
    table[[*range(0x09, 0x0E), *range(0x1C, 0x21)]] = _SPACE
    table[[_OPEN, _CLOSE, _LEFT, _RIGHT, _SEMICOLON, _DOLLAR]] = _MARK
    table[0x80:] = _HIGH
    return table


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


_CLASS, _NAME_CLASS, _SIGN = _classes(), _names(), _signs()
_EVENT, _HALVES = np.frombuffer(b"Event", np.uint8), np.frombuffer(b"1/2-1/2", np.uint8)


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


@inner
def line_end(text: Bytes, start: Int, end: Int) -> Int:
    """The end of a line, inverted (and so negative) if the line has a control character, as no text has."""
    has_control = False
    for at in range(start, end):
        byte = text[at]
        if byte in (_NEWLINE, _RETURN):
            return ~at if has_control else at
        if _CLASS[byte] == _CONTROL:
            has_control = True
    return ~end if has_control else end


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
    if not spells(text, at, _EVENT):
        return False
    quote = at + 5
    while quote < end and is_ascii_space(text[quote]):
        quote += 1
    return bool(quote > at + 5 and quote < end and text[quote] == _QUOTE)


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
    if at == row[NAME_END] or at >= end or text[at] != _QUOTE:
        return False
    last = end - 1
    while last > at and is_ascii_space(text[last]):
        last -= 1
    if text[last] != _END_BRACKET:
        return False
    last -= 1
    while last > at and is_ascii_space(text[last]):
        last -= 1
    row[VALUE], row[VALUE_END] = at + 1, last
    return bool(last > at and text[last] == _QUOTE)


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
    if length == 1 and text[start] == _STAR:
        return UNKNOWN
    if length == 3 and text[start + 1] == _HYPHEN:
        white, black = text[start], text[start + 2]
        if white == 49 and black == 48:
            return WHITE_WINS
        if white == 48 and black == 49:
            return BLACK_WINS
    if length == 7 and spells(text, start, _HALVES):
        return DRAW
    first = half_width(text, start, end)
    if first and start + first < end and text[start + first] == _HYPHEN:
        second = half_width(text, start + first + 1, end)
        return DRAW if second and first + 1 + second == length else NO_RESULT
    return NO_RESULT


@inner
def is_sign(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a word is an evaluation, dots, a number, `e.p.` or `N` and so no move."""
    digits: Int = 0
    dots = signs = length = 0
    at = start
    while at < end:
        width = char_width(text, at, end)
        number = character(text, at, width)
        digits += _ZERO <= number <= _NINE
        dots += number == _DOT
        signs += (number < 128 and _SIGN[number] == 1) or is_wide_sign(number)
        length += 1
        at += width
    if length in (digits, dots) or (
        length == signs and not (length == 2 and text[start] == text[start + 1] == _HYPHEN)
    ):
        return True
    if length == 1:
        return bool(text[start] == 78 or text[start] == 0x1A)
    if text[start] != 101:
        return False
    rest = start + 2 if text[start + 1] == _DOT else start + 1
    if rest >= end or text[rest] != 112:
        return False
    return bool(rest + 1 == end or (rest + 2 == end and text[rest + 1] == _DOT))


@inner
def read_move(text: Bytes, start: Int, end: Int, row: Ints) -> bool:
    """Find the move in a word, without its number and signs, and return whether there is one."""
    at = start
    while at < end and _ZERO <= text[at] <= _NINE:
        at += 1
    if at > start and at < end and text[at] == _DOT:
        while at < end and text[at] == _DOT:
            at += 1
        start = at
    while end > start and (text[end - 1] == _BANG or text[end - 1] == _QUESTION):
        end -= 1
    row[MOVE], row[MOVE_END] = start, end
    return not is_sign(text, start, end)


@inner
def begin_game(found: Found) -> None:
    """Begin a game in the next row of `games`."""
    state = found.state
    game = found.games[state[GAMES]]
    state[_IN_COMMENT] = state[_DEPTH] = state[_HAS_EVENT] = 0
    game[FIRST_TAG], game[FIRST_MOVE] = state[TAGS], state[MOVES]
    game[RESULT], game[RESULT_AT], game[PROBLEM], game[TEXT_AT], game[TEXT_END] = NO_RESULT, -1, NO_PROBLEM, -1, -1


@inner
def finish_game(found: Found, end: Int) -> None:
    """End the game at hand and begin the next; a row without tags, moves and result is used again."""
    state = found.state
    game = found.games[state[GAMES]]
    game[END], game[LAST_TAG], game[LAST_MOVE] = end, state[TAGS], state[MOVES]
    if game[PROBLEM] != NO_PROBLEM:
        pass
    elif state[_IN_COMMENT]:
        game[PROBLEM] = OPEN_COMMENT
    elif state[_DEPTH]:
        game[PROBLEM] = OPEN_VARIATION
    has_text = game[FIRST_TAG] < game[LAST_TAG] or game[FIRST_MOVE] < game[LAST_MOVE]
    if has_text or game[RESULT] != NO_RESULT:
        state[GAMES] += 1
    begin_game(found)


@inner
def mark_control(text: Bytes, start: Int, end: Int, found: Found) -> None:
    """Note a problem of the game at hand if some bytes of it have a control character."""
    for at in range(start, end):
        if _CLASS[text[at]] == _CONTROL:
            found.games[found.state[GAMES], PROBLEM] = CONTROL_CHARACTER


@inner
def read_moves(text: Bytes, at: Int, end: Int, has_control: bool, found: Found) -> None:
    """Read a line of movetext from a byte on."""
    state, games = found.state, found.games
    while at < end:
        byte = text[at]
        kind = _CLASS[byte]
        if state[_IN_COMMENT]:
            opened = at
            while at < end and text[at] != _CLOSE:
                at += 1
            if has_control:
                mark_control(text, opened, at, found)
            if at < end:
                state[_IN_COMMENT] = 0
                games[state[GAMES], TEXT_END] = at + 1
            at += 1
            continue
        if kind == _SPACE:
            at += 1
            continue
        game = games[state[GAMES]]
        if game[TEXT_AT] < 0 and not (kind == _HIGH and is_wide_space(character(text, at, char_width(text, at, end)))):
            game[TEXT_AT] = at
        if kind == _MARK:
            at += 1
            if byte == _SEMICOLON:
                if has_control:
                    mark_control(text, at, end, found)
                game[TEXT_END] = end
                return
            if byte == _OPEN:
                state[_IN_COMMENT] = 1
            elif byte == _LEFT:
                state[_DEPTH] += 1
            elif byte == _RIGHT:
                state[_DEPTH] = max(0, state[_DEPTH] - 1)
            elif byte == _DOLLAR:
                while at < end and _ZERO <= text[at] <= _NINE:
                    at += 1
            game[TEXT_END] = at
            continue
        start = at
        while at < end:
            kind = _CLASS[text[at]]
            if kind in (_PLAIN, _CONTROL):
                at += 1
            elif kind == _HIGH:
                width = char_width(text, at, end)
                if is_wide_space(character(text, at, width)):
                    break
                at += width
            else:
                break
        if has_control:
            mark_control(text, start, at, found)
        if at == start:
            at += char_width(text, at, end)
        elif not state[_DEPTH]:
            result = result_of(text, start, at)
            if result:
                game[RESULT], game[RESULT_AT] = result, start
                finish_game(found, at)
            else:
                game[TEXT_END] = at
                state[MOVES] += read_move(text, start, at, found.moves[state[MOVES]])


@kernel
def scan(text: Bytes, start: Int, is_first: bool, is_last: bool, in_line: bool, found: Found) -> Int:
    """Find the games of `text[start:]`; return -1, or where a line begins that makes the file no PGN.

    Such a line has a control character and is in the first text of a file, before any tag, move or result. Elsewhere a
    control character costs only the game that it stands in.
    Unless the text is the last of its file, its last line counts only if it is ended, and its last game only if the
    next one has begun. `in_line` says that the text begins within a line, behind the result of a game.
    """
    state, end = found.state, len(text)
    state[:] = 0
    begin_game(found)
    at = start
    while at < end:
        stop = line_end(text, at, end)
        has_control = bool(stop < 0)
        if has_control:
            stop = ~stop
        follows = stop + 1
        if stop < end and text[stop] == _RETURN and follows < end and text[follows] == _NEWLINE:
            follows += 1
        if not is_last and (stop == end or (text[stop] == _RETURN and follows == end)):
            break  # a carriage return that ends the text may be half of a line end
        is_tag = text[at] == _BRACKET and not (in_line and at == start)
        is_new = is_tag and starts_game(text, at, stop)
        is_escape = text[at] == _PERCENT and not (in_line and at == start) and not state[_IN_COMMENT]
        if has_control and is_first and not is_escape and state[GAMES] + state[TAGS] + state[MOVES] == 0:
            return at
        if state[_IN_COMMENT] and not is_new:
            read_moves(text, at, stop, has_control, found)
        elif is_tag:
            has_moves = state[MOVES] > found.games[state[GAMES], FIRST_MOVE]
            if has_moves or state[_IN_COMMENT] or (is_new and state[_HAS_EVENT]):
                finish_game(found, at)
            if has_control:
                found.games[state[GAMES], PROBLEM] = CONTROL_CHARACTER
            row = found.tags[state[TAGS]]
            if read_tag(text, at, stop, row):
                row[LINE], row[NEXT_LINE] = at, min(follows, end)
                state[TAGS] += 1
                state[_HAS_EVENT] |= row[NAME_END] - row[NAME] == 5 and spells(text, row[NAME], _EVENT)
        elif not is_escape:
            read_moves(text, at, stop, has_control, found)
        at = follows
    if is_last:
        finish_game(found, end)
    return -1
