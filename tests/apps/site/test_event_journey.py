"""A reader's way through the pages of an event: from a player to a game, to its round and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.apps.site.chromium import NEEDED, Chromium
from tests.cli.calls import tbgen

GAME = """[Event "Club Cup"]
[Round "{number}"]
[Date "2026.03.0{number}"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]

1. e4 e5 2. Nf3 {result}

"""
ODD_NAME = 'Åse "<Ace>" Dahl'
PAIRS = (("Ann", "Bob"), ("Cid", ODD_NAME), ("Ann", "Cid"), (ODD_NAME, "Bob"), (ODD_NAME, "Ann"))
HERE = "location.hash"
FOCUS = "document.activeElement.textContent.trim()"
MOVER = "document.querySelector('svg.board circle.turn').getAttribute('fill')"


def quoted(name: str) -> str:
    """A name within the quotation marks of a tag."""
    return name.replace('"', '\\"')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of five rounds with a game each."""
    place = tmp_path_factory.mktemp("club")
    games = []
    for number, (white, black) in enumerate(PAIRS, 1):
        result = "1-0" if number == 2 else "1/2-1/2"
        game = GAME.format(number=number, white=quoted(white), black=quoted(black), result=result)
        games.append(game)
    (place / "club.pgn").write_text("".join(games), encoding="utf-8")
    done = tbgen("standings", str(place / "club.pgn"), "--pages", str(place / "www"))
    assert done.returncode == 0
    return place / "www"


def tab_to(page: Chromium, text: str) -> None:
    """Press Tab until a link with this text has the focus."""
    for _ in range(60):
        if page.run(FOCUS) == text:
            return
        page.press("Tab")
    raise AssertionError(f"no way by Tab to {text!r}")


def follow(page: Chromium, until: str) -> None:
    """Press Enter on the link with the focus, until a condition holds on the page behind it."""
    page.press("Enter")
    page.wait(f"document.readyState === 'complete' && ({until})")


@NEEDED
def test_the_keyboard_leads_from_a_player_to_a_game_and_back_to_its_round(
    page: Chromium, folder: Path
) -> None:
    page.look(800)
    page.open((folder / "index.html").as_uri())
    tab_to(page, "Bob")
    follow(page, f"{HERE}.startsWith('#player-')")
    row = "document.querySelector('tr:target')"
    assert page.run(f"{row}.querySelector('th').textContent") == "Bob"
    # The next stop is the first game in the row of that player.
    page.press("Tab")
    assert page.run(f"{row}.contains(document.activeElement)")
    assert "against Ann" in page.run("document.activeElement.title")
    follow(page, "document.querySelector('h1').textContent === 'Ann – Bob'")
    tab_to(page, "Next game")
    follow(page, f"document.querySelector('h1').textContent === {f'Cid – {ODD_NAME}'!r}")
    tab_to(page, "Round 2")
    follow(page, row)
    assert page.run(f"{row}.closest('details').open")
    assert ODD_NAME in page.run(f"{row}.textContent")
    top, bottom = page.run(f"(({{top, bottom}}) => [top, bottom])({row}.getBoundingClientRect())")
    assert 0 <= top < bottom <= page.run("innerHeight")
    assert page.complaints == []


@NEEDED
def test_the_circle_beside_the_board_has_the_colour_of_the_side_to_move(
    page: Chromium, folder: Path
) -> None:
    page.look(1280)
    page.open((folder / "club-cup" / "r1-ann-bob.html").as_uri(), f"{MOVER} === '#000'")
    page.run("document.querySelector('.stepper button[name=back]').click()")
    assert page.run(MOVER) == "#fff"
    page.run("document.querySelector('.stepper button[name=back]').click()")
    assert page.run(MOVER) == "#000"
    page.run("document.querySelector('.stepper button[name=first]').click()")
    assert page.run(MOVER) == "#fff"


@NEEDED
def test_a_narrow_screen_has_only_the_columns_that_place_somebody(
    page: Chromium, folder: Path
) -> None:
    shown = (
        "[...document.querySelectorAll('.ranks thead th')].filter((head) => head.offsetWidth)"
        ".map((head) => head.textContent)"
    )
    page.look(800)
    page.open((folder / "index.html").as_uri())
    assert page.run(shown) == ["Rank", "Player", "Games", "Points", "Score sheet"]
    page.look(390)
    assert page.run(shown) == ["Rank", "Player", "Points", "Score sheet"]
    assert page.run(
        "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)"
        "(document.querySelector('.wide'))"
    )
    page.look(1280)
    assert page.run(shown) == ["Rank", "Player", "Games", "Points", "Net", "Score sheet"]


@NEEDED
def test_the_move_of_the_board_can_be_read_on_paper(page: Chromium, folder: Path) -> None:
    page.look(1280)
    last = "document.querySelector('.moves span[data-now]')"
    page.open((folder / "club-cup" / "r1-ann-bob.html").as_uri(), f"{last} !== null")
    page.call("Emulation.setEmulatedMedia", media="print")
    color = "getComputedStyle({}).color"
    assert page.run(color.format(last)) == page.run(color.format(f"{last}.parentNode"))
