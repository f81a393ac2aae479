"""The player with an inner engine."""

from __future__ import annotations

import random
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import chess
import chess.engine
import pytest
from chess.engine import INFO_ALL

from tbgen.apps.play import inner, search
from tbgen.apps.play.choice import Chooser
from tbgen.apps.play.inner import InnerEngine
from tbgen.apps.play.limits import is_endless, limits_in
from tbgen.apps.play.protocol import Protocol
from tbgen.apps.play.search import Line
from tbgen.apps.play.situation import Situation, Turn, situation_of
from tbgen.closures.solver import PositionSolver
from tbgen.errors import EngineStartError
from tbgen.score import Color
from tests.apps.match.matches import walker
from tests.apps.play.told import Told

ENGINES = Path(__file__).parent / "engines"
SCRIPTED = Path(__file__).parent.parent / "match" / "engines" / "scripted.py"


def command_of(script: Path, *words: str) -> str:
    return shlex.join([sys.executable, str(script), *words])


def valuer(*values: str, seen: Path | None = None, replies: bool = False) -> str:
    words = [word for value in values for word in ("--value", value)]
    if replies:
        words.append("--reply")
    if seen is not None:
        words += ["--seen", str(seen)]
    return command_of(ENGINES / "valuer.py", *words)


def scripted(*words: str) -> str:
    return command_of(SCRIPTED, *words)


def slow(*words: str) -> str:
    return command_of(ENGINES / "slow.py", *words)


def dialogue(folder: Path, command: str | None, *steps: str) -> list[str]:
    """What the player says, if the host waits for each answer before its next line.

    A search without end is not waited for.
    """
    told = Told()

    def lines() -> Iterator[str]:
        asked = 0
        for step in steps:
            yield step
            if step.startswith("go"):
                asked += 1
            if not is_endless(step.split()):
                told.wait_for("bestmove ", times=asked)

    engine = None if command is None else InnerEngine(command)
    Protocol(folder, told.write, engine).run(lines())
    return [line for line in told.lines if line != "readyok"]


def uci(folder: Path, command: str) -> list[str]:
    """The command of the player with an inner engine."""
    return [sys.executable, "-m", "tbgen", "uci", "--data", str(folder), "--with", command]


def infos(lines: list[str]) -> list[str]:
    """What the player says, but for what the inner engine says."""
    words = ("info string error", "info string the inner engine", "info string no ")
    return [line for line in lines if line.startswith(words)]


def best(lines: list[str]) -> list[str]:
    """The moves that are answered, with the expected replies."""
    return [line.removeprefix("bestmove ") for line in lines if line.startswith("bestmove ")]


def test_options_of_the_inner_engine_are_listed_and_passed_on(
    table_folder: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    lines = dialogue(
        table_folder,
        valuer(seen=seen),
        "uci",
        "setoption name move overhead value 5",
        "setoption name Clear Hash",
        "setoption name Margin value 7",
        "setoption name Margin value 1001",
        "setoption name Nonsense value 7",
    )
    names = [line.split(" type ")[0] for line in lines if line.startswith("option name ")]
    assert len(names) == len(set(names))
    assert "option name Move Overhead type spin default 10 min 0 max 99" in lines
    assert infos(lines) == [
        "info string error: Margin is from 0 to 1000, not 1001",
        "info string error: there is no option 'nonsense'",
    ]
    got = seen.read_text().splitlines()
    assert "setoption name Move Overhead value 5" in got
    assert "setoption name Clear Hash" in got
    assert not any("Margin" in line for line in got)


@pytest.mark.parametrize(
    ("deed", "limit", "reason"),
    [
        ("crash", "nodes 100", "has ended (exit code 3); tbgen searches instead"),
        ("segfault", "nodes 100", "has ended (signal SIGSEGV); tbgen searches instead"),
        ("close", "nodes 100", "has closed its output; tbgen searches instead"),
        ("hang", "movetime 400", "does not answer; tbgen searches instead"),
        ("illegal", "nodes 100", "makes an illegal move: 'e1e5'"),
        ("garbage", "nodes 100", "makes an illegal move: 'castle'"),
        ("empty", "nodes 100", "makes an illegal move: ''"),
    ],
)
def test_a_lost_engine_costs_a_line_and_no_move(
    table_folder: Path, deed: str, limit: str, reason: str
) -> None:
    lines = dialogue(
        table_folder,
        scripted("--at", "0", "--do", deed),
        "position startpos",
        f"go {limit}",
        "position startpos moves f2f3",
        "go nodes 100",
    )
    assert infos(lines) == [f"info string the inner engine {reason}"]
    first, second = best(lines)
    assert chess.Move.from_uci(first) in chess.Board().legal_moves
    assert second == "e7e5", "by the inner engine, which has been started anew"


@pytest.mark.parametrize("alone", [True, False])
def test_the_player_is_ready_when_its_search_is_loaded(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    said = list[str]()

    class Telling(search.Engine):
        def deepen(self, now: Situation, *limits: Any, **others: Any) -> Iterator[search.Searched]:
            said.append("loaded")
            return super().deepen(now, *limits, **others)

    monkeypatch.setattr(search, "Engine", Telling)
    engine = None if alone else InnerEngine(valuer())
    Protocol(table_folder, said.append, engine).run(["isready"])
    assert said == ["loaded", "readyok"]


def test_an_engine_that_does_not_start_is_an_error_that_says_why() -> None:
    with pytest.raises(EngineStartError, match="no such program"):
        InnerEngine("no-such-engine")
    with pytest.raises(EngineStartError, match="has ended"):
        InnerEngine(f"{sys.executable} -c pass")
    with pytest.raises(EngineStartError, match="not a command"):
        InnerEngine('"')


@pytest.mark.parametrize(
    ("go", "ends"),
    [
        ("go", ()),
        ("go nodes 1000", ()),
        ("go depth 2", ()),
        ("go mate 1", ()),
        ("go movetime 100", ()),
        ("go wtime 400 btime 400 winc 10 binc 10", ()),
        ("go infinite", ("stop",)),
        ("go infinite", ("quit",)),
        ("go ponder", ("stop",)),
        ("go ponder nodes 1000", ("ponderhit",)),
        ("go ponder wtime 400 btime 400", ("ponderhit",)),
    ],
)
def test_an_engine_that_falls_silent_loses_no_move(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch, go: str, ends: tuple[str, ...]
) -> None:
    monkeypatch.setattr(inner, "_SILENT_SECONDS", 0.2)
    monkeypatch.setattr(inner, "_STOP_SECONDS", 0.1)
    engine = scripted("--at", "0", "--do", "hang")
    lines = dialogue(table_folder, engine, "position startpos", go, *ends)
    (move,) = best(lines)
    assert chess.Move.from_uci(move) in chess.Board().legal_moves
    assert infos(lines) == ["info string the inner engine does not answer; tbgen searches instead"]


def test_an_engine_that_thinks_without_a_clock_is_waited_for(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lines are signs of life."""
    monkeypatch.setattr(inner, "_SILENT_SECONDS", 1.0)
    lines = dialogue(table_folder, slow("--lines", "30"), "position startpos", "go nodes 1000")
    assert best(lines) == ["f2f3"]
    assert not infos(lines)


@pytest.mark.parametrize("lines_before", ["0", "3"])
def test_an_engine_that_answers_late_is_kept(table_folder: Path, lines_before: str) -> None:
    lines = dialogue(
        table_folder,
        slow("--lines", lines_before, "--late", "0.2"),
        "position startpos",
        "go movetime 30",
        "position fen 8/8/8/4KBk1/8/8/8/8 b - - 0 1",  # tables play it
        "go movetime 100",
        "position startpos",
        "go nodes 100",
    )
    assert len(best(lines)) == 3
    assert sum("a new life" in line for line in lines) == 1, "it was not started again"


def test_a_clock_is_kept_even_if_the_engine_never_answers_by_itself(table_folder: Path) -> None:
    """It is stopped, and its last move is played."""
    lines = dialogue(
        table_folder,
        scripted("--at", "0", "--do", "late"),
        "position startpos",
        "go wtime 1000 btime 1000 winc 10 binc 10",
    )
    assert best(lines) == ["f2f3"]
    assert not infos(lines)


@pytest.mark.parametrize("last", ["ponderhit", "stop"])
def test_it_ponders_with_the_inner_engine(table_folder: Path, tmp_path: Path, last: str) -> None:
    seen = tmp_path / "seen"
    lines = dialogue(
        table_folder,
        valuer(seen=seen),
        "position startpos moves e2e4",
        "go ponder wtime 60000 btime 60000",
        last,
        "isready",
    )
    assert "go ponder wtime 60000 btime 59850" in seen.read_text().splitlines()
    assert last in seen.read_text().splitlines()
    assert best(lines) == ["a7a5"]


def test_a_reply_to_ponder_on_is_named(table_folder: Path) -> None:
    lines = dialogue(
        table_folder,
        scripted(
            "--announce",
            "Ponder type check default false",
            "--then",
            "info depth 8 score cp 10 pv f2f3 e7e5",
        ),
        "position startpos",
        "go nodes 100",
    )
    assert best(lines) == ["f2f3 ponder e7e5"]


def test_limits_and_named_moves_reach_the_inner_engine(table_folder: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    lines = dialogue(
        table_folder,
        valuer(seen=seen),
        "position startpos moves d2d4",
        "go depth 5 nodes 70 searchmoves e7e6 d7d5",
        "position startpos",
        "go movetime 100",
    )
    assert best(lines) == ["d7d5", "a2a3"]
    got = seen.read_text().splitlines()
    assert "go depth 5 nodes 70 searchmoves e7e6 d7d5" in got
    assert f"position fen {chess.STARTING_FEN} moves d2d4" in got
    assert "go movetime 80" in got


def test_castling_of_chess960_passes_through(table_folder: Path) -> None:
    lines = dialogue(
        table_folder,
        scripted("--line", "d1g1", "--announce", "UCI_Chess960 type check default false"),
        "setoption name UCI_Chess960 value true",
        "position fen 1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w KQkq - 0 1",
        "go nodes 10",
    )
    assert best(lines) == ["d1g1"]
    assert not infos(lines)


ROOKS = "8/8/3k4/8/2r5/8/3KR3/4B3 w - - 4 30"
QUIET = "e1f2"
CHECK = "e1g3"


def chosen(*options: tuple[str, str], fen: str = ROOKS, limits: str = "nodes 100") -> str:
    """The choice where the inner engine likes a quiet move by five centipawns more than others.

    The player's own search proposes a check.
    """
    told = list[str]()
    chooser = Chooser(InnerEngine(valuer(f"{QUIET}=5")), told.append)
    for name, value in options:
        assert chooser.set_option(name, value)
    now = situation_of(chess.Board(fen), None, ())
    legal = list(now.board.legal_moves)
    turn = Turn(now, limits_in(limits.split(), Color.WHITE, pytest.fail), Event(), only=legal)
    proposed = [Line(0, (chess.Move.from_uci(move),), 1) for move in (CHECK, QUIET)]
    first = chooser.answer(turn, lambda: proposed)
    second = chooser.answer(turn, lambda: proposed)
    chooser.inner.close()
    assert first == QUIET, "nothing is known of the game yet"
    assert second is not None
    centipawns = 5 if second == QUIET else 0
    assert told[-1] == f"info depth 1 multipv 1 score cp {centipawns} nodes 1 pv {second}"
    return second


def test_where_the_game_is_level_the_score_decides_within_the_margin() -> None:
    assert chosen() == CHECK
    assert chosen(("margin", "5")) == CHECK
    assert chosen(("margin", "4")) == QUIET
    assert chosen(("band", "5")) == CHECK
    assert chosen(("band", "4")) == QUIET


def test_a_gain_must_be_worth_the_price() -> None:
    """The check makes G5.0, worth 1200/12; after the quiet move -G15.5 stands, worth 1200/33."""
    assert chosen(("price", "2700")) == CHECK
    assert chosen(("price", "2800")) == QUIET


def test_nothing_is_compared_while_a_reset_is_near_or_without_a_limit() -> None:
    men = "8/1pp3pp/3k4/8/2r5/8/3KR3/4B3 w - - {} 30"
    assert chosen(fen=men.format(9)) == QUIET
    assert chosen(fen=men.format(10)) == CHECK
    assert chosen(limits="mate 3") == QUIET


def test_its_own_search_ranks_the_moves(table_folder: Path) -> None:
    """The fake engine likes the move least that the search likes most."""
    position = f"position fen {ROOKS}"
    alone = dialogue(
        table_folder, None, "setoption name MultiPV value 4", position, "go nodes 10000"
    )
    (favourite,) = best(alone)
    quiet = next(move.uci() for move in chess.Board(ROOKS).legal_moves if move.uci() != favourite)
    lines = dialogue(table_folder, valuer(f"{quiet}=5"), position, "go nodes 1000", "go nodes 1000")
    assert best(lines) == [quiet, favourite]
    assert not infos(lines)


@pytest.mark.parametrize(
    ("fen", "liked", "played"),
    [
        ("8/8/1n6/8/3k4/1R6/8/K7 w - - 0 1", "a1a2", ["b3b6"]),
        ("8/8/8/3k4/8/1p6/K7/7r w - - 0 1", "a2b3", ["a2a3", "a2b2"]),
    ],
    ids=["a capture that wins", "a capture that loses"],
)
def test_no_move_is_played_that_tables_call_worse(
    table_folder: Path, fen: str, liked: str, played: list[str]
) -> None:
    lines = dialogue(table_folder, valuer(f"{liked}=900"), f"position fen {fen}", "go nodes 100")
    (move,) = best(lines)
    assert move in played


def test_no_move_is_played_that_solved_blocks_call_worse(
    table_folder: Path, tmp_path: Path
) -> None:
    fen = "8/8/8/2k5/3p4/3P4/4K3/8 w - - 0 1"
    for name in ("KvK", "KPvK"):
        shutil.copy(table_folder / f"{name}.h5", tmp_path)
    with PositionSolver(tmp_path) as solver:
        best_move, *others = solver.solve(fen).moves
    assert str(best_move.bracket) == "G0.5"
    assert {str(move.bracket) for move in others} == {"-G0.0"}
    liked = others[0].move.uci()
    steps = (f"position fen {fen}", "go nodes 100", "go movetime 500")
    lines = dialogue(tmp_path, valuer(f"{liked}=900"), *steps)
    assert lines.count("info string solved: G0.5") == 1  # a hurry leaves no time to load the blocks
    assert best(lines) == [best_move.move.uci(), liked]


@pytest.mark.parametrize("ponder", [False, True])
def test_python_chess_plays_five_games_without_a_complaint(
    table_folder: Path, caplog: pytest.LogCaptureFixture, ponder: bool
) -> None:
    draw = random.Random(5)
    limit = chess.engine.Limit(white_clock=60, black_clock=60, nodes=50)
    command = uci(table_folder, valuer(replies=True))
    with chess.engine.SimpleEngine.popen_uci(command, timeout=60) as engine:
        for number in range(5):
            board = chess.Board()
            while not board.is_game_over() and board.ply() < 40:
                played = engine.play(board, limit, game=number, ponder=ponder, info=INFO_ALL)
                assert played.move is not None
                assert played.info["pv"][0] == played.move
                board.push(played.move)
                if not board.is_game_over():
                    expected = played.ponder
                    other = draw.choice(list(board.legal_moves))
                    board.push(expected if expected is not None and draw.random() < 0.5 else other)
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.slow
def test_no_game_is_lost_on_time(table_folder: Path, tmp_path: Path) -> None:
    """Ten games at a second and a hundredth a move."""
    pgn = tmp_path / "games.pgn"
    match = [sys.executable, "-m", "tbgen", "match", *walker("Ann")]
    match += ["-engine", "name=player", f"cmd={sys.executable}"]
    match += [f"arg={word}" for word in uci(table_folder, valuer())[1:]]
    match += ["-each", "tc=1+0.01", "-rounds", "5", "-pgnout", str(pgn), "-quiet"]
    subprocess.run(match, check=True)
    games = pgn.read_text()
    assert games.count("[Termination ") == 10
    assert "time forfeit" not in games
