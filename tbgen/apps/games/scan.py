"""The one scanner of PGN: where the games of a text begin and end, and where their tags and moves stand.

A result, or the tags of the next game, end a game. The scanner ignores comments, variations, annotation signs, lines
that begin with `%`, and a byte order mark at the start of a line, as in joined files. White space and marks are ASCII
alone: other bytes are decoded with names and moves.

All code that edits or reads the text of a game (its tags, the place for new ones, the journal of a match) takes the
offsets of this scanner. `tests/reference/pgn.py` is a second copy of the grammar, by regular expressions.
"""

from __future__ import annotations

import string
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints
from tbgen.compiled.jit import borrowing, by_address, inner

END, FIRST_TAG, LAST_TAG, FIRST_MOVE, LAST_MOVE, RESULT, RESULT_AT, PROBLEM, TEXT_AT, TEXT_END, GAME_COLUMNS = range(11)
"""games[n]: the end of a game; its first and last rows of `tags` and of `moves`; its result (index in `RESULTS` from 1
on, 0: none) and the place of it (-1: nowhere); its fault; and the bounds of its movetext (-1: nowhere).
"""

NO_PROBLEM, OPEN_COMMENT, OPEN_VARIATION = range(3)
GAMES, TAGS, MOVES, _IN_COMMENT, _DEPTH, _HAS_EVENT, STATE_WORDS = range(7)
"""state: the numbers of filled rows, and the state of the scan within the current game."""

LINE_ENDS = b"\r\n"

LINE, NEXT_LINE, NAME, NAME_END, VALUE, VALUE_END, TAG_COLUMNS = range(7)
"""tags[n]: the start of its line and of the next one; its name, and its value between the quotation marks."""

NO_TAG, BROKEN_TAG, WHOLE_TAG = range(3)

MOVE, MOVE_END, MOVE_COLUMNS = range(3)
"""moves[n]: a move without its number and signs."""

OPEN, LEFT, RIGHT, SEMICOLON, DOLLAR = (ord(letter) for letter in "{();$")
NEWLINE, RETURN, BRACKET, END_BRACKET, QUOTE, PERCENT = (ord(letter) for letter in '\n\r[]"%')
DOT, ZERO, BANG, QUESTION = (ord(letter) for letter in ".0!?")


def _marked(members: str) -> Bytes:
    """[byte] -> 1 for the characters of a set, 0 for all other bytes."""
    table = np.zeros(256, np.uint8)
    table[list(members.encode("latin-1"))] = 1
    return table


_SPACE, _MARK, _DIGIT, _DOT = map(_marked, ("\t\n\v\f\r ", "{}();$", string.digits, "."))
_WORD, _LINE, _COMMENT = 1 - _SPACE - _MARK, 1 - _marked("\r\n"), 1 - _marked("}")
"""The bytes that words, lines and comments may have."""
_NAME_BEGIN = _marked(f"{string.ascii_letters}{string.digits}_")
_NAME = _NAME_BEGIN + _marked("+#=:-")
"""The first byte that a tag's name may have, and the later ones."""
_NO_LETTER = 1 - _marked(string.ascii_letters + "".join(map(chr, range(0x80, 0x100))))
"""All bytes but letters and parts of characters beyond ASCII."""
EVENT, _ORDER_MARK, _NULL = (np.frombuffer(word, np.uint8) for word in (b"Event", b"\xef\xbb\xbf", b"--"))
RESULTS = (b"1-0", b"0-1", b"1/2-1/2", b"*")
_RESULTS, _SIGNS = (
    tuple(np.frombuffer(word, np.uint8) for word in words) for words in (RESULTS, (b"ep", b"e.p.", b"N"))
)


@by_address
class ScanRows(NamedTuple):
    """The arrays that a scan fills, with rows as described above, and its state."""

    state: Ints
    games: Ints
    tags: Ints
    moves: Ints


@inner
def skip(text: Bytes, at: Int, end: Int, members: Bytes) -> Int:
    """The first byte from `at` on that is not in a set."""
    while at < end and members[text[at]]:
        at += 1
    return at


@inner
def spells(text: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    """Whether some bytes spell a word."""
    if end - start != len(word):
        return False
    for place in range(len(word)):  # noqa: SIM110 - the compiler knows no generators
        if text[start + place] != word[place]:
            return False
    return True


@inner
def read_tag(text: Bytes, start: Int, end: Int, row: Ints) -> Int:
    """Find name and value of a tag: WHOLE_TAG if it fills a line, BROKEN_TAG if the line only begins like it."""
    at = skip(text, start + 1, end, _SPACE)
    if at >= end or not _NAME_BEGIN[text[at]]:
        return NO_TAG
    row[NAME] = at
    at = skip(text, at, end, _NAME)
    row[NAME_END] = at
    at = skip(text, at, end, _SPACE)
    if at == row[NAME_END] or at >= end or text[at] != QUOTE:
        return NO_TAG
    last = end - 1
    while _SPACE[text[last]]:  # stops at the quotation mark at the latest
        last -= 1
    if text[last] != END_BRACKET:
        return BROKEN_TAG
    last -= 1
    while _SPACE[text[last]]:
        last -= 1
    row[VALUE], row[VALUE_END] = at + 1, last
    return WHOLE_TAG if last > at and text[last] == QUOTE else BROKEN_TAG


@inner
def place_of(text: Bytes, start: Int, end: Int, words: tuple[Bytes, ...]) -> Int:
    """The index of a word in a list, from 1 on; 0 if it is not there."""
    for place in range(len(words)):
        if spells(text, start, end, words[place]):
            return place + 1
    return 0


@inner
def is_sign(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a word is a number, an evaluation, `e.p.` or `N` and so no move; castling may be written with zeros."""
    if place_of(text, start, end, _SIGNS):
        return True
    has_zeros = end - start > 1 and text[start] == ZERO and not _DIGIT[text[start + 1]]
    if has_zeros or spells(text, start, end, _NULL):
        return False
    return skip(text, start, end, _NO_LETTER) == end


@inner
def read_move(text: Bytes, start: Int, end: Int, row: Ints) -> bool:
    """Find the move in a word, without its number and signs, and return whether there is one."""
    at = skip(text, start, end, _DIGIT)
    if at > start and at < end and text[at] == DOT:
        start = skip(text, at, end, _DOT)
    while end > start and (text[end - 1] == BANG or text[end - 1] == QUESTION):
        end -= 1
    row[MOVE], row[MOVE_END] = start, end
    return not is_sign(text, start, end)


@inner
def begin_game(found: ScanRows) -> None:
    """Begin a game in the next row of `games`."""
    state = found.state
    game = found.games[state[GAMES]]
    state[_IN_COMMENT] = state[_DEPTH] = state[_HAS_EVENT] = 0
    game[FIRST_TAG], game[FIRST_MOVE] = state[TAGS], state[MOVES]
    game[RESULT], game[RESULT_AT], game[PROBLEM], game[TEXT_AT] = 0, -1, NO_PROBLEM, -1


@inner
def finish_game(found: ScanRows, end: Int) -> None:
    """End the current game and begin the next. A row without tags, moves and result is used again."""
    state = found.state
    game = found.games[state[GAMES]]
    game[END], game[LAST_TAG], game[LAST_MOVE] = end, state[TAGS], state[MOVES]
    if state[_IN_COMMENT]:
        game[PROBLEM] = OPEN_COMMENT
    elif state[_DEPTH]:
        game[PROBLEM] = OPEN_VARIATION
    has_text = game[FIRST_TAG] < game[LAST_TAG] or game[FIRST_MOVE] < game[LAST_MOVE]
    if has_text or game[RESULT]:
        state[GAMES] += 1
    begin_game(found)


@inner
def pass_mark(text: Bytes, start: Int, end: Int, found: ScanRows) -> Int:
    """Skip a mark, with the number of an annotation or the comment to the end of the line."""
    state, mark, at = found.state, text[start], start + 1
    if mark == SEMICOLON:
        at = end
    elif mark == OPEN:
        state[_IN_COMMENT] = 1
    elif mark == LEFT:
        state[_DEPTH] += 1
    elif mark == RIGHT:
        state[_DEPTH] = max(0, state[_DEPTH] - 1)
    elif mark == DOLLAR:
        at = skip(text, at, end, _DIGIT)
    found.games[state[GAMES], TEXT_END] = at
    return at


@inner
def read_word(text: Bytes, start: Int, end: Int, found: ScanRows) -> None:
    """Note the result or the move in a word of the main line; a result ends the game."""
    state = found.state
    game = found.games[state[GAMES]]
    result = place_of(text, start, end, _RESULTS)
    if result:
        game[RESULT], game[RESULT_AT] = result, start
        finish_game(found, end)
    else:
        game[TEXT_END] = end
        state[MOVES] += read_move(text, start, end, found.moves[state[MOVES]])


@inner
def read_moves(text: Bytes, at: Int, end: Int, found: ScanRows) -> None:
    """Read a line of movetext from a byte on."""
    state = found.state
    while at < end:
        game, is_space = found.games[state[GAMES]], _SPACE[text[at]]
        if game[TEXT_AT] < 0 and not is_space:
            game[TEXT_AT] = at
        if state[_IN_COMMENT]:
            at = skip(text, at, end, _COMMENT) + 1
            if at <= end:
                state[_IN_COMMENT] = 0
                game[TEXT_END] = at
        elif is_space:
            at += 1
        elif _MARK[text[at]]:
            at = pass_mark(text, at, end, found)
        else:
            stop = skip(text, at, end, _WORD)
            if not state[_DEPTH]:
                read_word(text, at, stop, found)
            at = stop


@borrowing
def scan(text: Bytes, is_last: bool, in_line: bool, found: ScanRows) -> None:
    """Find the games of a text.

    Unless the text is the last of its file, its last line counts only with a line end, and its last game only if the
    next one has begun. `in_line` means that the text begins within a line, behind the result of a game.
    """
    state, end = found.state, len(text)
    state[:] = 0
    begin_game(found)
    at: Int = 0
    while at < end:
        stop = skip(text, at, end, _LINE)
        follows = stop + 1
        if stop < end and text[stop] == RETURN and follows < end and text[follows] == NEWLINE:
            follows += 1
        if not is_last and (stop == end or (text[stop] == RETURN and follows == end)):
            break  # a carriage return at the end may be half of a line end
        is_whole = not (in_line and at == 0)
        has_order_mark = is_whole and stop - at >= 3 and spells(text, at, at + 3, _ORDER_MARK)
        begin = at + 3 if has_order_mark else at
        first = text[begin] if is_whole and begin < stop else NEWLINE
        in_comment, row = state[_IN_COMMENT] != 0, found.tags[state[TAGS]]
        tag = read_tag(text, begin, stop, row) if first == BRACKET else NO_TAG
        is_event = tag != NO_TAG and spells(text, row[NAME], row[NAME_END], EVENT)
        if is_event or (first == BRACKET and not in_comment):
            has_moves = state[MOVES] > found.games[state[GAMES], FIRST_MOVE]
            if has_moves or in_comment or (is_event and state[_HAS_EVENT]):
                finish_game(found, at)
            if tag == WHOLE_TAG:
                row[LINE], row[NEXT_LINE] = begin, min(follows, end)
                state[TAGS] += 1
                state[_HAS_EVENT] |= is_event
        elif first != PERCENT or in_comment:
            read_moves(text, begin, stop, found)
        at = follows
    if is_last:
        finish_game(found, end)
