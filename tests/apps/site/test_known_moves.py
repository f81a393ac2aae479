"""The explorer without a table: the tables that moves lead to bound them, or prove the value."""

from __future__ import annotations

from typing import Any, NamedTuple

import chess
import pytest

from tbgen.probe import Tablebase
from tbgen.rules.position import is_reset, own_score
from tbgen.score import Color, Score
from tests.apps.site import node

pytestmark = node.NEEDED

MOST_MEN = 3
"""The server of these tests has tables of so many."""

WON_BY_A_CAPTURE = "8/8/8/8/5k2/3n4/3R4/4K3 w - - 0 1"
"""White takes the knight, and mates. Nothing is known of other moves."""
LOST_WHATEVER_IS_PLAYED = "k7/8/8/8/8/8/1r5p/K7 w - - 0 1"
"""White has one move, which takes the rook. Black promotes, and mates."""
MATED_AT_ONCE = "7k/R7/1R6/8/8/8/8/K7 w - - 0 1"
REFUTED = "8/8/8/8/2b5/1k6/3P4/1K6 w - - 0 1"
"""After d3, Black takes the pawn."""
NOTHING_NEAR = "7n/8/8/2k5/8/8/R7/7K w - - 0 1"
ONE_REPLY = "k7/3N4/1K6/8/8/8/P7/8 w - - 0 1"
"""After Nb8, Black can only take the knight."""
ONE_REPLY_LOSES = "k7/3N4/1K6/8/8/8/7R/8 w - - 0 1"
"""After Nb8, Black can only take the knight, and is mated."""
CASTLES = "4k3/8/8/8/8/8/8/4K2R w K - 2 2"
"""A table has what follows when king or rook moves. It counts what has accrued."""
BLACK_CASTLES = "r3k3/8/8/8/8/8/8/4K3 b q - 3 9"
BLACK_TO_MOVE = "8/2n5/3R4/3k4/8/8/8/K7 b - - 0 1"
FENS = [
    WON_BY_A_CAPTURE,
    LOST_WHATEVER_IS_PLAYED,
    MATED_AT_ONCE,
    BLACK_TO_MOVE,
    REFUTED,
    ONE_REPLY,
    ONE_REPLY_LOSES,
    CASTLES,
    BLACK_CASTLES,
    "4k3/8/8/8/8/8/3q4/R3K3 w Q - 0 1",
    "8/3P4/8/8/8/1k6/6r1/1K6 w - - 0 1",
    "8/8/8/3Pp3/8/1k6/8/1K6 w - e6 0 1",
]


class Known(NamedTuple):
    """What is known of a move."""

    outcome: Score
    reply: str
    """The reply that bounds the move; empty if the move itself leads to the outcome."""
    is_exact: bool
    """Whether the move comes to the outcome: every reply is known, or one mates."""


def accrued_after(board: chess.Board, move: chess.Move, accrued: Score) -> Score:
    """The score that has accrued after a move."""
    after = board.copy()
    after.push(move)
    return accrued.after(own_score(after), reset=is_reset(board, move))


def end_of(tables: Tablebase, board: chess.Board, move: chess.Move, accrued: Score) -> Score | None:
    """The outcome after a move that ends the game or leads to a table."""
    after = board.copy()
    after.push(move)
    if not any(after.legal_moves):
        return own_score(after)
    men = chess.popcount(after.occupied)
    if men <= MOST_MEN and not after.castling_rights:
        return tables.probe(after, accrued_after(board, move, accrued)).outcome
    return None


def known_of(tables: Tablebase, board: chess.Board, move: chess.Move) -> Known | None:
    """The outcome of a move, or the best that it can come to; a mate alone bounds nothing."""
    accrued = own_score(board)
    end = end_of(tables, board, move, accrued)
    if end is not None:
        return Known(end, "", is_exact=True)
    mover = Color.of(board.turn)
    after = board.copy()
    after.push(move)
    accrued = accrued_after(board, move, accrued)
    ends = dict[str, Score]()
    for reply in after.legal_moves:
        outcome = end_of(tables, after, reply, accrued)
        if outcome is not None:
            ends[after.san(reply)] = outcome
    if not ends:
        return None
    worst = min(ends, key=lambda san: ends[san].worth_to(mover))
    is_mated = ends[worst] == Score(0, mover.other)
    is_exact = is_mated or len(ends) == after.legal_moves.count()
    if ends[worst] == Score(0, mover) and not is_exact:
        return None
    return Known(ends[worst], worst, is_exact)


KNOWN = """import { canonical, materialOf, parsePosition } from './chess.js';
import { bareAnswer, withKnown } from './known.js';

({ fens, names }, tables) => {
  const isHere = ({ board, castles }) =>
    names.includes(canonical(materialOf({ board })).name) && castles.castlingRights.isEmpty();
  const outcomes = (asked) => tables.outcomes(asked);
  return Promise.all(fens.map((fen) => {
    const position = parsePosition(fen);
    return withKnown(bareAnswer(position, { fen, accrued: '' }), position, { isHere, outcomes });
  }));
}"""

NAMED = {
    "k5r1/4R3/8/8/6K1/8/8/8 w - - 0 1": "Rg7 loses by mate.",
    "6r1/8/8/8/7N/8/5k1K/8 w - - 0 1": "Ng6, Ng2 and Nf3 lose by mate.",
    "8/8/4k3/8/1K6/8/1r1B4/8 w - - 0 1": "All moves but Kc3 lose by mate.",
    "4q3/1K6/8/8/7k/6R1/8/8 w - - 0 1": "10 of 18 moves lose by mate.",
}


@pytest.fixture(scope="module")
def answers(table_files: str, tables: Tablebase) -> dict[str, dict[str, Any]]:
    """What the explorer knows of each position."""
    fens = [*FENS, NOTHING_NEAR, *NAMED]
    names = [str(material) for material in tables.available()]
    told = node.run(KNOWN, {"fens": fens, "names": names}, table_files)
    return dict(zip(fens, told, strict=True))


def known_in(answer: dict[str, Any]) -> dict[str, Known | None]:
    """What is known of each move of an answer."""
    found = dict[str, Known | None]()
    for move in answer["moves"]:
        known = move["known"]
        found[move["san"]] = None
        if known is not None:
            reply = known["reply"]["san"] if known["reply"] else ""
            found[move["san"]] = Known(Score(known["outcome"]), reply, known["isExact"])
    return found


@pytest.mark.parametrize("fen", FENS)
def test_what_moves_into_tables_lead_to_is_known(
    answers: dict[str, dict[str, Any]], tables: Tablebase, fen: str
) -> None:
    board = chess.Board(fen)
    found = known_in(answers[fen])
    assert found.keys() == set(map(board.san, board.legal_moves))
    for move in board.legal_moves:
        known = found[board.san(move)]
        expected = known_of(tables, board, move)
        if known is None or expected is None:
            assert known == expected
        else:
            assert known._replace(reply="") == expected._replace(reply="")
            assert (known.reply == "") == (expected.reply == "")


def plies_of(tables: Tablebase, board: chess.Board, san: str) -> int:
    """How far a move is from what it comes to."""
    after = board.copy()
    move = after.push_san(san)
    if not any(after.legal_moves):
        return 1
    found = tables.probe(after, accrued_after(board, move, own_score(board)))
    assert found.dtg is not None
    return found.dtg + 1


@pytest.mark.parametrize("fen", [WON_BY_A_CAPTURE, MATED_AT_ONCE, CASTLES, BLACK_CASTLES])
def test_how_far_a_proved_mate_is_is_known_and_the_nearest_are_best(
    answers: dict[str, dict[str, Any]], tables: Tablebase, fen: str
) -> None:
    board = chess.Board(fen)
    mate = Score(0, Color.of(board.turn))
    plies = dict[str, int]()
    for san, known in known_in(answers[fen]).items():
        if known is not None and known.outcome == mate and not known.reply:
            plies[san] = plies_of(tables, board, san)
    assert plies
    moves = answers[fen]["moves"]
    assert {move["san"]: move["known"]["plies"] for move in moves if move["san"] in plies} == plies
    nearest = {san for san, number in plies.items() if number == min(plies.values())}
    assert {move["san"] for move in moves if move["best"]} == nearest
    assert moves[0]["san"] in nearest


def test_a_value_is_proved_by_moves_that_end_the_right_to_castle(
    answers: dict[str, dict[str, Any]], tables: Tablebase
) -> None:
    value = str(tables.probe(CASTLES.replace(" K ", " - ")).outcome)
    bounds = answers[CASTLES]["bounds"]
    assert (bounds["least"], bounds["most"], bounds["isProved"]) == (value, value, True)


@pytest.mark.parametrize("fen", FENS)
def test_moves_that_lose_by_mate_are_told(
    answers: dict[str, dict[str, Any]], tables: Tablebase, fen: str
) -> None:
    board = chess.Board(fen)
    mate = Score(0, Color.of(not board.turn))
    lost = 0
    for move in board.legal_moves:
        known = known_of(tables, board, move)
        lost += known is not None and known.outcome == mate
    assert (answers[fen]["losing"] != "") == (0 < lost < board.legal_moves.count())


@pytest.mark.parametrize("fen", NAMED)
def test_a_few_moves_that_lose_by_mate_are_named(
    answers: dict[str, dict[str, Any]], fen: str
) -> None:
    assert answers[fen]["losing"] == NAMED[fen]


def test_moves_of_which_nothing_is_known_stand_in_the_order_of_replies(
    answers: dict[str, dict[str, Any]],
) -> None:
    board = chess.Board(NOTHING_NEAR)
    assert set(known_in(answers[NOTHING_NEAR]).values()) == {None}
    numbers = list[int]()
    for move in answers[NOTHING_NEAR]["moves"]:
        after = board.copy()
        after.push_san(move["san"])
        numbers.append(after.legal_moves.count())
        assert move["ownCode"] == own_score(after).code
    assert len(numbers) == board.legal_moves.count()
    assert numbers == sorted(numbers)


def test_a_value_that_a_capture_proves_is_known(answers: dict[str, dict[str, Any]]) -> None:
    answer = answers[WON_BY_A_CAPTURE]
    assert answer["bounds"]["isProved"]
    assert answer["bounds"]["least"] == "G0.0"
    assert [move["san"] for move in answer["moves"] if move["best"]] == ["Rxd3"]


def test_a_side_that_loses_whatever_it_plays_is_told(
    answers: dict[str, dict[str, Any]], tables: Tablebase
) -> None:
    board = chess.Board(LOST_WHATEVER_IS_PLAYED)
    (move,) = board.legal_moves
    outcome = end_of(tables, board, move, own_score(board))
    bounds = answers[LOST_WHATEVER_IS_PLAYED]["bounds"]
    assert (bounds["least"], bounds["isProved"]) == (str(outcome), True)


MADE_UP = """import { legalMoves, parsePosition, sanOf } from './chess.js';
import { withKnown } from './known.js';
import { makeUci } from './vendor/chessops.js';

async ({ fen, own, outcome, distances }) => {
  const position = parsePosition(fen);
  const named = (move) => ({ uci: makeUci(move), san: sanOf(position, move) });
  const moves = legalMoves(position).map(named);
  const isHere = ({ castles }) => castles.castlingRights.isEmpty();
  const madeUp = (_, number) => ({ outcome, dtg: distances[number % distances.length] });
  const outcomes = async (fens) => fens.map(madeUp);
  const answer = await withKnown({ fen, accrued: own, moves }, position, { isHere, outcomes });
  return answer.moves.map(({ known }) => [known.plies, known.reply.end.plies]);
}"""


@pytest.mark.parametrize(
    ("outcome", "distances", "of_move", "of_reply"),
    [
        ("-G0.0", [4, 11, 2, 8, 3], 13, 12),
        ("-G0.0", [4, 11, None, 8, 3], None, None),
        ("G0.0", [4, 11, 2, 8, 3], None, 3),
        ("G0.0", [4, 11, None, 8, 3], None, 4),
    ],
    ids=["put off", "put off as far as is known", "hurried", "hurried as far as is known"],
)
def test_of_replies_that_all_come_to_mate_the_one_named_is_best_for_who_replies(
    outcome: str, distances: list[int | None], of_move: int | None, of_reply: int | None
) -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R b K - 2 2"
    board = chess.Board(fen)
    asked = {"fen": fen, "own": str(own_score(board)), "outcome": outcome, "distances": distances}
    assert node.run(MADE_UP, asked) == [[of_move, of_reply]] * board.legal_moves.count()


SOLVED = """import { withSolved } from './known.js';

({ fen, moves }) => {
  const unknown = moves.map(({ uci }) => ({ uci, known: null }));
  const answer = withSolved({ fen, moves: unknown }, moves);
  return answer.moves.map(({ uci, known }) =>
    [uci, known && [known.outcome, known.isExact, known.isLeast ?? false]]);
}"""


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (
            "w",
            {"a": ["G2.0", False, True], "b": ["-G3.0", False, False], "c": ["G1.5", True, False]},
        ),
        (
            "b",
            {"a": ["G2.0", False, False], "b": ["-G3.0", False, True], "c": ["G1.5", True, False]},
        ),
    ],
)
def test_what_a_solve_bounds_is_told_from_the_view_of_who_moves(
    turn: str, expected: dict[str, list[Any] | None]
) -> None:
    brackets = {
        "a": ("G2.0", "G0.0"),
        "b": ("-G0.0", "-G3.0"),
        "c": ("G1.5", "G1.5"),
        "d": ("-G0.0", "G0.0"),
    }
    moves = []
    for uci, (lower, upper) in brackets.items():
        is_exact = lower == upper
        ends = {"lower": {"outcome": lower}, "upper": {"outcome": upper}}
        moves.append({"uci": uci, **ends, "exact": is_exact, "best": False})
    fen = f"8/8/8/8/8/8/8/8 {turn} - - 0 1"
    found = dict(node.run(SOLVED, {"fen": fen, "moves": moves}))
    # White gets at least G2.0 by a, and Black at most that; of d nothing is known.
    assert found == {**expected, "d": None}
