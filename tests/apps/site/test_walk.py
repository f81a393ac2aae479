"""One walk through the explorer, whose addresses and words at each step are those of `walk.txt`.

A step has the lines that the step before it had not. After a change that is meant,
`pytest --rewrite` writes the file anew; then read the difference.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import click
import pytest

from tbgen.cli import tbgen as program
from tests.apps.site.chromium import NEEDED, Chromium
from tests.files import assert_as_kept
from tests.positions import BISHOP

pytestmark = NEEDED

GOLDEN = Path(__file__).parent / "walk.txt"
SHOWN = "document.documentElement.dataset.shown && !document.querySelector('[aria-busy]')"
WON_BY_A_CAPTURE = "8/8/8/8/5k2/3n4/3R4/4K3 w - - 0 1"
REFUTED = "8/8/8/8/2b5/1k6/3P4/1K6 w - - 0 1"
WITHOUT_A_TABLE = "4k2r/8/8/8/8/8/8/R3KB2 w - - 0 1"
SEVEN_MEN = "4k2r/5p1p/8/8/8/7P/8/4K2R w - - 0 1"
CASTLES = "4k3/8/8/8/8/8/8/4K2R w K - 2 2"
KINGS_TOUCH = "8/8/8/3kK3/8/8/8/8 w - - 0 1"
LATE = "8/8/4K3/6k1/8/7B/8/8 b - - 97 60 G4.0"
CASTLES_WITHOUT_A_TABLE = "4k2r/6p1/8/8/8/8/8/R3KB2 b k - 0 1"
NINE_MEN = "4k2r/6pp/8/8/8/8/6PP/R3KB2 b - - 0 1"
GAME = "1. e4 e5 2. Nf3 {a comment} (2. f4 exf4 (2... d5)) 2... Nc6 3. Bc4 $1 Bc5 4. O-O Nf6! *"

KEEP_COPIES = "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
COMMAND = re.compile(
    r'tbgen (build \S+(?: --outcomes)?|solve "[^"]+"|hold "[^"]+" --side (?:white|black))'
)
PLACES = {
    "status": "#status",
    "verdict": "#verdict",
    "drill": "#drill-part",
    "note": "#note",
    "said": "#said",
    "game": "#game-part",
    "map": "#map-words",
}
"""What is written down of every step, if it is seen."""
TEXTS = """(places) => {
  const words = (element) => element.innerText.replace(/\\s+/g, ' ').trim();
  const lines = [`address ${decodeURIComponent(location.search)}`, `title ${document.title}`];
  for (const [name, selector] of Object.entries(places)) {
    const element = document.querySelector(selector);
    if (element.checkVisibility() && words(element)) lines.push(`${name} ${words(element)}`);
  }
  for (const group of document.querySelectorAll('#moves-part:not([hidden]) .group')) {
    const moves = [...group.querySelectorAll('.move')].map((move) => move.textContent);
    lines.push(`moves ${words(group.querySelector('h3'))} | ${moves.join(' | ')}`);
  }
  for (const row of document.querySelectorAll('#strip-part:not([hidden]) #runs li')) {
    lines.push(`if ${words(row)}`);
  }
  return lines;
}"""


@dataclass
class Walk:
    """A walk through the page, and what it has written down."""

    page: Chromium
    address: str
    lines: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    """What the page said at the step before."""

    def step(self, name: str, act: Callable[[], object], until: str = "true") -> None:
        """Do something, wait for what follows, and write down what the page says."""
        act()
        self.page.wait(f"({until}) && {SHOWN}")
        now = self.page.run(f"({TEXTS})({PLACES})")
        new = [line for line in now if line not in self.before]
        gone = {line.split()[0] for line in self.before} - {line.split()[0] for line in now}
        self.lines += [f"== {name}", *new, *(f"no {kind}" for kind in sorted(gone)), ""]
        self.before = now

    def best_play(self) -> None:
        """What stands above the moves in a while."""
        self.page.wait(says("why", "Best play: "))
        self.also("best play", "window.why.innerText")

    def also(self, name: str, script: str) -> None:
        """Write down the value of an expression."""
        self.lines += [f"== {name}", *str(self.page.run(script)).splitlines(), ""]

    def copies(self, what: str, selector: str) -> None:
        """Press a button that copies, and write down what it has copied."""
        self.page.run(f"{KEEP_COPIES}; window.copied = ''")
        self.step(f"copy {what}", self.clicks(selector), "window.copied")
        self.also("copied", f"window.copied.replace({self.address!r}, '')")

    def opens(self, **asked: str) -> Callable[[], object]:
        question = urlencode({key: text.replace(" ", "_") for key, text in asked.items()})
        return lambda: self.page.open(f"{self.address}/explorer/?{question}", SHOWN)

    def runs(self, script: str) -> Callable[[], object]:
        return lambda: self.page.run(f"{script}; 1")

    def clicks(self, selector: str) -> Callable[[], object]:
        return self.runs(f"document.querySelector({selector!r}).click()")

    def presses(self, *keys: str) -> Callable[[], object]:
        return lambda: list(map(self.page.press, keys))

    def pastes(self, text: str) -> Callable[[], object]:
        def paste() -> None:
            self.page.type_into("#fen", text)
            self.page.press("Enter")

        return paste

    def types(self, move: str) -> Callable[[], object]:
        return self.runs(f"window.typed.value = {move!r}; window.type.requestSubmit()")


def fen_has(text: str) -> str:
    return f"document.getElementById('fen').value.includes({text!r})"


def says(place: str, text: str) -> str:
    return f"document.getElementById({place!r}).innerText.includes({text!r})"


WITHOUT_CASTLING = (
    "[...document.querySelectorAll('#verdict a')]"
    ".find((each) => each.innerText.includes('without castling')).click()"
)


def button(text: str) -> str:
    buttons = "[...document.querySelectorAll('#drill-part button')]"
    return f"{buttons}.find((each) => each.innerText === {text!r}).click()"


IS_WHITES = fen_has(" w ")


def read_and_play(walk: Walk) -> None:
    walk.page.run(KEEP_COPIES)
    walk.step("a first position", lambda: None, "!window.ending.hidden")
    walk.best_play()
    walk.also("its ending", "window.ending.innerText")
    walk.also("the legend", "document.querySelector('.legend').innerText")
    walk.step("the best move", walk.presses(" "), fen_has("8/8/8/4KBk1/8/8/8/8"))
    walk.step("a reply", walk.types("Kh4"), fen_has("8/8/8/4KB2/7k/8/8/8"))
    walk.best_play()
    walk.step("back", walk.presses("Home"), fen_has(BISHOP))
    second = "document.querySelectorAll('.move')[1]"
    walk.step("a look at a move", walk.runs(f"{second}.dispatchEvent(new Event('mouseenter'))"))
    walk.page.wait(says("why", "Black replies"))
    walk.also("what follows it", "window.why.innerText")
    walk.step("no move", walk.types("Qh4"))
    walk.step("another move", walk.types("Be4"), fen_has("8/8/4K3/6k1/4B3/8/8/8"))
    for name in ("pgn", "fen", "link"):
        walk.copies(name, f"#share [name={name}]")
    walk.also("at lichess", "window.lichess.href")
    walk.step("a map", walk.runs("map.value = 'e4'; map.onchange()"), "!window['map-words'].hidden")
    walk.step("back again", walk.presses("ArrowLeft"), fen_has(BISHOP))
    walk.page.run("document.getElementById('words').open = true")
    walk.also("the words", "window.words.innerText")
    walk.step("a position", walk.opens(fen=BISHOP, accrued="G4.0"))
    walk.step("its line", walk.clicks("#ask-line"), "document.querySelector('#game button')")
    walk.step("the end of the line", walk.presses("End"), says("verdict", "Held for ever"))


def ask(walk: Walk) -> None:
    walk.step("fifty moves", walk.pastes(LATE), fen_has(" b - - 97"))
    walk.step("an ignored score", walk.pastes(f"{BISHOP.replace('33', '0')} G4.0"), fen_has("- 0"))
    walk.step("a game", walk.pastes(GAME), fen_has("r1bqk2r"))
    walk.copies("its branches", "#share [name=pgn]")
    walk.step("a variation", walk.runs("document.querySelectorAll('#game button')[3].click()"))
    walk.step(
        "no position", walk.pastes("hello"), says("note", "hello") + "||" + says("note", "no FEN")
    )
    walk.step("kings that touch", walk.pastes(KINGS_TOUCH), says("note", "as it was"))
    proved = says("verdict", "Proved by")
    walk.step("a capture proves it", walk.pastes(WON_BY_A_CAPTURE), proved)
    walk.page.wait(says("why", "Rxd3. Black replies"))
    walk.also("how it goes on", "window.why.innerText")
    walk.step("a capture refutes it", walk.pastes(REFUTED), says("moves", "gets at most"))
    moves = "[...document.querySelectorAll('.move')]"
    d3 = f"{moves}.find((move) => move.innerText.startsWith('d3'))"
    walk.page.run(f"{d3}.dispatchEvent(new Event('mouseenter'))")
    walk.page.wait(says("why", "Black can reply"))
    walk.also("what refutes it", "window.why.innerText")
    lichess = "document.querySelector('#verdict a').href"
    walk.step("no table", walk.pastes(WITHOUT_A_TABLE), says("verdict", "KRBvKR"))
    walk.also("ordinary chess", lichess)
    walk.copies("its command", "#verdict code + button")
    walk.step("a move there", walk.types("Kd2"), fen_has(" b "))
    walk.step(
        "castling there", walk.pastes(CASTLES_WITHOUT_A_TABLE), says("verdict", "castling rights")
    )
    walk.also("ordinary chess", lichess)
    walk.step("seven men", walk.pastes(SEVEN_MEN), says("verdict", "has 7"))
    walk.step("nine men", walk.pastes(NINE_MEN), says("verdict", "has 9"))
    walk.also("ordinary chess", lichess)
    walk.step("castling", walk.pastes(CASTLES), proved)
    walk.step("no castling", walk.runs(WITHOUT_CASTLING), fen_has(" w - - "))
    walk.step("a broken link", walk.opens(fen="nonsense"))
    walk.step("what it leads to", walk.clicks("#verdict button"), fen_has(BISHOP))


def set_up(walk: Walk) -> None:
    walk.step("a knight's ending", walk.opens(fen="8/8/8/2kNK3/8/8/8/8 b - - 0 1"))
    walk.step("edit", walk.presses("e"), "!window.editing.hidden")
    walk.step("mirror", walk.clicks("#mirror"), fen_has("8/8/8/3KNk2/8/8/8/8"))
    walk.step("swap", walk.clicks("#swap"), fen_has("8/8/8/8/3knK2/8/8/8"))
    walk.step("shift", walk.clicks("[data-shift='left']"), fen_has("8/8/8/8/2knK3/8/8/8"))
    walk.step("turn", walk.clicks("[name=turn][value=black]"), fen_has(" b "))
    walk.step("two kings", walk.clicks("#kings"), fen_has("4k3/8/8/8/8/8/8/4K3"))


def drill(walk: Walk) -> None:
    walk.step("before a drill", walk.opens(fen=BISHOP, accrued="G4.0"))
    walk.step("drill", walk.clicks("#ask-drill"), "!window['drill-part'].hidden")
    for _ in range(2):
        walk.step("a hint", walk.runs(button("Hint")))
    graded = f"{says('drill-part', 'gives')} && {IS_WHITES}"
    walk.step("a bad move", walk.types("Bg4"), graded)
    walk.step("take back", walk.runs(button("Take back")), fen_has(BISHOP))
    walk.step("no move in a drill", walk.types("Qh4"))
    walk.step("best play", walk.types("Ke5"), f"{says('drill-part', 'best play')} && {IS_WHITES}")
    walk.step("leave", walk.runs(button("Leave the drill")), "window['drill-part'].hidden")
    walk.step("drill again", walk.clicks("#ask-drill"), "!window['drill-part'].hidden")
    walk.step("no table", walk.pastes(WITHOUT_A_TABLE), says("verdict", "KRBvKR"))


def look_for_more(walk: Walk) -> None:
    walk.page.run("document.getElementById('endings').open = true")
    walk.page.wait("document.querySelectorAll('#found-endings li').length > 3")
    for wanted in ("", "rook", "elf"):
        walk.page.type_into("#find-ending", wanted)
        walk.also(f"find {wanted}", "window['found-number'].innerText")
        walk.also("found", "window['found-endings'].innerText")
    walk.also("famous", "window['famous-list'].innerText")
    walk.page.run("document.getElementById('gallery').open = true")
    walk.page.wait("document.querySelectorAll('.gallery').length >= 2")
    walk.also("gallery", "document.querySelector('#gallery div').innerText")
    walk.also(
        "its links", "[...document.querySelectorAll('.gallery a')].map((a) => a.search).join('\\n')"
    )


def test_a_walk_through_the_explorer_says_what_it_said(
    page: Chromium, server: str, request: pytest.FixtureRequest
) -> None:
    walk = Walk(page, server)
    walk.opens()()
    read_and_play(walk)
    ask(walk)
    set_up(walk)
    drill(walk)
    look_for_more(walk)
    assert_as_kept(GOLDEN, "\n".join(walk.lines), request)


def test_the_program_understands_the_commands_that_the_explorer_names() -> None:
    commands = set(COMMAND.findall(GOLDEN.read_text(encoding="utf-8")))
    assert {command.split()[0] for command in commands} == {"build", "solve", "hold"}
    for command in commands:
        name, *words = shlex.split(command)
        command = program.get_command(click.Context(program), name)
        assert command is not None
        command.make_context(name, words)
