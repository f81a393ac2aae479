"""Positions in a row, in every way that a position can come.

The page says of each what Python says.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

import chess
import chess.pgn
import pytest

from tbgen.apps.pages.boards import in_words
from tbgen.apps.pages.palette import signed
from tbgen.apps.server.parameters import position_in
from tbgen.probe import MoveProbe, Probe, Tablebase
from tbgen.rules.position import board_after, own_of
from tbgen.score import Color, Score
from tests.apps.games.plain import only_game
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_explorer import SHOWN, fen_in, look_at, text_of, texts_of
from tests.positions import BISHOP, is_legal, random_board

pytestmark = NEEDED

MATERIALS = ("KvK", "KBvK", "KNvK", "KPvK", "KRvK", "KQvK", "KvKB", "KvKN", "KvKP")


@dataclass(frozen=True)
class Place:
    """A position, and the accrued score; None stands for its own."""

    board: chess.Board
    accrued: Score | None = None

    @property
    def fen(self) -> str:
        return self.board.fen()

    @property
    def effective(self) -> Score:
        return self.accrued or own_of(self.board)

    @property
    def text(self) -> str:
        """The accrued score as the page's field has it: empty if it is the position's own."""
        return "" if self.effective == own_of(self.board) else str(self.effective)


@dataclass
class Reader:
    """Somebody who uses the page, by its fields, keys and buttons alone."""

    page: Chromium
    server: str
    tables: Tablebase
    draw: random.Random
    shown: list[Place] = field(default_factory=list)
    """What was looked at, as the browser's history has it."""

    @property
    def place(self) -> Place:
        return self.shown[-1]

    def new_board(self, *, clock: int = 0) -> chess.Board:
        while True:
            board = random_board(self.draw, self.draw.choice(MATERIALS))
            if board.is_valid() and board.legal_moves.count() > 1:
                board.halfmove_clock = clock
                return board

    def new_score(self, board: chess.Board) -> Score:
        every = self.tables.probe_every_accrued(board)
        return self.draw.choice(every).accrued

    def does(self, action: Callable[[], object]) -> None:
        """Do something that shows a position, and wait for what is said of it."""
        before = self.page.run("document.documentElement.dataset.shown ?? ''")
        action()
        self.page.wait(f"document.documentElement.dataset.shown !== '{before}' && {SHOWN}")

    def clicks(self, selector: str, number: int = 0) -> None:
        self.does(
            lambda: self.page.run(f"document.querySelectorAll({selector!r})[{number}].click()")
        )

    def types(self, selector: str, text: str) -> None:
        self.page.type_into(selector, text)
        self.does(lambda: self.page.press("Enter"))

    def pastes_until(self, fits: Callable[[], object]) -> None:
        """Look at other positions until one fits what is to be done with it."""
        while not fits():
            self.shown.append(paste_a_fen(self))

    def opens_editor(self) -> None:
        if self.page.run("document.getElementById('editing').hidden"):
            self.clicks("#edit")


Way = Callable[[Reader], Place]


# Pasted.


def paste_a_fen(reader: Reader) -> Place:
    board = reader.new_board(clock=reader.draw.choice((0, 7)))
    reader.types("#fen", board.fen())
    return Place(board)


def paste_seven_fields(reader: Reader) -> Place:
    board = reader.new_board(clock=9)
    accrued = reader.new_score(board)
    reader.types("#fen", f"{board.fen()} {accrued}")
    return Place(board, accrued)


def paste_seven_fields_with_a_clock_of_zero(reader: Reader) -> Place:
    board = reader.new_board(clock=0)
    reader.types("#fen", f"{board.fen()} {reader.new_score(board)}")
    return Place(board)


def paste_a_link_of_another_site(reader: Reader) -> Place:
    board = reader.new_board(clock=3)
    fen = board.fen().replace(" ", "_")
    reader.types("#fen", f"https://lichess.org/analysis/standard/{fen}?color=black")
    return Place(board)


def paste_a_link_of_the_explorer(reader: Reader) -> Place:
    board = reader.new_board(clock=5)
    accrued = reader.new_score(board)
    asked = urlencode({"fen": board.fen().replace(" ", "_"), "accrued": accrued})
    reader.types("#fen", f"https://example.org/explorer/?{asked}")
    return Place(board, accrued)


def paste_a_game(reader: Reader) -> Place:
    board = reader.new_board(clock=reader.draw.choice((0, 8)))
    game = chess.pgn.Game.from_board(board)
    game.headers["RMobilityAccrued"] = str(reader.new_score(board))
    last: chess.pgn.GameNode = game
    for _ in range(2):
        moves = [move for move in last.board().legal_moves if not board.is_capture(move)]
        if moves:
            last = last.add_variation(reader.draw.choice(moves))
    text = str(game)
    read = only_game(text)
    reader.types("#fen", text)
    return Place(read.replayed.board, read.replayed.accrued)


# Typed and chosen.


def type_another_score(reader: Reader) -> Place:
    board = with_clock(reader.place.board)
    accrued = reader.new_score(board)
    reader.types("#accrued", str(accrued))
    return Place(board, accrued)


def choose_another_score(reader: Reader) -> Place:
    every = reader.tables.probe_every_accrued(reader.place.board)
    if len(every) == 1:
        return paste_a_fen(reader)
    number = reader.draw.randrange(len(every))
    reader.does(
        lambda: reader.page.run(f"""(() => {{ const pick = document.querySelector('.pick');
      pick.value = {number}; pick.dispatchEvent(new Event('change')); }})()""")
    )
    return Place(with_clock(reader.place.board), every[number].accrued)


def with_clock(board: chess.Board) -> chess.Board:
    """The board with a clock that lets another score have accrued."""
    other = board.copy(stack=False)
    other.halfmove_clock = max(1, board.halfmove_clock)
    return other


# By links and buttons.


def open_an_address(reader: Reader) -> Place:
    board = reader.new_board(clock=reader.draw.choice((0, 4)))
    accrued = reader.draw.choice([None, reader.new_score(board)])
    query = {"fen": board.fen().replace(" ", "_"), "accrued": accrued}
    asked = urlencode({key: value for key, value in query.items() if value})
    reader.page.open(f"{reader.server}/explorer/?{asked}", SHOWN)
    return Place(board if accrued is None else with_clock(board), accrued)


def open_a_famous_position(reader: Reader) -> Place:
    return open_a_link(reader, "#famous-list a")


def open_the_gallery(reader: Reader) -> Place:
    reader.page.run("document.getElementById('gallery').open = true")
    reader.page.wait("document.querySelectorAll('.gallery a').length > 9")
    return open_a_link(reader, ".gallery a")


def open_a_link(reader: Reader, selector: str) -> Place:
    """One of the links whose tables are there, by what its address says."""
    known = set(reader.tables.available())
    links = []
    addresses = reader.page.run(
        f"[...document.querySelectorAll({selector!r})].map((each) => each.href)"
    )
    for number, address in enumerate(addresses):
        place = place_in(address)
        if reader.tables.get(place.board) is not None and known:
            links.append((number, place))
    number, place = reader.draw.choice(links)
    reader.clicks(selector, number)
    return place


def place_in(address: str) -> Place:
    """The position that an address names, as the server reads it."""
    asked = {name: value for name, (value,) in parse_qs(urlsplit(address).query).items()}
    return Place(*position_in(asked))


def open_the_longest_line(reader: Reader) -> Place:
    reader.page.wait("!document.getElementById('ending').hidden")
    if not reader.page.run("document.querySelectorAll('.ending-facts button').length"):
        return paste_a_fen(reader)
    reader.clicks(".ending-facts button")
    return Place(chess.Board(fen_in(reader.page)))


def begin_a_drill(reader: Reader) -> Place:
    reader.pastes_until(lambda: reader.page.run("!document.getElementById('ask-drill').hidden"))
    reader.does(lambda: reader.page.run("document.getElementById('ask-drill').click()"))
    reader.page.wait("!document.getElementById('drill-part').hidden")
    return reader.place


def open_the_puzzle(reader: Reader) -> Place:
    reader.clicks("#puzzle")
    reader.page.wait("!document.getElementById('drill-part').hidden")
    return Place(chess.Board(fen_in(reader.page)))


# By moves, back and on.


def play_a_move(reader: Reader) -> Place:
    moves = reader.tables.probe_moves(reader.place.board, reader.place.accrued)
    if not moves or not reader.page.run("document.getElementById('drill-part').hidden"):
        return paste_a_fen(reader)
    move = reader.draw.choice(moves)
    if reader.draw.random() < 0.5:
        reader.types("#typed", move.san)
    else:
        shown = texts_of(reader.page, ".move b")
        reader.clicks(".move", shown.index(move.san))
    return Place(board_after(reader.place.board, move.move), move.accrued)


def go_back(reader: Reader) -> Place:
    """By the browser's own button."""
    if len(reader.shown) < 2:
        return paste_a_fen(reader)
    reader.shown.pop()
    reader.does(lambda: reader.page.run("history.back()"))
    return reader.shown.pop()


# Set up.


def turn_the_side_to_move(reader: Reader) -> Place:
    reader.pastes_until(lambda: is_legal(turned(reader.place.board)))
    board = turned(reader.place.board)
    reader.opens_editor()
    reader.clicks(f"[name=turn][value={'white' if board.turn else 'black'}]")
    return Place(board)


def turned(board: chess.Board) -> chess.Board:
    """The board with the other side to move."""
    other = board.copy(stack=False)
    other.ep_square = None
    other.turn = not board.turn
    return other


def mirror_the_board(reader: Reader) -> Place:
    board = reader.place.board.transform(chess.flip_horizontal)
    reader.opens_editor()
    reader.clicks("#mirror")
    return Place(board, reader.place.accrued)


def swap_the_colours(reader: Reader) -> Place:
    accrued = reader.place.accrued
    reader.opens_editor()
    reader.clicks("#swap")
    return Place(reader.place.board.mirror(), None if accrued is None else accrued.flipped())


def shift_the_men(reader: Reader) -> Place:
    """All of them one file to the right, or to the left."""
    reader.pastes_until(lambda: any(shifted(reader.place.board, by) for by in (1, -1)))
    (by, *_) = [by for by in (1, -1) if shifted(reader.place.board, by)]
    board = shifted(reader.place.board, by)
    assert board is not None
    reader.opens_editor()
    reader.clicks(f"[data-shift={'right' if by > 0 else 'left'}]")
    return Place(board)


def shifted(board: chess.Board, by: int) -> chess.Board | None:
    """The men so many files to the right; None if one would leave the board, or it is not legal."""
    other = chess.Board(None)
    other.turn = board.turn
    for square, man in board.piece_map().items():
        if not 0 <= chess.square_file(square) + by < 8:
            return None
        other.set_piece_at(square + by, man)
    return other if is_legal(other) else None


def put_a_king_elsewhere(reader: Reader) -> Place:
    """Only kings are left, wherever the men stood."""
    reader.opens_editor()
    reader.clicks("#kings")
    return Place(chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1"))


WAYS: list[Way] = [
    paste_a_fen,
    paste_seven_fields,
    paste_seven_fields_with_a_clock_of_zero,
    paste_a_link_of_another_site,
    paste_a_link_of_the_explorer,
    paste_a_game,
    type_another_score,
    choose_another_score,
    open_an_address,
    open_a_famous_position,
    open_the_gallery,
    open_the_longest_line,
    begin_a_drill,
    open_the_puzzle,
    play_a_move,
    go_back,
    turn_the_side_to_move,
    mirror_the_board,
    swap_the_colours,
    shift_the_men,
    put_a_king_elsewhere,
]
SETS_UP = {
    turn_the_side_to_move,
    mirror_the_board,
    swap_the_colours,
    shift_the_men,
    put_a_king_elsewhere,
}
DRILLS = {begin_a_drill, open_the_puzzle}
KEEPS_MAP = {type_another_score, choose_another_score, play_a_move, go_back, begin_a_drill}


@pytest.mark.parametrize("number", [24, pytest.param(500, marks=pytest.mark.slow)])
def test_positions_in_a_row_are_what_python_says(
    page: Chromium, server: str, tables: Tablebase, number: int
) -> None:
    """Each way of showing one, and some ways again."""
    reader = Reader(page, server, tables, random.Random(97))
    look_at(page, server, BISHOP, "G4.0")
    reader.shown.append(Place(chess.Board(BISHOP), Score("G4.0")))
    check(reader, None)
    page.wait("!document.getElementById('ending').hidden")
    marks = "[...document.querySelectorAll('.share [data-now]')]"
    (here,) = page.run(f"{marks}.map((each) => each.title)")
    assert here.startswith(signed(tables.probe(BISHOP, "G4.0").outcome))
    ways = [*WAYS, *reader.draw.choices(WAYS, k=number)][:number]
    for way in reader.draw.sample(ways, len(ways)):
        look_at_a_map(reader)
        place = way(reader)
        reader.shown.append(place)
        check(reader, way)


def look_at_a_map(reader: Reader) -> None:
    """Now and then, ask for the map of a man. It belongs to the position that is shown."""
    if reader.draw.random() > 0.3:
        return
    if reader.page.run("document.getElementById('drill-part').hidden"):
        man = reader.draw.choice(list(reader.place.board.piece_map()))
        reader.page.run(f"window.map.value = {chess.square_name(man)!r}")
        reader.page.run("window.map.onchange()")


def check(reader: Reader, way: Way | None) -> None:
    """Position, address, verdict, moves and strip."""
    page = reader.page
    tables = reader.tables
    place = reader.place
    how = way.__name__ if way else "open the page"
    assert chess.Board(fen_in(page)).epd() == place.board.epd(), how
    assert page.run("document.getElementById('accrued').value") == place.text, how
    linked = place_in(page.run("location.href"))
    assert linked.board.epd() == place.board.epd(), how
    assert linked.effective == place.effective, how

    found = tables.probe(place.board, place.accrued)
    moves = tables.probe_moves(place.board, place.accrued)
    assert page.run("document.querySelector('#verdict .big').dataset.g") == str(found.outcome), how
    assert distance_of(found, moves) in text_of(page, "#verdict"), how
    assert texts_of(page, "#in-words") == [in_words(place.board)], how
    assert page.run("!document.getElementById('editing').hidden") == (way in SETS_UP), how
    drilled = page.run("!document.getElementById('drill-part').hidden")
    assert drilled == (way in DRILLS), how
    if way not in KEEPS_MAP and way is not None:
        assert page.run("document.getElementById('map').value") == "", how
    if not drilled:
        check_moves(reader, how)
        check_strip(reader, how)


def distance_of(found: Probe, moves: Sequence[MoveProbe]) -> str:
    if not moves:
        return "The game is over."
    if found.outcome == found.accrued:
        return "Held for ever from here"
    return f"In {found.dtg} {'ply' if found.dtg == 1 else 'plies'} with best play"


def check_moves(reader: Reader, how: str) -> None:
    moves = reader.tables.probe_moves(reader.place.board, reader.place.accrued)
    kept = [move.san for move in moves if move.keeps]
    assert sorted(texts_of(reader.page, ".move b")) == sorted(move.san for move in moves), how
    assert sorted(texts_of(reader.page, ".group:first-child .move b")) == sorted(kept), how
    best = [move.san for move in moves if move.best]
    assert texts_of(reader.page, ".move.best b") == best, how
    if moves:
        assert text_of(reader.page, ".sharpness") == sharpness_of(moves), how


def sharpness_of(moves: Sequence[MoveProbe]) -> str:
    """How many moves keep what the position is worth, also in ordinary chess."""
    (outcome,) = {move.outcome for move in moves if move.keeps}
    told = f"{sum(move.keeps for move in moves)} of {len(moves)} moves"
    if outcome.code == 0:
        return told
    draws = sum(move.outcome.code > 0 for move in moves)
    number = "all" if draws == len(moves) else str(draws)
    return f"{told}; {number} keep{'s' if draws == 1 else ''} the draw of ordinary chess"


ROWS = """[...document.querySelectorAll('#runs li')].map((row) => [row.querySelector('b').innerText,
  row.querySelector('.score')?.dataset.g ?? '', 'now' in row.dataset])"""


def check_strip(reader: Reader, how: str) -> None:
    """Each accrued score stands in one row, by the words of the row, and has its outcome there."""
    every = reader.tables.probe_every_accrued(reader.place.board)
    rows = reader.page.run(ROWS) if len(every) > 1 else []
    scores = [each.accrued for each in every]
    said = [scores_in(words, scores) for words, *_ in rows]
    if rows:
        assert sorted(itertools.chain.from_iterable(said)) == sorted(scores), (how, rows)
    for row, there in zip(rows, said, strict=True):
        _, outcome, is_now = row
        assert is_now == (reader.place.effective in there), (how, rows)
        for each in every:
            if each.accrued in there:
                assert str(each.outcome) == (outcome or str(each.accrued)), (how, row)


def scores_in(words: str, scores: list[Score]) -> list[Score]:
    """The accrued scores that a row of the strip names."""
    if words == "Whatever has accrued":
        return scores
    found = list[Score]()
    for clause in words.replace("\N{MINUS SIGN}", "-").split(", or "):
        name, has, what = clause.partition(" has ")
        assert has
        side = Color[name.upper()]
        found += [score for score in scores if score.holder is side and fits(score, what)]
    return found


def fits(score: Score, what: str) -> bool:
    if what == "any score":
        return True
    first, _, rest = what.partition(" ")
    bound = Score(first)
    match rest.split():
        case []:
            return score == bound
        case ["or", "better"]:
            return score.code <= bound.code
        case ["or", "worse"]:
            return score.code >= bound.code
        case ["to", last]:
            codes = sorted([bound.code, Score(last).code])
            return codes[0] <= score.code <= codes[1]
    raise AssertionError(what)
