"""What property tests draw from."""

from __future__ import annotations

import chess
from hypothesis import settings
from hypothesis import strategies as st

from tbgen.material import Material
from tbgen.men import Role
from tbgen.rules.points import Komi, Scheme, Scoring
from tbgen.score import Color, Score


def examples(least: int = 0, share: int = 1) -> settings:
    """So many examples at least, or a share of the usual number."""
    usual = settings.get_profile(settings.get_current_profile_name()).max_examples
    return settings(max_examples=max(least, usual // share))


colors = st.sampled_from(Color)
codes = st.integers(0, 437)
outcomes = scores = st.builds(Score, codes, colors)
komis = st.builds(Komi, colors, st.integers(0, 200))
scorings = st.builds(Scoring, st.sampled_from(Scheme), st.integers(0, 40), komis)
men = st.lists(
    st.sampled_from([Role.PAWN, Role.KNIGHT, Role.BISHOP, Role.ROOK, Role.QUEEN]), max_size=3
)
materials = st.builds(
    lambda white, black: Material([Role.KING, *white], [Role.KING, *black]), men, men
)


@st.composite
def boards(draw: st.DrawFn, most_plies: int = 60) -> chess.Board:
    """A board with the moves of a random game on its stack.

    Men often go back, so that positions repeat.
    """
    board = chess.Board(draw(st.sampled_from(ROOTS)))
    choices = draw(st.lists(st.integers(0, 2**16), max_size=most_plies))
    for choice in choices:
        back = way_back(board)
        if choice % 4 and back in board.legal_moves:
            board.push(back)
            continue
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[choice // 4 % len(moves)])
    return board


def way_back(board: chess.Board) -> chess.Move:
    """The last move of the side to move, taken back over the board."""
    if len(board.move_stack) < 2:
        return chess.Move.null()
    last = board.move_stack[-2]
    return chess.Move(last.to_square, last.from_square)


ROOTS = (
    chess.STARTING_FEN,
    "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30",
    "8/2p5/8/1P1k4/8/4K3/8/8 b - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 5 20",
    "4k3/2p5/8/1P6/3p4/8/2P5/4K3 w - - 0 1",
    "rnbqkbnr/pppp1ppp/8/8/4p3/8/PPPPPPPP/RNBQKBNR w KQkq - 0 3",
    "8/1P4k1/8/8/8/8/1K4p1/8 w - - 0 1",
    "4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1",  # a right to take en passant, and none
    "4k3/8/8/8/p2P4/8/8/4K3 b - d3 0 1",
    "8/8/8/2K3k1/8/8/8/8 w - - 0 1",
)
