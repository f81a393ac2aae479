"""A folder of pages for the events of a file: links, rounds, games, and a second run."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from subprocess import CompletedProcess
from urllib.parse import unquote, urldefrag, urljoin

import pytest

from tbgen.apps.events import pages
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.faults import parsed
from tests.cli.calls import tbgen
from tests.project import S18
from tests.seasons import GAMES, LEAGUE, OPEN, ROUNDS, season

UNREADABLE = 2
WITHOUT_MOVES = ROUNDS + 1
"""Byes and a forfeit."""


class Links(HTMLParser):
    """The addresses that a page names, and its anchors. Parts of a drawing are no addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.anchors: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.append(value)
            is_address = name in ("href", "src") and tag != "use"
            if is_address and value and not value.startswith("data:"):
                self.found.append(value)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("season") / "season.pgn"
    path.write_text(season(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(games: Path, table_folder: Path) -> Path:
    """The folder that the documented command makes."""
    done = written(games, games.parent / "www", table_folder)
    assert done.returncode == 2
    assert done.stderr.count("illegal move 'Ke5'") == UNREADABLE
    return games.parent / "www"


def written(games: Path, folder: Path, tables: Path) -> CompletedProcess[str]:
    words = ("--tiebreak", "tcec-swiss", "--pages", str(folder), "--data", str(tables))
    return tbgen("standings", str(games), *words)


def copy_of(games: Path, tables: Path) -> bytes:
    """The copy that `tbgen adjudicate` writes."""
    return tbgen("adjudicate", str(games), "--data", str(tables)).stdout.encode()


def pages_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def test_every_event_and_every_game_with_moves_has_a_page(folder: Path) -> None:
    found = [page.relative_to(folder).as_posix() for page in pages_in(folder)]
    assert {"index.html", "spring-league/index.html", "spring-open/index.html"} <= set(found)
    assert len(found) - 3 == GAMES - UNREADABLE - WITHOUT_MOVES
    assert "spring-league/r1-engine-a-engine-b.html" in found
    contents = text_of(folder / "index.html")
    for name in (LEAGUE, OPEN):
        assert f">{name}</a>" in contents


def test_every_page_is_valid_and_every_link_leads_to_a_file_or_a_place_on_a_page(
    folder: Path,
) -> None:
    pages = pages_in(folder)
    for page in {*folder.rglob("index.html"), *pages[::6]}:  # games share a template
        parsed(text_of(page))
    links = {}
    for page in pages:
        links[page] = Links(text_of(page))
        assert len(set(links[page].anchors)) == len(links[page].anchors)
    for page in links:
        for link in links[page].found:
            address, anchor = urldefrag(urljoin(page.as_uri(), link))
            target = Path(unquote(address).removeprefix("file://"))
            assert target.is_file()
            assert not anchor or anchor in links[target].anchors


def test_the_page_of_an_event_says_what_is_not_final_and_where_it_is_from(
    folder: Path, games: Path, table_folder: Path
) -> None:
    league = text_of(folder / "spring-league" / "index.html")
    assert "1–2 March 2026" in league
    assert "game 8" in league
    assert "Counted by the score sheet, for the moves cannot be read:" in league
    assert hashlib.sha256(games.read_bytes()).hexdigest() in league
    assert (folder / "pgn" / "season.pgn").read_bytes() == copy_of(games, table_folder)
    for ended in ("Black resigned", "White lost on time", "adjudicated: TCEC win rule"):
        assert f"<td>{ended}</td>" in league
    assert "Black forfeited" in league
    assert "Standings after round 2" in league
    assert re.search(r"Round 1, Engine . – Engine ., \S+: season.pgn, game 8, ply 1: ", league)


def test_byes_have_a_column_and_a_line_in_their_round(folder: Path) -> None:
    page = text_of(folder / "spring-open" / "index.html")
    assert '<th scope="col" class="n spare">Byes</th>' in page
    assert page.count("<td>bye</td>") == 2 * ROUNDS
    assert "Round by round" in page
    assert page.count("<i>bye</i>") == ROUNDS


def test_the_page_of_a_game_has_its_last_board_and_the_reason_of_its_score(folder: Path) -> None:
    six_men = [page for page in pages_in(folder) if "stopped with 6 men" in text_of(page)]
    assert six_men
    for page in six_men:
        text = text_of(page)
        assert 'data-at="end"' in text
        assert "and the accrued score stands:" in text
        assert text.count('<svg class="board"') == 2
        assert f'<a href="index.html">{LEAGUE if "league" in str(page) else OPEN}</a>' in text


def test_the_page_of_a_game_says_that_its_file_has_two_results(
    tmp_path: Path, table_folder: Path
) -> None:
    games = tmp_path / "games.pgn"
    games.write_text('[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 0-1\n')
    written(games, tmp_path / "www", table_folder)
    texts = [text_of(page) for page in pages_in(tmp_path / "www")]
    told = [text for text in texts if "The file contradicts itself" in text]
    assert len(told) == 1
    assert "the tag Result says &#34;1-0&#34;, the end of the moves &#34;0-1&#34;." in told[0]


def test_a_second_run_writes_nothing_and_a_new_round_only_what_it_changes(
    games: Path, folder: Path, table_folder: Path
) -> None:
    before = {page: page.stat().st_mtime_ns for page in pages_in(folder)}
    assert ", 0 of them new or changed;" in written(games, folder, table_folder).stdout
    assert {page: page.stat().st_mtime_ns for page in pages_in(folder)} == before

    longer = games.with_name("next") / "season.pgn"
    longer.parent.mkdir()
    new_game = '[White "Player 01"]\n[Black "Player 02"]\n[Result "0-1"]\n\n1. e4 e5 0-1\n'
    tags = f'[Event "{OPEN}"]\n[Round "{ROUNDS + 1}"]\n'
    longer.write_text(season() + tags + new_game, encoding="utf-8")
    done = written(longer, folder, table_folder)
    # The new game and the one before it, both events, two lists of events, the PGN, and the JSON.
    assert re.search(r", 8 of them new or changed;", done.stdout), done.stdout
    assert (folder / "spring-open" / f"r{ROUNDS + 1}-player-01-player-02.html").is_file()


def test_foreign_pages_stay(table_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>Our club</h1>")
    done = written(S18, tmp_path, table_folder)
    assert done.stderr.endswith("index.html is no page of an event; name another folder\n")
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


CLUB_GAME = (
    '[Event "{event}"]\n[White "Ann"]\n[Black "{black}"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
)


def club(path: Path, event: str, *opponents: str) -> Path:
    """A file with a game against each opponent."""
    games = [CLUB_GAME.format(event=event, black=name) for name in opponents]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(games))
    return path


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_page_of_a_game_that_is_no_more_goes_away(table_folder: Path, tmp_path: Path) -> None:
    for name in ("Bbo", "Bob"):
        path = club(tmp_path / "club.pgn", "?", name)
        assert written(path, tmp_path / "www", table_folder).returncode == 0
    found = [page.relative_to(tmp_path / "www").as_posix() for page in pages_in(tmp_path / "www")]
    assert found == ["event/ann-bob.html", "event/index.html", "index.html"]


def test_fewer_games_of_an_event_replace_its_pages(table_folder: Path, tmp_path: Path) -> None:
    www = tmp_path / "www"
    for opponents in (("Bob", "Cid"), ("Bob",)):
        written(club(tmp_path / "club.pgn", "Cup", *opponents), www, table_folder)
        found = {page.stem for page in (www / "cup").glob("ann-*.html")}
        assert found == {f"ann-{name.lower()}" for name in opponents}


def test_pages_of_two_events_leave_each_other_alone(table_folder: Path, tmp_path: Path) -> None:
    """Also where the files have one name, and the events nearly so."""
    one = club(tmp_path / "one" / "games.pgn", "Cup?", "Bob", "Cid")
    two = club(tmp_path / "two" / "games.pgn", "Cup!", "Dan")
    www = tmp_path / "www"
    written(one, www, table_folder)
    of_one = files_in(www / "cup")
    assert "keeps the pages of other events" in written(two, www, table_folder).stdout
    of_two = files_in(www / "cup-2")
    both = files_in(www)
    assert files_in(www / "cup") == of_one
    assert (www / "pgn" / "games.pgn").read_bytes() == copy_of(one, table_folder)
    assert (www / "pgn" / "other-games.pgn").read_bytes() == copy_of(two, table_folder)
    contents = text_of(www / "index.html")
    assert ">Cup?</a>" in contents
    assert ">Cup!</a>" in contents

    written(one, www, table_folder)
    assert files_in(www) == both
    assert files_in(www / "cup-2") == of_two
    for page in pages_in(www):
        for link in Links(text_of(page)).found:
            address, _ = urldefrag(urljoin(page.as_uri(), link))
            assert Path(unquote(address).removeprefix("file://")).is_file()


@pytest.mark.parametrize("named", [{"folder": ".."}, {"files": {"a.pgn": "pgn/../../a.pgn"}}])
def test_a_list_of_events_that_names_files_elsewhere_is_refused(
    named: dict[str, object], table_folder: Path, tmp_path: Path
) -> None:
    games = club(tmp_path / "games.pgn", "Cup", "Bob")
    www = tmp_path / "www"
    written(games, www, table_folder)
    (entry,) = json.loads(text_of(www / "events.json"))
    (www / "events.json").write_text(json.dumps([{**entry, **named}]))
    done = written(games, www, table_folder)
    assert done.stderr.endswith("events.json: it names files of another folder\n")


def test_the_page_of_an_event_names_its_own_files_alone(table_folder: Path, tmp_path: Path) -> None:
    one = club(tmp_path / "one.pgn", "One", "Bob")
    two = club(tmp_path / "two.pgn", "Two", "Cid")
    tbgen("standings", str(one), str(two), "--pages", str(tmp_path / "www"))
    page = text_of(tmp_path / "www" / "one" / "index.html")
    assert "one.pgn, changed" in page
    assert "two.pgn" not in page


def test_a_page_changes_with_the_tables_that_it_asks(table_folder: Path, tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    fen = "8/3k4/8/8/8/8/3K4/R7 w - - 0 1"
    games.write_text(f'[SetUp "1"]\n[FEN "{fen}"]\n[Result "1-0"]\n\n1. Kd3 Kd6 1-0\n')
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(table_folder / "KRvK.h5", data)
    written(games, tmp_path / "www", data)
    (page,) = (tmp_path / "www" / "event").glob("game*.html")
    before = text_of(page)
    for path in table_folder.glob("KRvK.*"):
        if not (data / path.name).exists():
            shutil.copy(path, data)
    written(games, tmp_path / "www", data)
    assert text_of(page) != before


def test_a_decided_copy_has_the_standings_of_its_games_and_stays(
    folder: Path, table_folder: Path, tmp_path: Path
) -> None:
    copy = folder / "pgn" / "season.pgn"
    written(copy, tmp_path, table_folder)
    assert (tmp_path / "pgn" / "season.pgn").read_bytes() == copy.read_bytes()
    for name in ("spring-league", "spring-open"):
        name = f"{name}/standings.json"
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_a_file_that_grows_meanwhile_is_read_once(
    table_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = club(tmp_path / "live.pgn", "Cup", "Bob")
    first = games.read_bytes()
    copy = copy_of(games, table_folder)
    entries_in = pages.entries_in

    def played_on(folder: Path) -> list[pages.EventEntry]:
        games.write_bytes(first + CLUB_GAME.format(event="Cup", black="Cid").encode())
        return entries_in(folder)

    monkeypatch.setattr(pages, "entries_in", played_on)
    written(games, tmp_path / "www", table_folder)
    assert (tmp_path / "www" / "pgn" / "live.pgn").read_bytes() == copy
    page = text_of(tmp_path / "www" / "index.html")
    assert hashlib.sha256(first).hexdigest() in page
    assert "1 game of 2 players" in page


@NEEDED
def test_pages_of_events_fit_every_screen_and_reader(page: Chromium, folder: Path) -> None:
    for path in ("index", "spring-league/index", "spring-open/index", SOME_GAME):
        page.open((folder / f"{path}.html").as_uri())
        for width in (1400, 800, 390):
            page.look(width, scheme="light" if path.startswith("spring-open") else "dark")
            page.fits(width)
        page.check()


SOME_GAME = "spring-league/r1-engine-a-engine-b"
MEN = """[...document.querySelectorAll('figure.line svg.board use[x]')]
  .filter((use) => getComputedStyle(use).visibility === 'visible').map((use) =>
  ['href', 'x', 'y'].map((name) => use.getAttribute(name)).join()).sort().join(' ')"""


@NEEDED
def test_the_board_of_a_game_is_at_its_end_with_and_without_a_script(
    page: Chromium, folder: Path
) -> None:
    path = folder / f"{SOME_GAME}.html"
    first, last = re.findall('<svg class="board".*?</svg>', text_of(path))
    men = re.findall('<use href="(#[^"]*)" x="([^"]*)" y="([^"]*)"/>', last)
    assert "hidden" in first.partition(">")[0]
    page.look(1280)
    page.open(path.as_uri(), "document.querySelectorAll('figure.line svg.board').length === 1")
    assert page.run(MEN) == " ".join(sorted(map(",".join, men)))
