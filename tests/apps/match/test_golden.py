"""Three matches whose games and figures are known: their PGN and JSON are compared as a whole.

After a change that is meant: .venv/bin/python -m pytest tests/apps/match/test_golden.py --rewrite
"""

from __future__ import annotations

import asyncio
import random
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import cast

import chess
import chess.engine
import pytest

from tbgen.apps.match.control import Clock
from tbgen.apps.match.engine import Answer, EngineProcess
from tbgen.apps.match.game import play
from tbgen.apps.match.info import Info
from tbgen.apps.match.sheet import Ending, Sheet
from tbgen.cli.match import _crosstable, _facts
from tbgen.cli.showing import Form, text_of
from tests.apps.match.matches import FakeBench, Silent, referee_of
from tests.files import assert_as_kept
from tests.positions import random_root

MATCHES = {
    "round-robin": [
        "-each tc=40/60+0.5 -rounds 2 -maxmoves 12 -srand 5",
        "-openings file={book} format=epd order=random",
        "-resign movecount=3 score=600 -event Cup -site Here -pgnout {pgn} nodes=true pv=true",
        "-scoring komi -komi G4.25 -ratinginterval 0",
    ],
    "swiss": [
        "-each st=1 -tournament swiss -rounds 3 -srand 7 -openings file={book} format=epd",
        "-maxmoves 30 -scoring winner -cutoff G5.0 -fifty fide -pgnout {pgn}",
    ],
    "knockout": [
        "-each nodes=10 depth=3 -tournament knockout -seeds 2 -games 1 -srand 3 -pgnout {pgn}",
        "-openings file={book} format=epd start=4 -repeat 1 -noswap",
    ],
}
"""Name -> the options, without the engines."""
PLAYERS = {"round-robin": 4, "swiss": 5, "knockout": 6}
NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay")
GOLDEN = Path(__file__).parent / "golden"
CHANGING = re.compile(r'\[(Date|GameStartTime|GameDuration|MatchId) "[^"]*"\]\n')
"""Tags that are others each time."""


class Seeded:
    """An engine whose moves and evaluations depend on its name and the position alone."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.knows_r_mobility = True

    async def think(self, board: chess.Board, clock: Clock, other: Clock) -> Answer:
        lot = zlib.crc32(f"{self.name} {board.fen()}".encode())
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        move = moves[lot % len(moves)]
        clock.stop(0.25)
        info = Info.parse(f"info depth 9 score cp {lot % 1500 - 1000} nodes {lot} pv {move.uci()}")
        return Answer(move, 0.25, info.evaluation(), clock.remaining, info, None)


class SeededBench(FakeBench):
    """Plays with such engines by the rules of the match."""

    async def play(self, sheet: Sheet, on_move: Callable[[Sheet], None]) -> Ending:
        engines = [self._shared.settings.engines[player] for player in sheet.players]
        white, black = (cast("EngineProcess", Seeded(each.name or "")) for each in engines)
        return await play(sheet, (white, black), self._shared.tables, on_move)


def openings() -> str:
    lots = random.Random(3)
    return "".join(f"{random_root(lots, 'KQRPPPkqrppp').fen()}\n" for _ in range(12))


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_leaves_the_games_and_figures_that_it_left_before(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if name == "swiss":
        pytest.importorskip("py4swiss")
    book = tmp_path / "book.epd"
    book.write_text(openings())
    pgn = tmp_path / "games.pgn"
    words = []
    for player in NAMES[: PLAYERS[name]]:
        words += ["-engine", f"cmd={player}", f"name={player}"]
    words += " ".join(MATCHES[name]).format(book=book, pgn=pgn).split()
    referee = referee_of(words, Silent(), SeededBench)
    asyncio.run(referee.play())
    assert referee.match is not None
    facts = text_of(Form.JSON, {**_facts(referee.match), "cross": _crosstable(referee.match)})
    left = {
        "pgn": CHANGING.sub("", pgn.read_text(encoding="utf-8")),
        "json": facts.replace(str(pgn), "games.pgn"),
    }
    for suffix, text in left.items():
        assert_as_kept(GOLDEN / f"{name}.{suffix}", text, request)
