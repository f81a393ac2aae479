"""Command lines with words in wrong places: each ends with a code, and complains in lines that can
be printed.
"""

from __future__ import annotations

import io
import os
import random
import shutil
from contextlib import ExitStack, chdir
from pathlib import Path
from unittest import mock

import chess
import click

from tests.attacks.attack import Attempt, assert_civil
from tests.cli.calls import tbgen
from tests.cli.test_help import all_commands

SOUND = (
    chess.STARTING_FEN,
    "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0",
    "rnbqkbnr/1p2pppp/p2p4/2p5/2P1P3/2N2N2/PP1P1PPP/R1BQKB1R b KQkq - 1 4 -G26.5",
    "4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1",
    "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 G9.5",
    "8/2P5/8/4K1k1/8/8/8/8 b - - 5 9 mG2.5",
    "8/8/8/2K3k1/8/8/8/8 w - - 4 4",
)
PARTS = (
    *"KQRBNPkqrbnp12345678/- wbG",
    "0",
    "9" * 30,
    "-1",
    "½",
    "٣",
    "\x00",
    "\x1b[2J",
    "\u202e",
    "e3",
    "KQkq",
    "G0.0",
    "-G0.5",
    "G1e9",
    " ",
    "\n",
    "ß",
)
FILES = {
    "games.pgn": (
        b'[White "Ann"]\n[FEN "8/8/8/4KBk1/8/8/8/8 b - - 0 1"]\n\n1... Kh4 2. Kf4 *\n\n1. e4 e5 *\n'
    ),
    "junk": bytes(range(256)),
    "facts.json": b'{"games": [1e999, NaN, null]}',
    "empty": b"",
}
PATHS = (*FILES, "new", "no/new", ".", "..", "", "/dev/null", "/dev/zero", "x" * 300, "-")
NUMBERS = ("0", "1", "2", "3", "-1", "x", "1e3", "1.5", "", "٣", "9" * 30)
WORDS = (
    *NUMBERS,
    "G2.5",
    "-G0.5",
    "komi",
    "both",
    "draw",
    "e4",
    "Kh4",
    "KvK",
    "kbvk",
    "KXvK",
    "--",
    "-",
    "\x1b[2J",
    "é\u202e",
)
POOLS = {
    "DIR": ("tables", "tables", "tables:.", *PATHS),
    "URL": ("http://127.0.0.1:1", "file:///etc/passwd", "http://", "x"),
    "ADDRESS": ("x", "tcp://127.0.0.1:x"),
    "[MATERIAL]...": ("KvK", "kvk", "KXvK", "K", ""),
    "GAMES.pgn": ("empty", "junk", "new", "."),
    "S": ("0", "0.01", *NUMBERS[4:]),
    "SQUARE": ("a1", "f5", "x9", ""),
    "[COMMAND]...": ("probe", "study", "study record", "x", "match"),
    "G": ("G2.5", "-G0.5", "G0.0", "draw", "accrued", "", "G9e9"),
}
"""By what the help calls them; files and numbers beside these."""
LEFT_OUT = {"--men", "--cluster"}
"""What would take hours where the rest of a line happens to be right."""
CHEAP = {"hold": ("--nodes", "50")}
"""What makes a line cheap, unless it says otherwise."""
MATCH = (
    "-engine",
    "cmd=nowhere",
    "cmd=",
    "name=A",
    "tc=1",
    "tc=x",
    "st=9e9",
    "nodes=-1",
    "-each",
    "proto=uci",
    "-rounds",
    "-games",
    "-openings",
    "file=games.pgn",
    "file=junk",
    "-pgnout",
    "new",
    "-sprt",
    "elo0=0",
    "-recover",
    "-variant",
    "rmobility",
)


def begin(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """Whatever the words are, tables stay as they are."""
    shutil.copytree(tables, folder / "place" / "tables")
    before = _stamps(folder / "place" / "tables")
    commands = [(name, command) for name, command in all_commands() if name not in ("uci", "study")]
    closing.enter_context(chdir(folder / "place"))
    closing.enter_context(mock.patch("tbgen.apps.server.run.serve"))
    closing.enter_context(mock.patch("click.launch"))

    def attempt(draw: random.Random) -> None:
        for left in set(os.listdir()) - {"tables", *FILES}:
            shutil.rmtree(left) if os.path.isdir(left) else os.unlink(left)
        for path, content in FILES.items():
            Path(path).write_bytes(content)
        name, command = draw.choice(commands)
        words = [*CHEAP.get(name, ()), *_words_of(command, draw)]
        words = draw.choices((*MATCH, *WORDS), k=draw.randint(0, 9)) if name == "match" else words
        with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO())):
            assert_civil(tbgen(*name.split(), *words, folder=folder / "place" / "tables"))
        assert _stamps(folder / "place" / "tables") == before, words

    return attempt


def spoilt(text: str, draw: random.Random) -> str:
    """A text with a few other parts, or its fields in another order."""
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(text) + 1)
        text = text[:place] + draw.choice(PARTS) + text[place + draw.randint(0, 2) :]
    fields = text.split(" ")
    if draw.random() < 0.1:
        draw.shuffle(fields)
    return " ".join(fields[: draw.randint(1, 8)] if draw.random() < 0.2 else fields)


def _words_of(command: click.Command, draw: random.Random) -> list[str]:
    words = list[str]()
    for option in draw.sample(command.params, draw.randint(0, min(6, len(command.params)))):
        if isinstance(option, click.Argument):
            words += [
                _value(option, draw) for _ in range(draw.randint(1, 3 if option.nargs < 0 else 1))
            ]
        elif not LEFT_OUT & set(option.opts) and draw.random() < 0.95:
            is_flag = isinstance(option, click.Option) and option.is_flag
            words += [draw.choice(option.opts), *([] if is_flag else [_value(option, draw)])]
        else:
            words.append(draw.choice(WORDS))
    if draw.random() < 0.1:
        draw.shuffle(words)
    return words


def _value(option: click.Parameter, draw: random.Random) -> str:
    if draw.random() < 0.1:
        return draw.choice(WORDS)
    if isinstance(option.type, click.Choice):
        return draw.choice([*option.type.choices, "x"])
    if option.metavar and option.metavar.startswith("[FEN]"):
        return draw.choice([SOUND[1], "startpos", "e4", spoilt(draw.choice(SOUND), draw)])
    if isinstance(option.type, (click.IntRange, type(click.INT))):
        return draw.choice(NUMBERS)
    is_written = not {"-o", "--output"}.isdisjoint(option.opts)
    return draw.choice(
        (*PATHS, "/dev/full") if is_written else POOLS.get(option.metavar or "", PATHS)
    )


def _stamps(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.glob("*.h5")}
