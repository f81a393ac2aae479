"""Maps, drills, the gallery and the puzzle of the day, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from typing import Any
from urllib.parse import parse_qs, urlsplit

import chess
import pytest

from tbgen.apps.pages.export import files
from tbgen.apps.records.record import Record
from tbgen.probe import MoveProbe, Tablebase, open_tablebase
from tbgen.rules.position import material_of
from tbgen.score import Score
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_boards import random_maps
from tests.apps.site.test_explorer import BISHOP, fen_in, look_at, text_of, type_move, wait_for
from tests.positions import random_boards

pytestmark = NEEDED

ASK_ALL = """(async () => {
  const { Server } = await import('./source.js');
  const { Tables } = await import('./tables.js');
  const source = PLACE === 'tbgen' ? new Server('../') : new Tables('../tables/');
  return Promise.all(ASKED.map((each) => DOES));
})()"""

OURS = ("tbgen", "starlette")
"""Where answers come from a server, and where from files."""
WITHOUT_TABLE = "4k2r/8/8/8/8/8/8/R3KB2 w - - 0 1"


def asked_of(
    page: Chromium, places: dict[str, str], place: str, asked: Sequence[Any], does: str
) -> Any:
    """The values of an expression for several things. It may use `source` and `each`."""
    page.open(f"{places[place]}/explorer/", "document.querySelector('#verdict p')")
    script = ASK_ALL.replace("PLACE", repr(place))
    script = script.replace("ASKED", json.dumps(asked))
    return page.run(script.replace("DOES", does))


def test_maps_are_those_of_python_on_a_server_and_on_plain_files(
    page: Chromium, places: dict[str, str], tables: Tablebase
) -> None:
    asked = list[list[str]]()
    expected = list[object]()
    for board, accrued, man, facts in random_maps(tables, 149, 20):
        asked.append([board.fen(), str(accrued or ""), chess.square_name(man)])
        expected.append(facts["squares"])
    for place in OURS:
        assert asked_of(page, places, place, asked, "source.map(...each)") == expected


def test_a_drill_is_gone_where_a_position_without_a_table_is_pasted(
    page: Chromium, server: str
) -> None:
    look_at(page, server, BISHOP)
    page.run("document.getElementById('ask-drill').click()")
    page.wait("!document.getElementById('drill-part').hidden")
    page.type_into("#fen", WITHOUT_TABLE)
    page.press("Enter")
    wait_for(page, WITHOUT_TABLE)
    assert page.run("document.getElementById('drill-part').hidden")
    assert not page.run("document.body.classList.contains('drilled')")


GRADES = """source.probe(each, '').then(async (answer) => {
  const { gradeOf, replyTo } = await import('./drill.js');
  const { Game } = await import('./game.js');
  const after = ({ uci }) => {
    const game = new Game({ fen: each });
    game.play(uci);
    return source.probe(game.now.fen, game.now.accrued);
  };
  const lost = answer.moves.map((move) => gradeOf(answer, move.uci).lost);
  const reply = await replyTo(answer, after);
  return [lost, reply.uci];
})"""
"""What each move loses, and the move that the drill plays."""


def test_drills_grade_no_best_move_down_and_set_problems(
    page: Chromium, places: dict[str, str], tables: Tablebase
) -> None:
    drawn = random_boards(491, 16, tables.available())
    boards = [board for board in drawn if any(board.legal_moves)][:12]
    fens = [board.fen() for board in boards]
    for place in OURS:
        answers = asked_of(page, places, place, fens, GRADES)
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


def test_a_drill_gives_hints_takes_moves_back_and_says_what_is_no_move(
    page: Chromium, server: str
) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.run("document.getElementById('ask-drill').click()")
    page.wait("!document.getElementById('drill-part').hidden")
    type_move(page, "Qh4")
    assert text_of(page, "#said") == "Qh4 is no legal move here."
    assert page.run("document.getElementById('said').checkVisibility()")
    press_in_drill(page, "Hint")
    assert text_of(page, "#drill-part .hint") == "Move the white king on e6."
    press_in_drill(page, "Hint")
    assert text_of(page, "#drill-part .hint") == "Play Ke5."
    page.wait("document.querySelectorAll('.cg-shapes line').length === 1")
    type_move(page, "Bg4")
    page.wait(
        "document.getElementById('drill-part').innerText.includes('gives the score to Black')"
    )
    page.wait("document.getElementById('fen').value.includes(' w ')")
    press_in_drill(page, "Take back")
    wait_for(page, BISHOP)
    assert "gives the score" not in text_of(page, "#drill-part")
    assert page.run("document.getElementById('accrued').value") == "G4.0"
    type_move(page, "Ke5")
    page.wait("document.getElementById('drill-part').innerText.includes('is best play')")


SMALL_LOSS = """(async () => {
  const { Drill } = await import('./drill.js');
  const place = document.createElement('section');
  const move = { uci: each, keeps: false, outcome: 'G10.5', san: 'Ke5' };
  const answer = { fen: FEN, own: 'G20.5', accrued: 'G20.5', outcome: 'G9.5', moves: [move] };
  const drill = new Drill(answer, { place, node: () => null });
  drill.played(answer, each);
  await drill.shown({ fen: FEN, accrued: 'G10.5', outcome: 'G10.5', moves: [] });
  return place.textContent;
})()"""
"""The end of a drill in which a move has given 0.0000005 points away."""


def test_a_small_loss_in_a_drill_is_not_told_as_none(
    page: Chromium, places: dict[str, str]
) -> None:
    script = SMALL_LOSS.replace("FEN", json.dumps(BISHOP))
    (told,) = asked_of(page, places, OURS[0], ["e6e5"], script)
    assert ": less than 0.0001 points." in told
    assert "You gave away less than 0.0001 points." in told


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


GALLERY = json.loads(files()["gallery.json"])


def test_the_gallery_has_what_records_say(published: list[Record]) -> None:
    known = {record.material: record for record in published}
    for fen, outcome, plies in GALLERY["longest"]:
        men = len(chess.Board(f"{fen} - - 0 1").piece_map())
        longest = []
        for record in published:
            if record.men == men:
                for side in record.sides.values():
                    if Score(outcome) in side.outcomes:
                        longest.append(side.outcomes[Score(outcome)].longest)
        assert plies == max(line.dtg for line in longest)
        assert any(line.fen.startswith(f"{fen} ") for line in longest)
    for placement, white, black in GALLERY["zugzwangs"]:
        fen = f"{placement} - - 0 1"
        zugzwang = known[material_of(chess.Board(fen)).canonical()].zugzwangs.longest
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


@pytest.mark.parametrize(
    ("wanted", "endings"),
    [
        ("rook", ["KRvK"]),
        ("king against Bishops", ["KBvK"]),
        ("kkb", ["KBvK"]),
        ("KvKN", ["KNvK"]),
        ("two bare", ["KvK"]),
        ("B v K", ["KBvK"]),
        ("K+R v K", ["KRvK"]),
        ("elephant", []),
    ],
)
def test_an_ending_is_found_and_a_position_of_it_drawn(
    page: Chromium, places: dict[str, str], wanted: str, endings: list[str]
) -> None:
    look_at(page, places["tbgen"])
    page.run("document.getElementById('endings').open = true")
    page.wait("document.querySelectorAll('#found-endings button').length === 6")
    page.type_into("#find-ending", wanted)
    buttons = "[...document.querySelectorAll('#found-endings button')]"
    names = page.run(f"{buttons}.map((each) => each.innerText.split(' ').at(-1))")
    assert names == endings
    hint = "" if endings else ": write men, such as krpkr, or words, such as rook pawn"
    assert text_of(page, "#found-number") == f"{len(endings)} of 6{hint}"
    if endings:
        page.run(f"window.before = location.search; {buttons}[0].click()")
        page.wait("location.search !== window.before")
        board = chess.Board(fen_in(page))
        assert str(material_of(board).canonical()) == endings[0]
        assert board.is_valid()


def test_the_gallery_opens_what_it_names_and_a_puzzle_a_day(
    page: Chromium, places: dict[str, str], tables: Tablebase
) -> None:
    for place in OURS:
        look_at(page, places[place])
        page.run("document.getElementById('gallery').open = true")
        page.wait("document.querySelectorAll('.gallery').length >= 2")
        elements = "[...document.querySelectorAll('.gallery a')]"
        links = page.run(f"{elements}.map((each) => [each.href, each.innerText])")
        for href, said in links[:: len(links) // 12]:
            (fen,) = parse_qs(urlsplit(href).query)["fen"]
            probe = tables.probe(fen.replace("_", " "))
            if said[0] in "G\N{MINUS SIGN}":
                assert said.replace("\N{MINUS SIGN}", "-").startswith(str(probe.outcome))
        page.run("document.getElementById('puzzle').click()")
        page.wait("!document.getElementById('drill-part').hidden")
        board = chess.Board(page.run("document.getElementById('fen').value"))
        assert len(keeping_moves(tables, board)) == 1
        days = [date(2026, 11, day).isoformat() for day in (1, 2, 3, 2)]
        daily = """import('./endings.js').then(async ({ Gallery, strangePositions }) => {
          const names = document.documentElement.dataset.tables.split(' ');
          const [fen] = new Gallery(await strangePositions(), names, {}).puzzleOf(
            new Date(`${each}T12:00`));
          return fen;
        })"""
        first, second, third, again = asked_of(page, places, place, days, daily)
        assert second == again
        assert len({first, second, third}) == 3
