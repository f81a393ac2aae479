"""Pages in a real browser, given by a server with a strict policy.

They have lines, plots and tables, and readers copy from them.
"""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tbgen.apps.events.standings import Standings
from tbgen.apps.games.annotate import annotate
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.read import PgnGame, games_in
from tbgen.apps.games.tags import Source
from tbgen.apps.pages.records import Site, write_site
from tbgen.apps.pages.standalone import annotated_page
from tbgen.apps.records.record import Record, replay
from tbgen.apps.server.files import SitePages
from tbgen.material import table_named
from tbgen.probe import Tablebase
from tbgen.rules.points import Scoring
from tbgen.score import Score
from tests.apps.events.shown import page_of
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import running
from tests.apps.site.test_alone import GAME
from tests.positions import played

pytestmark = NEEDED

FEWER = """
  for (const body of document.querySelectorAll('tbody'))
    [...body.rows].slice(4, -4).forEach((row) => row.remove());
  for (const cards of document.querySelectorAll('.cards'))
    [...cards.children].slice(2).forEach((card) => card.remove());
"""
"""Leaves a few rows and cards of many that are alike: axe looks at each letter."""
PAGES = ("index", "records", "drawn", "material/KBvK")

ALL = "[...document.querySelectorAll('figure.line[data-steps]')]"
BUTTON = "each.querySelector('button[name={}]').click()"
MEN = """(figure) => [...figure.querySelectorAll('use[x]')]
  .filter((use) => getComputedStyle(use).visibility === 'visible')
  .map((use) => {
    const man = use.getAttribute('href').slice(1);
    const file = use.getAttribute('x') / 45;
    const rank = 7 - use.getAttribute('y') / 45;
    return [man, file, rank];
  })"""
"""The men that the board of a figure shows, with their files and ranks."""
PRESS = """(figure) => ['End', 'ArrowLeft', 'ArrowRight'].forEach((key) => figure.dispatchEvent(
  new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })))"""
"""Press three keys, after which a figure is at its end."""
MOVE_IS_IN_VIEW = """(figure) => {
  const list = figure.querySelector('.moves');
  const outer = list.getBoundingClientRect();
  const inner = list.querySelector('[data-now]').getBoundingClientRect();
  return !outer.height || (inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1);
}"""
STEP_AND_COPY = """(figure, moves) => {
  const press = (name) => figure.querySelector(`button[name=${name}]`).click();
  const fens = [];
  for (let move = 0; move < moves; move += 1) {
    press('on');
    fens.push(figure.querySelector('.under').dataset.fen);
  }
  press('pgn');
  return [fens, window.copied];
}"""
"""The position after each move of a line, and the game that is copied."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """A server of the site, with the policy of `tbgen serve`."""
    app = Starlette(routes=[Mount("/", SitePages(directory=site, html=True))])
    with running(app) as address:
        yield address


def open_page(page: Chromium, address: str, name: str) -> None:
    page.open(f"{address}/{name}.html", f"location.pathname == '/{name}.html'")


def lines_of(site: Path, name: str) -> list[tuple[str, list[str]]]:
    """The lines of a page in its order: first White to move, the longest first."""
    record = json.loads((site / "data" / f"{name}.json").read_text())
    lines = list[tuple[str, list[str]]]()
    for side in record["sides"].values():
        longest = [outcome["longest"] for outcome in side["outcomes"].values()]
        for line in sorted(longest, key=lambda line: -line["dtg"]):
            if line["dtg"]:
                lines.append((line["fen"], line["line"].split()))
    return lines


def men_on(board: chess.Board) -> list[list[str | int]]:
    """The men, with their files and ranks."""
    men = list[list[str | int]]()
    for square, man in board.piece_map().items():
        name = f"{chess.COLOR_NAMES[man.color]}-{chess.piece_name(man.piece_type)}"
        men.append([name, chess.square_file(square), chess.square_rank(square)])
    return sorted(men)


def test_lines_are_stepped_through_by_buttons_and_keys(
    page: Chromium, address: str, site: Path
) -> None:
    lines = lines_of(site, "KPvKP")
    open_page(page, address, "material/KPvKP")
    first = [men_on(chess.Board(fen)) for fen, _ in lines]
    last = [men_on(played(fen, moves)) for fen, moves in lines]

    def shown() -> list[list[list[str | int]]]:
        return [sorted(men) for men in page.run(f"{ALL}.map({MEN})")]

    page.run(f"{ALL}.forEach((each) => {BUTTON.format('last')})")
    assert shown() == last
    page.run(f"{ALL}.forEach((each) => {BUTTON.format('first')})")
    assert shown() == first
    page.run(f"{ALL}.forEach({PRESS})")
    assert shown() == last
    assert page.run(f"{ALL}.every({MOVE_IS_IN_VIEW})")


def test_what_is_copied_is_the_position_that_is_shown_and_its_line(
    page: Chromium, address: str, site: Path
) -> None:
    open_page(page, address, "material/KPvKP")
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    lines = lines_of(site, "KPvKP")
    for number in range(0, len(lines), 12):
        fen, moves = lines[number]
        fens, copied = page.run(f"({STEP_AND_COPY})({ALL}[{number}], {len(moves)})")
        assert fens == fens_of_line(fen, moves)
        game = chess.pgn.read_game(io.StringIO(copied))
        assert game is not None
        assert not game.errors
        assert game.headers["FEN"] == fen
        assert list(game.mainline_moves()) == played(fen, moves).move_stack
    page.run(f"(() => {{ const each = {ALL}[0]; {BUTTON.format('fen')}; }})()")
    page.wait(f"{ALL}[0].querySelector('.copied').textContent === 'Copied'")
    assert page.run("window.copied") == page.run(f"{ALL}[0].querySelector('.under').dataset.fen")


def fens_of_line(fen: str, moves: list[str]) -> list[str]:
    """The position after each move, with the accrued score where it is not the position's own."""
    board = chess.Board(fen)
    outcomes = replay(fen, moves).outcomes
    fens = list[str]()
    reached_at = 0
    for ply, move in enumerate(moves, 1):
        board.push_san(move)
        if outcomes[ply] != outcomes[ply - 1] or board.halfmove_clock == 0:
            reached_at = ply
        text = board.fen(en_passant="xfen")
        if reached_at < ply:
            text += f" {outcomes[ply]}"
        fens.append(text)
    return fens


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone_and_a_screen_reader_and_keeps_to_the_policy(
    page: Chromium, address: str, name: str
) -> None:
    page.look(1280)
    open_page(page, address, name)
    page.fits(1280)
    page.look(390, scheme="light" if name == "records" else "dark")
    page.fits(390)
    page.run(FEWER)
    page.check()


def test_tables_are_sorted_by_their_columns(page: Chromium, address: str) -> None:
    open_page(page, address, "index")
    table = "document.querySelector('#men-3 ~ .wide table.sortable')"
    rows = f"[...{table}.tBodies[0].rows]"
    heads = f"[...{table}.tHead.rows[0].cells]"

    def sort_by(column: int) -> str:
        """Press the head of a column. Returns the order that heads tell."""
        page.run(f"{heads}[{column}].querySelector('button').click()")
        return str(page.run(f"{heads}.map((head) => head.getAttribute('aria-sort')).join('')"))

    names = f"{rows}.map((row) => row.cells[0].textContent)"
    assert sort_by(0) == "ascending"
    assert page.run(names) == ["KBvK", "KPvK"]
    assert sort_by(0) == "descending"
    assert page.run(names) == ["KPvK", "KBvK"]

    sizes = f"{rows}.map((row) => Number(row.cells[5].dataset.key))"
    assert sort_by(5) == "descending"
    largest_first = page.run(sizes)
    assert largest_first == sorted(largest_first, reverse=True)
    assert sort_by(5) == "ascending"
    assert page.run(sizes) == sorted(largest_first)


def found_by(page: Chromium, wanted: str) -> list[str]:
    """The names of the endings that an index shows for what is looked for."""
    field = "document.forms[0].elements.find"
    page.run(f"{field}.value = {wanted!r}")
    page.run(f"{field}.dispatchEvent(new Event('input'))")
    shown = "[...document.querySelectorAll('tbody tr:not([hidden]) th')]"
    return list(page.run(f"{shown}.map((each) => each.textContent)"))


@pytest.mark.parametrize(("wanted", "endings"), [("bishop ending", ["KBvK"]), ("queen", [])])
def test_an_ending_is_found_by_its_name_and_its_men(
    page: Chromium, address: str, wanted: str, endings: list[str]
) -> None:
    open_page(page, address, "index")
    assert found_by(page, wanted) == endings
    assert page.run("document.getElementById('found').textContent") == f"{len(endings)} of 5"
    page.run("""addEventListener('click', (event) => {
      event.preventDefault();
      window.went = event.target.pathname;
    })""")
    page.run("document.forms[0].requestSubmit()")
    expected = f"/material/{endings[0]}.html" if endings else ""
    assert page.run("window.went ?? ''") == expected


@pytest.fixture(scope="module")
def many(some: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of a site in which endings of many names have the figures of one record."""
    folder = tmp_path_factory.mktemp("many")
    names = ("KRvKB", "KBvKN", "KBBvKN", "KRPvKR", "KRPvKRP.pairs")
    write_site(Site([replace(some[0], material=table_named(name)) for name in names]), folder)
    app = Starlette(routes=[Mount("/", SitePages(directory=folder, html=True))])
    with running(app) as address:
        yield address


def test_found_endings_are_named_beside_the_field(page: Chromium, many: str) -> None:
    open_page(page, many, "index")
    named = "document.getElementById('named')"
    assert page.run(f"{named}.textContent") == ""
    found_by(page, "KRPvKRP")
    words = "Rook and pawn against rook and pawn, pawns face to face"
    assert page.run(f"{named}.textContent") == f"{words} (KRPvKRP.pairs)"
    address = page.run(f"{named}.querySelector('a').getAttribute('href')")
    assert address.endswith("/material/KRPvKRP.pairs.html")
    found_by(page, "lucena")
    assert page.run(f"{named}.textContent").startswith("Write men, such as KRPvKR")
    found_by(page, "")
    assert page.run(f"{named}.textContent") == ""


def test_a_row_of_an_annotated_game_and_its_board_go_together(
    page: Chromium, tables: Tablebase, tmp_path: Path
) -> None:
    path = tmp_path / "game.html"
    (read,) = games_in(GAME)
    assert isinstance(read, PgnGame)
    game = annotate(tables, read)
    path.write_text(annotated_page([game], "game"))
    page.open(path.as_uri(), "document.querySelector('.stepper button')")
    row = "[...document.querySelectorAll('table[data-figure] tbody tr')]"
    page.run(f"{row}[2].click()")
    assert page.run(f"{row}.map((each) => 'now' in each.dataset)") == [False, False, True, False]
    now = "[...document.querySelectorAll('.moves [data-now]')]"
    assert page.run(f"{now}.map((each) => each.textContent)") == ["Kf4?"]
    fields = "[...document.querySelectorAll('.moved')]"
    files = page.run(f"{fields}.map((each) => each.getAttribute('x') / 45)")
    rows = page.run(f"{fields}.map((each) => each.getAttribute('y') / 45)")
    assert sorted(zip(files, rows, strict=True)) == [(5, 4), (6, 3)], "from g5 to f4"
    page.run("document.querySelector('.stepper [name=on]').click()")
    assert page.run(f"{row}.findIndex((each) => 'now' in each.dataset)") == 3
    steps = "[...document.querySelectorAll('.steps rect')]"
    levels = page.run(f"{steps}.map((each) => Number(each.getAttribute('y')))")
    values = [ply.value.outcome for ply in game.plies if ply.value]
    best_first = sorted(set(values), reverse=True)
    assert levels == [best_first.index(value) for value in values]
    page.check()


def test_a_page_that_stands_alone_fits_a_phone(page: Chromium, tmp_path: Path) -> None:
    names = [f"Engine {number} with a long name" for number in range(12)]
    games = list[EventGame]()
    for players in itertools.permutations(names, 2):
        score = Score("-G12.5")
        games.append(EventGame(players, "1/2-1/2", score, Scoring(), Source.PROVISIONAL, "KRPvKR"))
    path = tmp_path / "standings.html"
    path.write_text(page_of(Standings(games)))
    page.open(path.as_uri(), "document.title == 'Games without an event'")
    for width in (390, 1280):
        page.look(width)
        page.fits(width)
    table = "document.querySelector('.wide')"
    assert page.run(f"{table}.scrollWidth <= {table}.clientWidth")
