"""Games: read and decided, every ply counted."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.log import ROOT
from bench.probing import show_probe

GAMES = ROOT / "tests" / "golden" / "tcec_s18.pgn"
GAME_BYTES, GAME_PLIES = 2_000_000, 150


def games(options: argparse.Namespace) -> None:
    """Read games and decide them, every ply counted, one after the other on one core."""
    from tbgen.apps.games.archive import Task, decide_file, total
    from tbgen.apps.games.game import PgnGame
    from tbgen.apps.games.reader import read_games

    def plies_in(found: Iterable[object]) -> int:
        return sum(game.last.number for game in found if isinstance(game, PgnGame))

    with tempfile.TemporaryDirectory() as folder:
        many = Path(folder) / "games.pgn"
        text = options.pgn.read_bytes()
        many.write_bytes(text * max(1, GAME_BYTES // len(text)))
        plies = plies_in(read_games(str(many)))  # and compile
        print("CPU seconds a game of 150 plies, one core")
        seconds = cpu_seconds(lambda: plies_in(read_games(str(many))))
        show_probe(options, "games read", GAME_PLIES * seconds / plies)
        seconds = cpu_seconds(lambda: total(list(decide_file(str(many), Task()))))
        show_probe(options, "games decided", GAME_PLIES * seconds / plies)


def cpu_seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
