"""Matches: the files of one that is to be continued, tampered with, and engines that do whatever
they like.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from tbgen.apps.games.read import PgnGame, read_games
from tbgen.apps.match.journal import state_path
from tests.apps.match.matches import games_of, scripted, walker
from tests.apps.match.test_match import check
from tests.attacks.attack import Attempt, assert_civil, cut_up
from tests.test_tampered import text_of

ENGINE = Path(__file__).parent / "wild_engine.py"
SHORT = ("-games", "4", "-maxmoves", "4", "-srand", "3")
MOST_SECONDS = 240
_NUMBER = re.compile(rb'\[MatchGame "(\d+)"\]')
"""Of a game in a file, though its moves may be damaged."""


def begin_states(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """A match whose files were tampered with goes on without loss of a game, or says in one line
    why it does not.
    """
    pgn = folder / "games.pgn"
    kept = folder / "kept.pgn"
    words = ["match", *walker("Ann"), *walker("Bob"), *SHORT, "-pgnout", str(pgn)]
    assert _run(words).returncode == 0
    shutil.copy(pgn, kept)
    state = state_path(pgn).read_bytes()
    whole = _moves_of(kept)

    def attempt(draw: random.Random) -> None:
        games = kept.read_bytes()
        facts = json.loads(state)
        facts = {**facts, "finished": False} if "finished" in facts else facts
        games = games[: draw.randrange(len(games))] if draw.random() < 0.7 else games
        if draw.random() < 0.3:
            games = cut_up(games or b"x", draw, 1)
        told = json.dumps(facts).encode() if draw.random() < 0.3 else text_of(facts, draw)
        pgn.write_bytes(games)
        state_path(pgn).write_bytes(told)
        before = _moves_of(pgn) & whole
        done = _run([*words, "-recover"])
        assert_civil(done)
        assert before <= _moves_of(pgn), "a game is lost"
        if done.returncode == 0:
            assert {b"1", b"2", b"3", b"4"} <= set(_NUMBER.findall(pgn.read_bytes())), (
                "a game is not played"
            )

    return attempt


def begin_engines(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """Whatever an engine does, the match ends, and the rules score every game in its file."""
    pgn = folder / "games.pgn"

    def attempt(draw: random.Random) -> None:
        for path in (pgn, state_path(pgn)):
            path.unlink(missing_ok=True)
        wild = [
            "-engine",
            f"cmd={sys.executable}",
            f"arg={ENGINE}",
            f"arg={draw.randrange(1 << 30)}",
            "name=Wild",
        ]
        limit = draw.choice(["nodes=1", "st=0.3", "tc=2+0.1"])
        words = [
            "match",
            *wild,
            limit,
            "hang=1.5",
            *scripted("Good"),
            "-games",
            "2",
            "-pgnout",
            str(pgn),
        ]
        done = _run(words)
        assert_civil(done)
        if pgn.exists():
            games = games_of(pgn)
            assert done.returncode != 0 or len(games) == 2
            for game in games:
                check(game)

    return attempt


def _run(words: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tbgen", *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False
    )


def _moves_of(path: Path) -> set[tuple[str, str]]:
    """The games of a match in a file by their numbers, with their moves."""
    return {
        (game.tags["MatchGame"], " ".join(ply.san for ply in game.replayed.plies[1:]))
        for game in read_games(path)
        if isinstance(game, PgnGame) and "MatchGame" in game.tags
    }
