"""FENs that are none, or nearly one."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

import chess

from tbgen.errors import InputError
from tbgen.probe import open_tablebase
from tbgen.rules.notation import format_fen, parse_fen
from tbgen.rules.position import own_score
from tests.attacks.attack import Attempt, assert_one_line

SOUND = (
    chess.STARTING_FEN,
    "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0",
    "rnbqkbnr/1p2pppp/p2p4/2p5/2P1P3/2N2N2/PP1P1PPP/R1BQKB1R b KQkq - 1 4 -G26.5",
    "4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1",
    "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 G9.5",
    "8/2P5/8/4K1k1/8/8/8/8 b - - 5 9 mG2.5",
    "8/8/8/2K3k1/8/8/8/8 w - - 4 4",
)
PARTS = (
    *"KQRBNPkqrbnp12345678/- wbG",
    "0",
    "9" * 30,
    "-1",
    "½",
    "٣",
    "\x00",
    "\x1b[2J",
    "\u202e",
    "e3",
    "KQkq",
    "G0.0",
    "-G0.5",
    "G1e9",
    " ",
    "\n",
    "ß",
)


def begin(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """Whatever is understood is a legal position that is written as it was read.

    Its value is that of its best move.
    """
    opened = closing.enter_context(open_tablebase(tables))

    def attempt(draw: random.Random) -> None:
        text = spoilt(draw.choice(SOUND), draw)
        try:
            board, accrued = parse_fen(text)
            score = own_score(board)
        except InputError as error:
            assert_one_line(error)
            return
        assert parse_fen(format_fen(board, accrued)) == (board, accrued), text
        assert not board.was_into_check(), text
        assert score.code == 2 * board.legal_moves.count() + (not board.is_check()), text
        try:
            found = opened.get(board, accrued)
        except InputError as error:
            assert_one_line(error)
            return
        if found is None:
            return
        moves = opened.probe_moves(board, accrued)
        if moves:
            assert found.outcome == moves[0].outcome, text

    return attempt


def spoilt(text: str, draw: random.Random) -> str:
    """A text with a few other parts, or its fields in another order."""
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(text) + 1)
        text = text[:place] + draw.choice(PARTS) + text[place + draw.randint(0, 2) :]
    fields = text.split(" ")
    if draw.random() < 0.1:
        draw.shuffle(fields)
    return " ".join(fields[: draw.randint(1, 8)] if draw.random() < 0.2 else fields)
