"""Maps, drills, the gallery and the puzzle of the day, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from typing import Any

import chess
import pytest

from tbgen.apps.records.record import Record
from tbgen.apps.site.export import files
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.position import material_of
from tbgen.score import Score
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_boards import random_maps
from tests.apps.site.test_explorer import BISHOP, fen_in, look_at, text_of, type_move, wait_for
from tests.positions import random_boards

pytestmark = NEEDED

BOTH = """(async () => {
  const { Server } = await import('./server.js'), { Tables } = await import('./tables.js');
  const source = PLACE === 'tbgen' ? new Server('../') : new Tables('../tables/');
  return Promise.all(ASKED.map((each) => DOES));
})()"""


OURS = ("tbgen", "starlette")
"""Where answers come from a server, and where from files."""
WITHOUT_TABLE = "4k2r/8/8/8/8/8/8/R3KB2 w - - 0 1"


def asked_of(
    page: Chromium, places: dict[str, str], place: str, asked: Sequence[Any], does: str
) -> Any:
    """What a module's expression says for each of some things, with `source` and `each` in scope."""
    page.open(f"{places[place]}/explorer/", "document.querySelector('#verdict p')")
    return page.run(
        BOTH.replace("PLACE", repr(place)).replace("ASKED", json.dumps(asked)).replace("DOES", does)
    )


def test_maps_are_those_of_python_on_a_server_and_on_plain_files(
    page: Chromium, places: dict[str, str], tables: Tablebase
) -> None:
    maps = random_maps(tables, 149, 20)
    asked = [
        [board.fen(), str(accrued or ""), chess.square_name(man)] for board, accrued, man, _ in maps
    ]
    expected = [facts["squares"] for *_, facts in maps]
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
  const { gradeOf, replyTo } = await import('./drill.js'), { Game } = await import('./game.js');
  const after = ({ uci }) => {
    const game = new Game({ fen: each });
    game.play(uci);
    return source.probe(game.now.fen, game.now.accrued);
  };
  return [answer.moves.map((move) => gradeOf(answer, move.uci).lost), (await replyTo(answer, after)).uci];
})"""


def test_drills_grade_no_best_move_down_and_set_problems(
    page: Chromium, places: dict[str, str], tables: Tablebase
) -> None:
    boards = [
        board for board in random_boards(491, 16, tables.available()) if any(board.legal_moves)
    ][:12]
    for place in OURS:
        found = asked_of(page, places, place, [board.fen() for board in boards], GRADES)
        for board, (lost, reply) in zip(boards, found, strict=True):
            moves = tables.probe_moves(board)
            assert [each == 0 for each in lost] == [each.keeps for each in moves]
            assert all(each >= 0 for each in lost)
            problems = {
                each.move.uci(): problem_of(tables, board, each) for each in moves if each.keeps
            }
            first = dict(list(problems.items())[:12])
            assert first[reply] == min(first.values())


def problem_of(tables: Tablebase, board: chess.Board, move: Any) -> tuple[bool, int]:
    """Whether a move concedes at once, and how many replies keep what the position after it is worth."""
    after = board.copy(stack=False)
    after.push(move.move)
    accrued = None if move.accrued == move.own else move.accrued
    found, replies = tables.probe(after, accrued), tables.probe_moves(after, accrued)
    return not replies or found.outcome == found.accrued, sum(each.keeps for each in replies)


def press_in_drill(page: Chromium, text: str) -> None:
    buttons = "[...document.querySelectorAll('#drill-part button')]"
    page.run(f"{buttons}.find((each) => each.innerText === {text!r}).click()")


def test_a_drill_is_played_to_its_end(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.run("document.getElementById('ask-drill').click()")
    page.wait("!document.getElementById('drill-part').hidden")
    assert "You play White. Keep G1.5: White holds Black to 1 legal move." in text_of(
        page, "#drill-part"
    )
    assert not page.run("document.getElementById('moves').offsetParent")
    page.wait("document.querySelectorAll('.cg-shapes line').length === 0")
    type_move(page, "Bg4")
    page.wait("document.getElementById('drill-part').innerText.includes('gives it away for')")
    press_in_drill(page, "Begin again")
    wait_for(page, BISHOP)
    for _ in range(12):
        page.wait("!document.querySelector('[aria-busy]') && (document.getElementById('fen').value.includes(' w ') "
                  "|| document.getElementById('drill-part').innerText.includes('held for ever'))")  # fmt: skip
        if "held for ever" in text_of(page, "#drill-part"):
            break
        before = page.run("location.search")
        page.run("document.getElementById('best').click()")
        page.wait(f"location.search !== {before!r}")
    assert "You gave nothing away in" in text_of(page, "#drill-part")
    assert page.run("document.getElementById('moves').offsetParent !== null")
    here = page.run("location.search")
    press_in_drill(page, "Another like this")
    page.wait(
        f"location.search !== {here!r} && document.getElementById('drill-part').innerText.includes('Keep G1.5')"
    )
    board = chess.Board(fen_in(page))
    assert (board.turn, len(board.piece_map())) == (chess.WHITE, 3)
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
    page.wait("document.getElementById('drill-part').innerText.includes('gives it away for')")
    page.wait("document.getElementById('fen').value.includes(' w ')")
    press_in_drill(page, "Take back")
    wait_for(page, BISHOP)
    assert "gives it away" not in text_of(page, "#drill-part")
    assert page.run("document.getElementById('accrued').value") == "G4.0"
    type_move(page, "Ke5")
    page.wait("document.getElementById('drill-part').innerText.includes('is best play')")


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


def rows_of(name: str) -> list[list[Any]]:
    """The rows of one list of the gallery's collection."""
    text = files()["collection.js"].decode()
    body = re.search(rf"export const {name} = \[\n(.*?)\];", text, re.DOTALL)
    return [json.loads(line.rstrip(",").replace("'", '"')) for line in body[1].splitlines() if line]


def test_the_gallery_has_what_records_say(published: list[Record]) -> None:
    known = {record.material: record for record in published}
    for fen, outcome, plies in rows_of("LONGEST"):
        men = len(chess.Board(f"{fen} - - 0 1").piece_map())
        sides = [
            side.outcomes
            for record in published
            if record.men == men
            for side in record.sides.values()
        ]
        longest = [side[Score(outcome)].longest for side in sides if Score(outcome) in side]
        assert plies == max(each.dtg for each in longest)
        assert any(each.fen.startswith(f"{fen} ") for each in longest)
    for fen, white, black in rows_of("ZUGZWANGS"):
        found = known[material_of(chess.Board(f"{fen} - - 0 1")).canonical()].zugzwangs.longest
        assert (found.fen, found.white.outcome, found.black.outcome) == (
            f"{fen} - - 0 1",
            Score(white),
            Score(black),
        )


def known_rows(tables: Tablebase, name: str) -> list[tuple[chess.Board, str]]:
    """The positions of a list whose tables are there, each with the score beside it."""
    rows, there = (
        [(chess.Board(f"{fen} - - 0 1"), score) for fen, score in rows_of(name)],
        set(tables.available()),
    )
    return [row for row in rows if material_of(row[0]).canonical() in there]


@pytest.mark.parametrize(
    ("folder", "least"),
    [("table_folder", 6), pytest.param("four_men_folder", 68, marks=pytest.mark.slow)],
)
def test_puzzles_have_one_answer_and_moves_change_where_the_gallery_says_so(
    request: pytest.FixtureRequest, folder: str, least: int
) -> None:
    with open_tablebase(request.getfixturevalue(folder)) as tables:
        puzzles, changes = (known_rows(tables, name) for name in ("PUZZLES", "CHANGES"))
        for board, outcome in puzzles:
            moves = tables.probe_moves(board)
            assert (str(tables.probe(board).outcome), sum(each.keeps for each in moves)) == (
                outcome,
                1,
            )
            assert len(moves) > 4
        for board, accrued in changes:
            own, other = (
                {each.move for each in tables.probe_moves(board, score) if each.keeps}
                for score in (None, Score(accrued))
            )
            assert own.isdisjoint(other)
            assert min(len(own), len(other)) > 0
    assert len(puzzles) + len(changes) >= least


@pytest.mark.parametrize(
    ("wanted", "endings"),
    [
        ("rook", ["KRvK"]),
        ("king against Bishops", ["KBvK"]),
        ("kkb", ["KBvK"]),
        ("KvKN", ["KNvK"]),
        ("two bare", ["KvK"]),
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
    assert text_of(page, "#found-number") == f"{len(endings)} of 6"
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
        links = page.run(
            "[...document.querySelectorAll('.gallery a')].map((each) => [each.href, each.innerText])"
        )
        for href, said in links[:: len(links) // 12]:
            found = tables.probe(chess.Board(re.search(r"fen=([^&]+)", href)[1].replace("_", " ")))
            if said[0] in "G\N{MINUS SIGN}":
                assert said.replace("\N{MINUS SIGN}", "-").startswith(str(found.outcome))
        page.run("document.getElementById('puzzle').click()")
        page.wait("!document.getElementById('drill-part').hidden")
        board = chess.Board(page.run("document.getElementById('fen').value"))
        assert sum(each.keeps for each in tables.probe_moves(board)) == 1
        days = [date(2026, 11, day).isoformat() for day in (1, 2, 3, 2)]
        daily = """import('./gallery.js').then(async ({ Gallery }) =>
          new Gallery(document.documentElement.dataset.tables.split(' '), {}).puzzleOf(new Date(`${each}T12:00`))[0])"""
        first, second, third, again = asked_of(page, places, place, days, daily)
        assert second == again
        assert len({first, second, third}) == 3
