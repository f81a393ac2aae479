"""Chess in the explorer against python-chess: legal moves, SAN, positions after, own scores."""

from __future__ import annotations

import random

import chess

from tbgen.errors import ScoreFormatError
from tbgen.rules.position import own_score
from tbgen.score import Score
from tests.apps.site import node
from tests.positions import random_board

pytestmark = node.NEEDED

ALL = """import * as chess from './chess.js';
import { formatScore } from './scores.js';
import { makeUci } from './vendor/chessops.js';

(fens) => fens.map((fen) => {
  const position = chess.parsePosition(fen);
  const told = (move) => [
    makeUci(move),
    chess.sanOf(position, move),
    chess.fenOf(chess.play(position, move)),
    chess.isReset(position, move),
  ];
  const moves = chess.legalMoves(position);
  const isRead = (move, text) => makeUci(chess.parseMove(position, text)) === makeUci(move);
  const asUci = moves.filter((move) => isRead(move, makeUci(move)));
  const read = asUci.filter((move) => isRead(move, chess.sanOf(position, move)));
  return [
    chess.fenOf(position),
    formatScore(chess.ownOf(position)),
    chess.hasEnPassant(position),
    read.length,
    moves.map(told).sort((a, b) => (a[0] < b[0] ? -1 : 1)),
  ];
})"""
WRONG = """import { brokenRule, parseFen } from './chess.js';

(fens) => fens.map((fen) => {
  try {
    return brokenRule(parseFen(fen));
  } catch (error) {
    return error.message;
  }
})"""


def random_boards(number: int, seed: int) -> list[chess.Board]:
    """Legal positions of two to eight men, many with pawns, some with rights to take en passant."""
    draw = random.Random(seed)
    boards = list[chess.Board]()
    for _ in range(number):
        men = "Kk" + "".join(draw.choices("QRBNPPPqrbnppp", k=draw.randrange(7)))
        boards.append(chess.Board(random_board(draw, men, en_passant=0.6).fen()))
    return boards


CASTLING = (
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "4k2r/8/8/8/8/1b6/8/R3K2R w KQk - 0 1",
    "r1b1k2r/6P1/8/8/8/8/8/4K1NR b Kkq - 3 9",
    "4k3/8/8/8/8/8/8/R3K2R w K - 0 1",
)


def told(board: chess.Board) -> list[object]:
    moves = []
    for move in board.legal_moves:
        san = board.san(move)
        resets = board.is_zeroing(move)
        board.push(move)
        moves.append([move.uci(), san, board.fen(), resets])
        board.pop()
    own = str(own_score(board))
    return [board.fen(), own, board.has_legal_en_passant(), len(moves), sorted(moves)]


def test_moves_are_those_of_python_chess() -> None:
    boards = [*random_boards(1000, 7), *map(chess.Board, CASTLING)]
    assert sum(board.is_castling(move) for board in boards for move in board.legal_moves) > 5
    assert any(board.has_legal_en_passant() for board in boards)
    found = node.run(ALL, [board.fen() for board in boards])
    assert found == [told(board) for board in boards]


PASSED = "the en passant square does not follow a double step"
FIRST_SQUARES = "castling rights need king and rook on their first squares"


BROKEN = [
    ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has no king"),
    ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "the kings touch"),
    ("8/8/8/8/3K4/3k4/8/8 b - - 0 1", "the kings touch"),
    ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "Black has 2 kings"),
    ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "a pawn stands on the first or last rank"),
    ("k6R/8/8/8/8/8/8/K7 w - - 0 1", "Black is in check, but White is to move"),
    ("k2Q4/8/8/8/8/8/8/r2K4 b - - 0 1", "White is in check, but Black is to move"),
    ("2k5/8/3n4/3pP3/8/8/3K4/8 w - d6 0 1", PASSED),
    ("2k5/3n4/8/3pP3/8/8/3K4/8 w - d6 0 1", PASSED),
    ("2k5/8/8/4P3/8/8/3K4/8 w - d6 0 1", PASSED),
    ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", PASSED),
    ("4k3/8/8/8/4P3/8/8/4K3 b - e6 0 1", PASSED),
    ("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", FIRST_SQUARES),
    ("4k3/8/8/8/8/8/8/R2K4 w Q - 0 1", FIRST_SQUARES),
    ("r2k4/8/8/8/8/8/8/4K3 w q - 0 1", FIRST_SQUARES),
    ("4k2R/8/8/8/8/8/4K3/8 b k - 0 1", FIRST_SQUARES),
]


def test_a_position_that_cannot_be_played_on_is_told_why() -> None:
    fens = [fen for fen, _ in BROKEN]
    assert node.run(WRONG, fens) == [rule for _, rule in BROKEN]


MEN = "a FEN has eight ranks of eight squares, and men by their letters"
RIGHTS = "names no rights to castle: these are K, Q, k and q"
NUMBERS = "clock and move number are numbers"


UNREADABLE = [
    ("nonsense", MEN),
    ("8/8/4K3/5Bk1/8/8/8 w", MEN),
    ("8/8/4K3/5Bk1/8/8/8/8/Q w", MEN),
    ("8/8/4K3/5Ek1/8/8/8/8 w", MEN),
    ("8/8/4K3/5Bk1/8/8/8/8 x", "the side to move is w or b"),
    ("8/8/4K3/5Bk1/8/8/8/8 w - - a 1", NUMBERS),
    ("8/8/4K3/5Bk1/8/8/8/8 w - - 1 -1", NUMBERS),
    ("8/8/4K3/5Bk1/8/8/8/8 w - - 3+3 1", MEN),
    ("r3k2r/8/8/8/8/8/8/R3K2R w x - 0 1", f"x {RIGHTS}"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkqK - 0 1", f"KQkqK {RIGHTS}"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", f"HAha {RIGHTS}"),
]


def test_what_is_no_fen_is_told_why() -> None:
    fens = [fen for fen, _ in UNREADABLE]
    assert node.run(WRONG, fens) == [said for _, said in UNREADABLE]


SCORES = """import { formatScore, parseScore } from './scores.js';

(texts) => texts.map((text) => {
  try {
    return formatScore(parseScore(text));
  } catch {
    return null;
  }
})"""


def test_scores_are_read_by_the_grammar_of_python() -> None:
    texts = ["", "-", "G", "MG3.5", "m-G3.5", "G3.5.", "GG3.5", "G 3.5", " -G3.5\n", "\u2011G3.5"]
    for sign in ("", "+", "-", "\N{MINUS SIGN}", "m"):
        for letter in ("G", "g", ""):
            for moves in ("0", "2", "02", "999", "1000"):
                texts += [
                    f"{sign}{letter}{moves}{half}" for half in ("", ".0", ".5", ",5", ".", ".25")
                ]
    expected = list[str | None]()
    for text in texts:
        try:
            expected.append(str(Score(text)))
        except ScoreFormatError:
            expected.append(None)
    assert node.run(SCORES, texts) == expected


FOUND = """import { positionIn } from './game.js';

(texts) => texts.map((text) => positionIn(text).fen)"""


def test_a_line_of_study_find_is_a_position() -> None:
    position = "8/k7/8/K7/1P6/8/8/8 w - -"
    line = f'{position} outcome "G0.5"; plies 9; zugzwang "mate"; other "G0.0";\n'
    assert node.run(FOUND, [line, position, f"{position} 0 1"]) == [
        position,
        position,
        f"{position} 0 1",
    ]
