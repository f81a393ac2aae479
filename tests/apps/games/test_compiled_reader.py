"""The reader finds the same as the reference in any text, however it is cut into chunks."""

from __future__ import annotations

import chess
import chess.pgn
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tbgen.apps.games.text import Chunk, chunks_of
from tests.apps.games.plain import assert_same, compiled, pieces_of, plain
from tests.project import S18
from tests.strategies import examples

MOVES = (
    "e4",
    "e5",
    "1.",
    "1. e4",
    "1... e5",
    "Nf3",
    "Nc6",
    "Zz9",
    "--",
    "exd5",
    "O-O",
    "e8=Q",
    "N1.f3",
    "Nf3!?",
    "♘f3",
    "1.e4!",
)
ENDS = (
    "1-0",
    "0-1",
    "1/2-1/2",
    "½-½",
    "*",
    "1-0*",
    "1/2",
    "+-",
    "±",
    "∓",
    "--",
    "!",
    "N",
    "ep",
    "e.p.",
    "e.p",
    "\x1a",
)
CONTROLS = ("\0", "1.\x01e4", "{\x02}", "; \x03", '[White "\x04"]')
COMMENTS = (
    "{",
    "}",
    "{a comment}",
    "{a\nb}",
    "(",
    ")",
    "(e5)",
    ";",
    "; rest",
    "$1",
    "$",
    "$12e4",
    "%",
    "% escape",
)
TAGS = (
    '[Event "a"]',
    '[Event "b"]',
    '[Event "c"',
    '[ Event\t"d" ]',
    '[Result "1-0"]',
    '[White "x \\" y"]',
    '[White "é"]',
)
ODD_TAGS = (
    '[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]',
    '[FEN "x"]',
    '[Variant "Atomic"]',
    "[%clk 1:00]",
    "[",
    "]",
    '[1-0 "x"]',
    '[Black y"]',
)
SPACES = (
    "\n",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    " ",
    "\t",
    "\xa0",
    "\x0b",
    "\x1f",
    "\u2003",
    "\u3000",
    "_",
    "é",
    "\ufeff",
    "\n\ufeff[",
)
PARTS = MOVES + ENDS + CONTROLS + COMMENTS + TAGS + ODD_TAGS + SPACES
LATIN = tuple(
    bytes([byte]) for byte in (0x85, 0xA0, 0xBD, 0xB1, 0xC2, 0xE2, 0x80, 0xE1, 0xF4, 0xFF)
)

texts = st.lists(
    st.one_of(
        st.sampled_from([part.encode() for part in PARTS]),
        st.sampled_from([b"\n", b" ", b"\n["]),
        st.sampled_from(LATIN),
        st.sampled_from([b"\xbd-\xbd", b"\xc2\xbd-\xbd", b"1/2-1/2 1. e4"]),
    ),
    max_size=30,
).map(b"".join)


@examples(300)
@example(b'[White x"]\n1. e4 *', 7)
@example(b"e4\x85\xbd-\xbd", 1)
@given(texts | st.binary(max_size=60), st.sampled_from([1, 7, 40, 1 << 20]))
def test_any_text_is_read_alike(text: bytes, chunk_bytes: int) -> None:
    assert_same(plain(text), compiled(text, None, chunk_bytes), text)


@pytest.mark.parametrize(
    ("begin", "part"),
    [
        (b"e4", b"!"),
        (b"", b"1"),
        (b"1.", b" "),
        (b'[a "', b'"] '),
        (b"[", b" "),
        (b"{", b"\n[Event "),
        (b"{", b"\xef"),
    ],
)
def test_no_text_is_gone_over_again_and_again(begin: bytes, part: bytes) -> None:
    """A pattern that goes back over what it has matched would take hours for a megabyte."""
    text = begin + part * ((1 << 20) // len(part)) + b"x *"
    assert Chunk(text).end in (0, len(text))


@pytest.mark.parametrize("chunk_bytes", [1, 4096])
def test_the_games_at_hand_are_read_alike_in_blocks_of_any_size(chunk_bytes: int) -> None:
    text = S18.read_bytes()
    expected = plain(text) if chunk_bytes == 4096 else []
    for written in (
        text,
        b"\xef\xbb\xbf" + text,
        text.replace(b"\n", b"\r\n"),
        text.replace(b"\n", b"\r"),
    ):
        games = compiled(written, None, chunk_bytes)
        assert len(games) == 20
        if chunk_bytes == 4096:
            assert_same(expected, games, "tcec_s18.pgn")


def test_blocks_hold_every_byte_of_their_file_once() -> None:
    text = b"\xef\xbb\xbf\n" + S18.read_bytes() + b"\n% the end\n\n"
    for chunk_bytes in (100, 5000, 1 << 20):
        chunks = list(chunks_of(pieces_of(text, chunk_bytes), "test.pgn"))
        assert b"".join(chunk.text for chunk in chunks) == text
        assert sum(len(chunk.games) for chunk in chunks) == 20
        assert all(chunk.end <= len(chunk.text) for chunk in chunks)


@pytest.mark.parametrize("word", ["♘f3", "o-o", "e8/Q", "Nf3e.p.", "e4,", "0–0"])
def test_a_spelling_that_only_the_parser_of_moves_knows_is_read_as_it_says(word: str) -> None:
    for fen in (chess.STARTING_FEN, "4k3/P3P3/8/8/8/8/8/R3K2R w KQ - 0 1"):
        text = f'[FEN "{fen}"]\n\n{word} Kd7 Nf6 Ke7 *\n'.encode()
        assert_same(plain(text), compiled(text), text)
