"""Compiled counting of moves and reading of games, against python-chess and published counts."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import chess
import chess.pgn
import pytest

from tbgen.board.board import words_of
from tbgen.board.moves import code_on
from tbgen.rules.game import End, FiftyMoves, FiftyMoveSetting, Game
from tbgen.rules.position import own_score
from tbgen.rules.stage import first_ply, next_ply
from tbgen.score import Color, Score
from tests.board.plies import (
    perft,
    random_game,
    random_root,
    told_by_kernels,
    told_by_python_chess,
    written,
)
from tests.positions import random_board
from tests.project import golden_rows


def published() -> list[object]:
    """Numbers of games. Those of five plies take long."""
    cases = list[object]()
    for row in golden_rows("perft.csv"):
        marks = [pytest.mark.slow] if row["plies"] == "5" else []
        cases.append(pytest.param(*row.values(), marks=marks))
    return cases


@pytest.mark.parametrize(("fen", "plies", "ways"), published())
def test_as_many_games_can_be_played_as_published(fen: str, plies: str, ways: str) -> None:
    board = chess.Board(fen)
    board.chess960 = board.has_chess960_castling_rights()
    assert perft(words_of(board), int(plies)) == int(ways)


@pytest.mark.parametrize("seed", range(4))
def test_random_games_are_told_ply_by_ply_as_by_python_chess(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(8):
        board = random_game(draw, most_plies=120)
        spell = draw.choice([chess.Board.san, chess.Board.lan, lambda board, move: move.uci()])
        words = written(board, spell)
        assert told_by_kernels(board.root(), words) == (len(words), told_by_python_chess(board))


def test_positions_are_counted_that_no_game_can_reach() -> None:
    """Several checks at once, pins without end, pawns on any file."""
    draw = random.Random(5)
    men = 3 * "QRBNPqrbnp"  # never more of a side than is legal
    for _ in range(1000):
        board = random_board(draw, "Kk" + "".join(draw.sample(men, draw.randrange(1, 22))))
        assert code_on(words_of(board)) == own_score(board).code, board.fen()


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",  # both pawns would leave the king's rank
        "8/8/8/8/k1Pp3Q/8/8/4K3 b - c3 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",  # the pawn that gives check is taken
        "4k3/8/8/1b6/3Pp3/8/8/4K2B b - d3 0 1",
        "rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    ],
)
def test_en_passant_is_counted_where_it_is_legal(fen: str) -> None:
    board = chess.Board(fen)
    assert code_on(words_of(board)) == own_score(board).code


def parsed(board: chess.Board, word: str) -> chess.Move | None:
    """The move as python-chess reads it in SAN and as in UCI."""
    for parse in (board.parse_san, board.parse_uci):
        try:
            move = parse(word)
        except ValueError:
            continue
        if move:
            return move
    return None


LETTERS = "abcdefgh12345678KQRBNPx-=+#Oo0nqrbk!"


def spellings(draw: random.Random, board: chess.Board) -> list[str]:
    """Moves in many notations, some of them spoilt."""
    words = ["O-O", "0-0-0+", "O-0", "0-0", "O-O-O#", "--", "0000", "e1g1", "e8c8", "e1h1", "4"]
    words += spellings_of(board, draw.choice(list(board.legal_moves)))
    words += spellings_of(board, draw.choice(list(board.pseudo_legal_moves)))
    for word in draw.sample(words, 20):
        place = draw.randrange(len(word) + 1)
        words.append(word[:place] + draw.choice(LETTERS) + word[place + draw.randrange(2) :])
    return [word for word in words if word]


def spellings_of(board: chess.Board, move: chess.Move) -> list[str]:
    """A move in many notations, right and wrong."""
    origin = chess.square_name(move.from_square)
    target = chess.square_name(move.to_square)
    man = board.piece_at(move.from_square)
    assert man is not None
    letter = man.symbol().upper()
    promotion = "" if move.promotion is None else chess.piece_symbol(move.promotion)
    origins = ("", origin, origin[0], origin[1])
    ends = ("", promotion, "=" + promotion.upper(), "+", "#", "=Q", "=K", "n")
    words = list[str]()
    for name, start, sign, end in itertools.product(("", letter), origins, ("", "x", "-"), ends):
        words.append(name + start + sign + target + end)
    return words


@pytest.mark.parametrize("seed", range(2))
def test_every_spelling_is_read_or_refused_as_by_python_chess(seed: int) -> None:
    draw = random.Random(seed)
    read = 0
    refused = 0
    for _ in range(12):
        board = random_root(draw)
        for _ in range(draw.randrange(60)):
            moves = list(board.legal_moves)
            if moves:
                board.push(draw.choice(moves))
        board = board.copy(stack=False)
        if not any(board.legal_moves):
            continue
        for word in spellings(draw, board):
            move = parsed(board, word)
            plies, facts = told_by_kernels(board, [word])
            assert (plies == 1) == (move is not None), (board.fen(), board.chess960, word)
            if move is None:
                refused += 1
                continue
            read += 1
            after = board.copy()
            after.push(move)
            assert facts[1] == told_by_python_chess(after)[1], (board.fen(), word)
    assert read > 300
    assert refused > 1000


@pytest.mark.parametrize("setting", FiftyMoveSetting)
def test_kernels_and_the_walk_in_plain_numbers_tell_a_game_as_game_does(
    setting: FiftyMoveSetting,
) -> None:
    draw = random.Random(2)
    fifty_moves = FiftyMoves(setting)
    ends = Counter[End | None]()
    for _ in range(15):
        board = random_game(draw, most_plies=260)
        game = Game(board, fifty_moves=fifty_moves)
        _, facts = told_by_kernels(board.root(), written(board))
        code, _, bare, _ = facts[0]
        root = board.root()
        own = Score(code, Color.of(not root.turn))
        ply = first_ply(own, own, root.halfmove_clock, bare, fifty_moves)
        for expected, told in zip(game.plies, [None, *facts[1:]], strict=True):
            if told is not None:
                own_code, reset, is_bare, seen = told
                ply = next_ply(ply, own_code, reset, is_bare, seen, fifty_moves)
            assert ply == expected._replace(move=None, san="")
            ends[ply.end] += 1
    assert ends[End.CHECKMATE] + ends[End.STALEMATE] > 0
    assert ends[End.BARE_KINGS] > 0
    assert (ends[End.FIFTY_MOVES] > 0) == (setting is not FiftyMoveSetting.NONE)
