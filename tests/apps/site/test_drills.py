"""Maps, drills, the gallery and the puzzle of the day, in a real browser."""

from __future__ import annotations

import json
from datetime import date

import chess
import pytest

from scripts import gallery
from tbgen.apps.pages.export import files
from tbgen.apps.records.record import Record
from tbgen.probe import MoveProbe, Tablebase, open_tablebase
from tbgen.rules.position import material_of
from tbgen.score import Score
from tests.apps.site import node
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_explorer import (
    fen_in,
    look_at,
    text_of,
    type_move,
    wait_for,
)
from tests.positions import BISHOP, random_boards

pytestmark = NEEDED


GRADES = """import { gradeOf, replyTo } from './drill.js';
import { Game } from './game.js';

(fens, tables) => Promise.all(fens.map(async (fen) => {
  const answer = await tables.probe(fen, '');
  const after = ({ uci }) => {
    const game = new Game({ fen });
    game.play(uci);
    return tables.probe(game.now.fen, game.now.accrued);
  };
  const lost = answer.moves.map((move) => gradeOf(answer, move.uci).lost);
  const reply = await replyTo(answer, after);
  return [lost, reply.uci];
}))"""
"""What each move loses, and the move that the drill plays."""


@node.NEEDED
def test_drills_grade_no_best_move_down_and_set_problems(
    table_files: str, tables: Tablebase
) -> None:
    drawn = random_boards(491, 16, tables.available())
    boards = [board for board in drawn if any(board.legal_moves)][:12]
    answers = node.run(GRADES, [board.fen() for board in boards], table_files)
    for board, (lost, reply) in zip(boards, answers, strict=True):
        moves = tables.probe_moves(board)
        assert [points == 0 for points in lost] == [move.keeps for move in moves]
        assert all(points >= 0 for points in lost)
        candidates = [move for move in moves if move.keeps][:12]
        problems = {move.uci: problem_of(tables, board, move) for move in candidates}
        assert problems[reply] == min(problems.values())


def problem_of(tables: Tablebase, board: chess.Board, move: MoveProbe) -> tuple[bool, int]:
    """Whether a move concedes at once, and how many replies keep the outcome."""
    after = board.copy(stack=False)
    after.push(move.move)
    accrued = None if move.accrued == move.own else move.accrued
    probe = tables.probe(after, accrued)
    replies = tables.probe_moves(after, accrued)
    concedes = not replies or probe.outcome == probe.accrued
    return concedes, sum(reply.keeps for reply in replies)


def press_in_drill(page: Chromium, text: str) -> None:
    buttons = "[...document.querySelectorAll('#drill-part button')]"
    page.run(f"{buttons}.find((each) => each.innerText === {text!r}).click()")


def test_a_drill_is_played_to_its_end(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.run("document.getElementById('ask-drill').click()")
    page.wait("!document.getElementById('drill-part').hidden")
    task = "You play White. Keep G1.5: White holds Black to 1 legal move."
    assert task in text_of(page, "#drill-part")
    assert not page.run("document.getElementById('moves').offsetParent")
    page.wait("document.querySelectorAll('.cg-shapes line').length === 0")
    type_move(page, "Bg4")
    page.wait(
        "document.getElementById('drill-part').innerText.includes('gives the score to Black')"
    )
    press_in_drill(page, "Begin again")
    wait_for(page, BISHOP)
    is_over = "document.getElementById('drill-part').innerText.includes('held for ever')"
    is_white_to_move = "document.getElementById('fen').value.includes(' w ')"
    for _ in range(12):
        page.wait(f"!document.querySelector('[aria-busy]') && ({is_white_to_move} || {is_over})")
        if "held for ever" in text_of(page, "#drill-part"):
            break
        before = page.run("location.search")
        page.run("document.getElementById('best').click()")
        page.wait(f"location.search !== {before!r}")
    assert "You gave nothing away in" in text_of(page, "#drill-part")
    assert page.run("document.getElementById('moves').offsetParent !== null")
    here = page.run("location.search")
    press_in_drill(page, "Another like this")
    has_task = "document.getElementById('drill-part').innerText.includes('Keep G1.5')"
    page.wait(f"location.search !== {here!r} && {has_task}")
    board = chess.Board(fen_in(page))
    assert board.turn == chess.WHITE
    assert len(board.piece_map()) == 3
    assert board.fen() != BISHOP


IN_POINTS = """import { inPoints } from './drill.js';

(losses) => losses.map(inPoints)"""


@node.NEEDED
def test_a_small_loss_in_a_drill_is_not_told_as_none() -> None:
    told = node.run(IN_POINTS, [0.0000005, 0.00006, 0.0627])
    assert told == ["less than 0.0001 points", "0.0001 points", "0.0627 points"]


def test_a_drill_of_black_turns_the_board_and_hides_its_arrows(page: Chromium, server: str) -> None:
    arrows = "document.querySelectorAll('.cg-shapes line').length"
    look_at(page, server, "8/8/8/8/8/2k5/1r6/K7 b - - 0 1")
    page.wait(f"{arrows} > 0")
    for side in ("black", "white"):
        page.press("f")
        page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.wait(f"document.querySelector('.orientation-{side}') && {arrows} > 0")
    page.run("document.getElementById('ask-drill').click()")
    page.wait(f"document.querySelector('.orientation-black') && {arrows} === 0")
    press_in_drill(page, "Leave the drill")
    page.wait(f"document.getElementById('drill-part').hidden && {arrows} > 0")


GALLERY = json.loads(files()["gallery.json"]) | json.loads(files()["chosen.json"])


def test_the_gallery_is_what_its_program_makes(published: list[Record]) -> None:
    assert gallery.GALLERY.read_text() == gallery.gallery_of(published)


def test_the_gallery_has_what_records_say(published: list[Record]) -> None:
    known = {record.material: record for record in published}
    for fen, outcome, plies in GALLERY["longest"]:
        men = len(chess.Board(f"{fen} - - 0 1").piece_map())
        longest = []
        for record in published:
            if record.men == men:
                for side in record.sides.values():
                    counts = side.outcomes.get(Score(outcome))
                    if counts is not None and counts.longest is not None:
                        longest.append(counts.longest)
        assert plies == max(line.dtg for line in longest)
        assert any(line.fen.startswith(f"{fen} ") for line in longest)
    for placement, white, black, number in GALLERY["zugzwangs"]:
        fen = f"{placement} - - 0 1"
        zugzwangs = known[material_of(chess.Board(fen)).canonical()].zugzwangs
        assert number == zugzwangs.all.classes
        zugzwang = zugzwangs.longest
        assert zugzwang is not None
        assert zugzwang.fen == fen
        assert zugzwang.white.outcome == Score(white)
        assert zugzwang.black.outcome == Score(black)


def known_rows(tables: Tablebase, name: str) -> list[tuple[chess.Board, str]]:
    """The positions of a list whose tables are there, each with the score beside it."""
    known = list[tuple[chess.Board, str]]()
    for placement, score in GALLERY[name]:
        board = chess.Board(f"{placement} - - 0 1")
        if board in tables:
            known.append((board, score))
    return known


def keeping_moves(
    tables: Tablebase, board: chess.Board, accrued: str | None = None
) -> set[chess.Move]:
    """The moves that keep the outcome."""
    return {move.move for move in tables.probe_moves(board, accrued) if move.keeps}


@pytest.mark.parametrize(
    ("folder", "least"),
    [("table_folder", 6), pytest.param("four_men_folder", 68, marks=pytest.mark.slow)],
)
def test_puzzles_have_one_answer_and_moves_change_where_the_gallery_says_so(
    request: pytest.FixtureRequest, folder: str, least: int
) -> None:
    with open_tablebase(request.getfixturevalue(folder)) as tables:
        puzzles = known_rows(tables, "puzzles")
        for board, outcome in puzzles:
            assert str(tables.probe(board).outcome) == outcome
            assert len(keeping_moves(tables, board)) == 1
            assert board.legal_moves.count() > 4
        changes = known_rows(tables, "changes")
        for board, accrued in changes:
            with_own_score = keeping_moves(tables, board)
            with_other = keeping_moves(tables, board, accrued)
            assert with_own_score
            assert with_other
            assert with_own_score.isdisjoint(with_other)
    assert len(puzzles) + len(changes) >= least


DAILY = """import { Gallery } from './endings.js';

({ rows, names, days }) => {
  const gallery = new Gallery(rows, names, {});
  return days.map((day) => gallery.puzzleOf(new Date(`${day}T12:00`)));
}"""


@node.NEEDED
def test_a_puzzle_is_of_its_day_and_of_the_tables_that_are_here(tables: Tablebase) -> None:
    names = [str(material) for material in tables.available()]
    days = [date(2026, 11, day).isoformat() for day in (1, 2, 3, 2)]
    first, second, third, again = node.run(DAILY, {"rows": GALLERY, "names": names, "days": days})
    assert second == again
    assert len({fen for fen, _ in (first, second, third)}) == 3
    assert all(chess.Board(f"{fen} - - 0 1") in tables for fen, _ in (first, second, third))
