"""The grammar of PGN as regular expressions. `tests/reference/pgn.py` is a second copy of it.

White space and marks are ASCII alone: other bytes are decoded with names and moves.
"""

from __future__ import annotations

import re

_LINE = r"(?<![^\r\n]) (?:\xef\xbb\xbf)?"
"""The start of a line, perhaps with a byte order mark, as in joined files."""
_LINE_END = r"(?: \r\n? | \n | \Z )"
_BLANK = r"[ \t\v\f]"
_IN_WORD = r"[^\s{}();$]"
_NUMBER = r"[0-9]+ \.+"

_EVENT = rf'\[ {_BLANK}* Event {_BLANK}+ "'
_TAG_NAME = r"\w [\w+\#=:-]*"
_TAG_START = rf'\[ {_BLANK}* (?P<name> {_TAG_NAME} ) {_BLANK}+ "'
_TAG_END = rf'" {_BLANK}* \] {_BLANK}*'
_CHARACTER = r"(?: [^\\\r\n] | \\ [^\r\n] )"
"""A character of a value; a backslash escapes the next one."""
_NEXT_TAG = rf'\[ {_BLANK}* {_TAG_NAME} {_BLANK}+ "'

_MOVE = rf"""
    (?: {_NUMBER} [ \t]* )?
    (?P<move> [a-hKQRBNO] [a-h1-8KQRBNOx=+\#-]+ )
    [!?]* (?! {_IN_WORD} ) \s*
"""
_TAG_LINE = rf"{_LINE} (?P<tag> {_TAG_START} (?P<value> [^\r\n]* ) {_TAG_END} {_LINE_END} )"
"""A line of tags. If it has several, all behind the first value is in `value`, too."""
_BROKEN_TAG = rf"{_LINE} (?P<bracket> \[ [^\r\n]* )"
_ESCAPED_LINE = rf"{_LINE} % [^\r\n]*"
_MARK_ALONE = r"(?<![^\r\n]) \xef\xbb\xbf"
_COMMENT = rf"""
    (?P<comment>
        \{{ [^}}\[\xef]*+
        (?: (?! {_LINE} {_EVENT} ) [\[\xef] [^}}\[\xef]*+ )*+
        \}}?
    )
"""
"""A comment that is not closed ends before the next Event tag."""
_VARIATION = r"(?P<open> \( ) | (?P<close> \) )"
_OTHER = r"(?P<other> ; [^\r\n]* | \$ [0-9]* | \} )"
_WORD = rf"(?= {_IN_WORD} ) (?: {_NUMBER} )? (?P<word> {_IN_WORD}* )"


def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode(), re.VERBOSE)


TOKENS = _compiled(
    "|".join(
        (
            _MOVE,
            _TAG_LINE,
            _BROKEN_TAG,
            _ESCAPED_LINE,
            _MARK_ALONE,
            _COMMENT,
            _VARIATION,
            _OTHER,
            _WORD,
        )
    )
)
"""The tokens. A token without a name is ignored."""

MAY_END_GAME = _compiled(rf"1-0 | 0-1 | 1/2 | \xbd | \* | {_LINE} \[ {_BLANK}* \w")
"""What ends nearly every game: a result, or the first tag of the next game."""
MAY_END_BYTES = 8
"""The most bytes of it, with a few to spare."""

TAGS = _compiled(
    rf"""(?P<tag>
        {_TAG_START} (?P<value> {_CHARACTER}*? ) {_TAG_END} (?: {_LINE_END} | (?= {_NEXT_TAG} ) )
    )"""
)
"""The tags of a line."""

EVENT_TAG = _compiled(_EVENT)
END_WITHIN = _compiled(rf"(?<! \\ ) (?: \\ \\ )* {_TAG_END}")
"""The end of a tag within a value, which shows that the line is damaged. Backslashes escape
quotation marks.
"""

NO_MOVE = re.compile(rb"(?!0[^0-9]|--\Z)[\x00-@\[-`{-\x7f]*|ep|e\.p\.|N")
"""A number or an evaluation, but for castling that is written with zeros and a null move; `e.p.`
and `N`.
"""
ESCAPED = re.compile(r'\\(["\\])')
"""A quotation mark or a backslash in the value of a tag."""
LINE_END = re.compile(rb"\r\n|\n|\r")
SIGNS = re.compile(rb"[!?+#]*(?:\s*\$[0-9]+)*")
"""The signs behind a move."""
