"""The explorer without a table.

The tables that moves lead to bound them, or prove the value.
"""

from __future__ import annotations

from typing import NamedTuple

import chess
import pytest

from tbgen.apps.pages.palette import signed
from tbgen.probe import Tablebase
from tbgen.rules.position import is_reset, own_score
from tbgen.score import Color, Score
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_explorer import look_at, press, text_of, texts_of

pytestmark = NEEDED

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
    """What is known of a move, as its group on the page says it."""

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


def known_on(page: Chromium) -> dict[str, tuple[str, str | None, bool]]:
    """By move: the words of its group, the score there, and whether a reply is named."""
    rows = page.run(
        """[...document.querySelectorAll('#moves .move')].map((row) => {
          const title = row.closest('.group').querySelector('h3');
          const score = title.querySelector('.score')?.dataset.g ?? null;
          const reply = row.querySelector('b + span').textContent.startsWith('then ');
          return [row.querySelector('b').textContent, [title.firstChild.textContent, score, reply]];
        })"""
    )
    return {san: tuple(said) for san, said in rows}


def expected_on(tables: Tablebase, fen: str) -> dict[str, tuple[str, str | None, bool]]:
    """The same by the tables."""
    board = chess.Board(fen)
    expected = dict[str, tuple[str, str | None, bool]]()
    for move in board.legal_moves:
        known = known_of(tables, board, move)
        if known is None:
            said: tuple[str, str | None, bool] = ("Not known", None, False)
        elif known.is_exact:
            said = ("Comes to", str(known.outcome), known.reply != "")
        else:
            said = (f"{Color.of(board.turn)} gets at most", str(known.outcome), True)
        expected[board.san(move)] = said
    return expected


@pytest.mark.parametrize("fen", FENS)
def test_what_moves_into_tables_lead_to_stands_beside_each_move(
    page: Chromium, server: str, tables: Tablebase, fen: str
) -> None:
    look_at(page, server, fen)
    assert known_on(page) == expected_on(tables, fen)


@pytest.mark.parametrize("fen", [CASTLES, REFUTED])
def test_files_of_tables_say_the_same_as_a_server(
    page: Chromium, places: dict[str, str], tables: Tablebase, fen: str
) -> None:
    look_at(page, places["starlette"], fen)
    assert known_on(page) == expected_on(tables, fen)


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
def test_how_far_a_proved_mate_is_stands_beside_its_moves_and_the_nearest_are_best(
    page: Chromium, server: str, tables: Tablebase, fen: str
) -> None:
    board = chess.Board(fen)
    mate = str(Score(0, Color.of(board.turn)))
    plies = dict[str, int]()
    for san, (_, outcome, has_reply) in expected_on(tables, fen).items():
        if outcome == mate and not has_reply:
            plies[san] = plies_of(tables, board, san)
    assert plies
    look_at(page, server, fen)
    shown = dict(zip(texts_of(page, ".move b"), texts_of(page, ".move b + span"), strict=True))
    for san, number in plies.items():
        assert shown[san] == f"{number} {'ply' if number == 1 else 'plies'}"
    nearest = {san for san, number in plies.items() if number == min(plies.values())}
    assert set(texts_of(page, ".move.best b")) == nearest
    named = text_of(page, "#verdict").partition(" lead to: ")[2].split(". ")[0]
    assert named in nearest


def test_a_value_is_proved_by_moves_that_end_the_right_to_castle(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    value = tables.probe(CASTLES.replace(" K ", " - ")).outcome
    look_at(page, server, CASTLES)
    verdict = text_of(page, "#verdict")
    assert verdict.startswith(f"{value} {value.in_words()}, with best play.")
    assert " Proved by what moves into tables lead to: " in verdict
    assert verdict.endswith("Look at the position without castling rights 6 endings are here")


@pytest.mark.parametrize("fen", FENS)
def test_moves_that_lose_by_mate_are_told(
    page: Chromium, server: str, tables: Tablebase, fen: str
) -> None:
    board = chess.Board(fen)
    mate = Score(0, Color.of(not board.turn))
    lost = set[str]()
    for move in board.legal_moves:
        known = known_of(tables, board, move)
        if known is not None and known.outcome == mate:
            lost.add(board.san(move))
    moves = set(map(board.san, board.legal_moves))
    look_at(page, server, fen)
    verdict = text_of(page, "#verdict")
    assert ("by mate." in verdict) == (0 < len(lost) < len(moves) and "best play" not in verdict)


@pytest.mark.parametrize(
    ("fen", "said"),
    [
        ("k5r1/4R3/8/8/6K1/8/8/8 w - - 0 1", "Rg7 loses by mate."),
        ("6r1/8/8/8/7N/8/5k1K/8 w - - 0 1", "Ng6, Ng2 and Nf3 lose by mate."),
        ("8/8/4k3/8/1K6/8/1r1B4/8 w - - 0 1", "All moves but Kc3 lose by mate."),
        ("4q3/1K6/8/8/7k/6R1/8/8 w - - 0 1", "10 of 18 moves lose by mate."),
    ],
)
def test_a_few_moves_that_lose_by_mate_are_named(
    page: Chromium, server: str, fen: str, said: str
) -> None:
    look_at(page, server, fen)
    assert said in text_of(page, "#verdict")


def test_moves_of_which_nothing_is_known_stand_in_the_order_of_replies(
    page: Chromium, server: str
) -> None:
    board = chess.Board(NOTHING_NEAR)
    look_at(page, server, NOTHING_NEAR)
    rows = page.run(
        """[...document.querySelectorAll('#moves .move')].map((row) =>
          [row.querySelector('b').textContent, row.querySelector('b + span').textContent,
           row.querySelector('.score')?.dataset.g ?? ''])"""
    )
    numbers = list[int]()
    for san, said, reached in rows:
        after = board.copy()
        after.push_san(san)
        number = after.legal_moves.count()
        numbers.append(number)
        if reached:
            assert (said, reached) == ("", str(own_score(after)))
        else:
            assert said == f"{number} {'reply' if number == 1 else 'replies'}"
    assert len(numbers) == board.legal_moves.count()
    assert numbers == sorted(numbers)


def test_a_value_that_a_capture_proves_is_shown_and_its_move_played(
    page: Chromium, server: str
) -> None:
    look_at(page, server, WON_BY_A_CAPTURE)
    verdict = text_of(page, "#verdict")
    assert verdict.startswith(
        "G0.0 White forces checkmate, with best play."
        " Proved by what captures and promotions lead to: Rxd3."
    )
    assert texts_of(page, ".move.best b") == ["Rxd3"]
    page.wait("document.getElementById('why').innerText.startsWith('Rxd3. Black replies')")
    press(page, " ", "8/8/8/8/5k2/3R4/8/4K3")


def test_a_move_that_a_capture_refutes_names_it(page: Chromium, server: str) -> None:
    look_at(page, server, REFUTED)
    place = texts_of(page, ".move b").index("d3")
    page.run(f"document.querySelectorAll('.move')[{place}].dispatchEvent(new Event('mouseenter'))")
    page.wait("document.getElementById('why').innerText.startsWith('Black can reply Bxd3+: −G1.5')")


def test_a_side_that_loses_whatever_it_plays_is_told(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    board = chess.Board(LOST_WHATEVER_IS_PLAYED)
    (move,) = board.legal_moves
    outcome = end_of(tables, board, move, own_score(board))
    assert outcome is not None
    look_at(page, server, LOST_WHATEVER_IS_PLAYED)
    assert text_of(page, "#verdict").startswith(signed(f"{outcome} {outcome.in_words()}, with"))


def test_where_nothing_is_near_the_moves_are_only_listed(page: Chromium, server: str) -> None:
    look_at(page, server, NOTHING_NEAR)
    assert {words for words, _, _ in known_on(page).values()} == {"Legal moves"}
    assert text_of(page, "#verdict").startswith("No table of KRvKN")


MADE_UP = """(async () => {
  const { withKnown } = await import('./known.js');
  const { legalMoves, parsePosition, sanOf } = await import('./chess.js');
  const { makeUci } = await import('./vendor/chessops.js');
  const position = parsePosition(FEN);
  const named = (move) => ({ uci: makeUci(move), san: sanOf(position, move) });
  const moves = legalMoves(position).map(named);
  const isHere = ({ castles }) => castles.castlingRights.isEmpty();
  const distances = DISTANCES;
  const madeUp = (_, number) => ({ outcome: OUTCOME, dtg: distances[number % distances.length] });
  const outcomes = async (fens) => fens.map(madeUp);
  const answer = await withKnown({ fen: FEN, accrued: OWN, moves }, position, { isHere, outcomes });
  return answer.moves.map(({ known }) => [known.plies, known.reply.end.plies]);
})()"""


@pytest.mark.parametrize(
    ("outcome", "distances", "of_move", "of_reply"),
    [
        ("-G0.0", "[4, 11, 2, 8, 3]", 13, 12),
        ("-G0.0", "[4, 11, null, 8, 3]", None, None),
        ("G0.0", "[4, 11, 2, 8, 3]", None, 3),
        ("G0.0", "[4, 11, null, 8, 3]", None, 4),
    ],
    ids=["put off", "put off as far as is known", "hurried", "hurried as far as is known"],
)
def test_of_replies_that_all_come_to_mate_the_one_named_is_best_for_who_replies(
    page: Chromium,
    server: str,
    outcome: str,
    distances: str,
    of_move: int | None,
    of_reply: int | None,
) -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R b K - 2 2"
    own = str(own_score(chess.Board(fen)))
    page.open(f"{server}/explorer/")
    made_up = MADE_UP.replace("FEN", repr(fen)).replace("OUTCOME", repr(outcome))
    found = page.run(made_up.replace("OWN", repr(own)).replace("DISTANCES", distances))
    assert found == [[of_move, of_reply]] * chess.Board(fen).legal_moves.count()
