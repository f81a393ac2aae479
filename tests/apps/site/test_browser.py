"""Pages in a real browser, given by a server with a strict policy: lines, plots, tables, and what readers copy."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tbgen.apps.games.annotate import annotate
from tbgen.apps.games.event import EventGame
from tbgen.apps.games.read import PgnGame, games_in
from tbgen.apps.games.standings import Standings
from tbgen.apps.games.tags import Source
from tbgen.apps.records.record import replay
from tbgen.apps.site.event import standings_page
from tbgen.apps.site.files import SitePages
from tbgen.apps.site.standalone import annotated_page
from tbgen.probe import Tablebase
from tbgen.rules.points import Scoring
from tbgen.score import Score
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import running
from tests.apps.site.test_alone import GAME
from tests.positions import played

pytestmark = NEEDED

FEWER = """[...document.querySelectorAll('tbody')].flatMap((body) => [...body.rows].slice(4, -4)).concat(
  [...document.querySelectorAll('.cards')].flatMap((cards) => [...cards.children].slice(2)))
  .forEach((each) => each.remove())"""
"""Leaves a few rows and cards of many that are alike: axe looks at each letter."""
PAGES = ("index", "records", "drawn", "potential", "material/KBvK")

ALL = "[...document.querySelectorAll('figure.line[data-steps]')]"
BUTTON = "each.querySelector('button[name={}]').click()"
MEN = """each => [...each.querySelectorAll('use[x]')].filter((use) => getComputedStyle(use).visibility === 'visible')
  .map((use) => [use.getAttribute('href').slice(1), use.getAttribute('x') / 45, 7 - use.getAttribute('y') / 45])"""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """A server of the site, with the policy of `tbgen serve`."""
    with running(Starlette(routes=[Mount("/", SitePages(directory=site, html=True))])) as found:
        yield found


def open_page(page: Chromium, address: str, name: str) -> None:
    page.open(
        f"{address}/{name}.html",
        f"document.readyState == 'complete' && location.pathname == '/{name}.html'",
    )


def lines_of(site: Path, name: str) -> list[tuple[str, list[str]]]:
    """The lines of a page in its order: first White to move, the longest first."""
    record = json.loads((site / "data" / f"{name}.json").read_text())
    lines = []
    for side in record["sides"].values():
        every = [each["longest"] for each in side["outcomes"].values() if each["longest"]["dtg"]]
        lines += sorted(every, key=lambda each: -each["dtg"])
    return [(each["fen"], each["line"].split()) for each in lines]


def men_on(board: chess.Board) -> list[list[str | int]]:
    return sorted(
        [
            f"{chess.COLOR_NAMES[man.color]}-{chess.piece_name(man.piece_type)}",
            chess.square_file(place),
            chess.square_rank(place),
        ]
        for place, man in board.piece_map().items()
    )


def test_lines_are_stepped_through_by_buttons_and_keys(
    page: Chromium, address: str, site: Path
) -> None:
    lines = lines_of(site, "KPvKP")
    open_page(page, address, "material/KPvKP")
    first, last = ([men_on(played(fen, moves[:end])) for fen, moves in lines] for end in (0, None))
    press = "['End', 'ArrowLeft', 'ArrowRight'].forEach((key) => each.dispatchEvent(new KeyboardEvent('keydown', "
    press += "{ key, bubbles: true, cancelable: true })))"
    for does, expected in (("last", last), ("first", first), (None, last)):
        does = press if does is None else BUTTON.format(does)
        found = page.run(f"{ALL}.map((each) => {{ {does}; return ({MEN})(each); }})")
        assert [sorted(men) for men in found] == expected
    inside = """(list) => { const [outer, inner] = [list, list.querySelector('[data-now]')]
      .map((each) => each.getBoundingClientRect());
      return !outer.height || (inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1); }"""
    assert page.run(f"{ALL}.every((each) => ({inside})(each.querySelector('.moves')))")


def test_what_is_copied_is_the_position_that_is_shown_and_its_line(
    page: Chromium, address: str, site: Path
) -> None:
    open_page(page, address, "material/KPvKP")
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    for number, (fen, moves) in list(enumerate(lines_of(site, "KPvKP")))[::12]:
        found = page.run(
            f"(() => {{ const each = {ALL}[{number}], found = [], under = each.querySelector('.under');"
            f" for (let n = 0; n < {len(moves)}; n += 1) {{ {BUTTON.format('on')}; found.push(under.dataset.fen); }}"
            f" {BUTTON.format('pgn')}; return [found, window.copied, each.querySelector('.copied').textContent]; }})()"
        )
        board, expected, outcomes = chess.Board(fen), [], replay(fen, moves).outcomes
        since = 0
        for ply, move in enumerate(moves, 1):
            board.push_san(move)
            since = (
                ply if outcomes[ply] != outcomes[ply - 1] or board.halfmove_clock == 0 else since
            )
            expected.append(
                board.fen(en_passant="xfen") + (f" {outcomes[ply]}" if since < ply else "")
            )
        assert found[0] == expected
        game = chess.pgn.read_game(io.StringIO(found[1]))
        assert not game.errors
        assert [move.uci() for move in game.mainline_moves()] == [
            move.uci() for move in board.move_stack
        ]
        assert game.headers["FEN"] == fen
    page.run(f"(() => {{ const each = {ALL}[0]; {BUTTON.format('fen')}; }})()")
    page.wait(f"{ALL}[0].querySelector('.copied').textContent === 'Copied'")
    assert page.run("window.copied") == page.run(f"{ALL}[0].querySelector('.under').dataset.fen")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone_and_a_screen_reader_and_keeps_to_the_policy(
    page: Chromium, address: str, name: str
) -> None:
    for width, scheme in ((390, "dark"), (1280, "light")):
        page.look(width, scheme=scheme)
        open_page(page, address, name)
        page.run(FEWER)
        page.check(width)


def test_tables_are_sorted_by_their_columns(page: Chromium, address: str) -> None:
    open_page(page, address, "index")
    table = "document.querySelector('#men-3 ~ .wide table.sortable')"
    cells = "[...{}.tBodies[0].rows].map((row) => row.cells[{}].{})"
    sorts = (
        f"[...{table}.tHead.rows[0].cells].map((head) => head.getAttribute('aria-sort')).join('')"
    )
    found = []
    for column, shown in (
        (0, "textContent"),
        (0, "textContent"),
        (4, "dataset.key"),
        (4, "dataset.key"),
    ):
        page.run(f"{table}.tHead.rows[0].cells[{column}].querySelector('button').click()")
        found.append((page.run(cells.format(table, column, shown)), page.run(sorts)))
    names, sizes = sorted(found[0][0]), sorted(found[2][0], key=float)
    assert names == ["KBvK", "KPvK"]
    assert found[:2] == [(names, "ascending"), (names[::-1], "descending")]
    assert [(list(map(float, each)), order) for each, order in found[2:]] == [
        (list(map(float, sizes[::-1])), "descending"),
        (list(map(float, sizes)), "ascending"),
    ]


@pytest.mark.parametrize(
    ("wanted", "endings"),
    [
        ("kp", ["KPvK", "KPvKP"]),
        ("KvKB", ["KBvK"]),
        ("knkr", ["KRvKN"]),
        ("Rook against knight", ["KRvKN"]),
        ("bishop ending", ["KBvK"]),
        ("pawns", ["KPvK", "KPvKP"]),
        ("queen", []),
    ],
)
def test_an_ending_is_found_by_its_name_and_its_men(
    page: Chromium, address: str, wanted: str, endings: list[str]
) -> None:
    open_page(page, address, "index")
    typed = (
        f"(({{ find }}) => {{ find.value = {wanted!r}; find.dispatchEvent(new Event('input')); }})"
    )
    page.run(f"{typed}(document.forms[0].elements)")
    shown = "[...document.querySelectorAll('tbody tr:not([hidden]) th')].map((each) => each.textContent)"
    assert page.run(shown) == endings
    assert page.run("document.getElementById('found').textContent") == f"{len(endings)} of 5"
    went = "addEventListener('click', (event) => { event.preventDefault(); window.went = event.target.pathname; })"
    page.run(f"{went}; document.forms[0].requestSubmit()")
    assert page.run("window.went ?? ''") == (f"/material/{endings[0]}.html" if endings else "")


def test_a_row_of_an_annotated_game_and_its_board_go_together(
    page: Chromium, tables: Tablebase, tmp_path: Path
) -> None:
    path = tmp_path / "game.html"
    games = [annotate(tables, each) for each in games_in(GAME) if isinstance(each, PgnGame)]
    path.write_text(annotated_page(games, "game"))
    page.open(path.as_uri(), "document.querySelector('.stepper button')")
    row = "[...document.querySelectorAll('table[data-figure] tbody tr')]"
    page.run(f"{row}[2].click()")
    assert page.run(f"{row}.map((each) => 'now' in each.dataset)") == [False, False, True, False]
    assert page.run(
        "[...document.querySelectorAll('.moves [data-now]')].map((each) => each.textContent)"
    ) == ["Kf4?"]
    places = "['x', 'y'].map((name) => each.getAttribute(name) / 45)"
    moved = page.run(f"[...document.querySelectorAll('.moved')].map((each) => {places})")
    assert sorted(moved) == [[5, 4], [6, 3]]  # Kg5-f4
    page.run("document.querySelector('.stepper [name=on]').click()")
    assert page.run(f"{row}.findIndex((each) => 'now' in each.dataset)") == 3
    levels = page.run(
        "[...document.querySelectorAll('.steps rect')].map((each) => Number(each.getAttribute('y')))"
    )
    values = [each.value.outcome for each in games[0].plies if each.value]
    order = sorted(set(values), reverse=True)
    assert levels == [order.index(each) for each in values]
    page.check(1280)


def test_a_page_that_stands_alone_fits_a_phone_and_a_screen_reader(
    page: Chromium, tmp_path: Path
) -> None:
    names = [f"Engine {number} with a long name" for number in range(12)]
    meetings = [(one, other) for one in names for other in names if one != other]
    final = Score("-G12.5")
    games = [
        EventGame(each, "1/2-1/2", final, Scoring(), Source.PROVISIONAL, "KRPvKR")
        for each in meetings
    ]
    path = tmp_path / "standings.html"
    path.write_text(standings_page([Standings(games)]))
    for width, scheme in ((390, "dark"), (1280, "light")):
        page.look(width, scheme=scheme)
        page.open(
            path.as_uri(), "document.readyState == 'complete' && document.title == 'Standings'"
        )
        page.check(width)
    fits = "(() => { const each = document.querySelector('.wide'); return each.scrollWidth <= each.clientWidth; })()"
    assert page.run(fits)
