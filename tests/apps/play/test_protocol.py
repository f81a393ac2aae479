"""The player as other programs see it."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import pytest

from tbgen.apps.play.protocol import GoRequest, HostLine, Protocol
from tbgen.probe import Tablebase
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game
from tbgen.score import Color, Score
from tbgen.text import in_plies
from tests.apps.play.told import Told
from tests.positions import BISHOP, random_root
from tests.probe.tables_without import BEFORE_PROMOTION, without_promotions

ROOKS = "8/8/3k4/8/2r5/8/3KR3/4B3 w - - 4 30"


def said(folder: Path, *lines: str) -> list[str]:
    """The lines that the player answers to some lines, each after the answer to the one before."""
    out = list[str]()
    Protocol(folder, out.append).run(lines)
    return "\n".join(out).splitlines()


def moves_in(line: str) -> list[str]:
    """The moves of a line of `info`."""
    return line.partition(" pv ")[2].partition(" string ")[0].split()


def best(lines: list[str]) -> str:
    (line,) = (each for each in lines if each.startswith("bestmove "))
    return line.removeprefix("bestmove ")


def test_it_says_who_it_is_and_what_can_be_set(table_folder: Path) -> None:
    lines = said(table_folder, "uci", "isready")
    assert lines[0].startswith("id name tbgen ")
    assert "option name UCI_RMobility type check default false" in lines
    assert not any("Ponder" in line for line in lines)
    assert lines[-2:] == ["uciok", "readyok"]


@pytest.mark.parametrize(
    ("before", "position"),
    [
        ((), f"fen {BISHOP} G4.0"),
        (("setoption name Accrued value G4.0",), f"fen {BISHOP}"),
        ((), "fen 8/8/4K3/5B1k/8/8/8/8 b - - 32 29 G4.0 moves h5g5"),
    ],
)
def test_what_has_accrued_is_taken_from_wherever_it_stands(
    table_folder: Path, before: tuple[str, ...], position: str
) -> None:
    lines = said(table_folder, *before, f"position {position}", "go movetime 10")
    assert "info depth 5 multipv 1 score cp 44 pv e6e5 string G1.5 in 5 plies" in lines
    assert best(lines) == "e6e5"


def test_a_move_whose_line_leads_to_a_missing_table_is_played_without_a_line(
    table_folder: Path, tmp_path: Path
) -> None:
    folder = without_promotions(table_folder, tmp_path / "tables")
    lines = said(folder, f"position fen {BEFORE_PROMOTION}", "go movetime 10")
    assert not any("error" in line for line in lines)
    assert best(lines) == best(
        said(table_folder, f"position fen {BEFORE_PROMOTION}", "go movetime 10")
    )
    assert any(moves_in(line) == [best(lines)] for line in lines)


def test_several_lines_come_best_first_and_only_moves_that_were_named(
    table_folder: Path, tables: Tablebase
) -> None:
    moves = tables.probe_moves(chess.Board(BISHOP), Score("G4.0"))
    several = said(
        table_folder,
        "setoption name MultiPV value 3",
        f"position fen {BISHOP} G4.0",
        "go movetime 1",
    )
    shown = [(moves_in(line), line.partition(" string ")[2]) for line in several if " pv " in line]
    assert shown == [
        ([each.move.uci()], f"{each.outcome} in {in_plies(each.dtg or 0)}") for each in moves[:3]
    ]
    named = said(table_folder, f"position fen {BISHOP} G4.0", "go searchmoves f5g6 e6d5 movetime 1")
    expected = next(each.move.uci() for each in moves if each.move.uci() in ("f5g6", "e6d5"))
    assert best(named) == expected


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("8/8/8/8/8/1k6/2q5/K7 b - - 0 1", "mate 1"),
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "mate 16"),
        ("8/8/8/8/8/8/1Rk5/K7 b - - 0 1", "mate -16"),
        ("8/8/8/4KBk1/8/8/8/8 b - - 0 1", "cp -44"),
    ],
)
def test_a_mate_is_a_mate_and_other_outcomes_are_their_points(
    table_folder: Path, fen: str, score: str
) -> None:
    lines = said(table_folder, f"position fen {fen}", "go movetime 1")
    (line,) = [line for line in lines if " pv " in line]
    assert f" score {score} pv " in line


def test_without_end_the_answer_waits_for_stop(table_folder: Path) -> None:
    told = Told()

    def lines() -> Iterator[str]:
        for position, asked in (
            (ROOKS, "go infinite"),
            (f"{BISHOP} G4.0", "go infinite"),
            (f"{BISHOP} G4.0", "go ponder"),
        ):
            told.lines.clear()
            yield f"position fen {position}"
            yield asked
            yield "isready"
            told.wait_for(" pv ")
            assert not any("bestmove" in line for line in told.lines)
            yield "stop"
            told.wait_for("bestmove")

    Protocol(table_folder, told.write).run(lines())
    assert best(told.lines) == "e6e5"
    assert any("pondering is not offered" in line for line in told.lines)


@pytest.mark.parametrize(
    "wrong",
    [
        "position fen nonsense",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        f"position fen {BISHOP} moves e2e4",
        "setoption name Hash value 3",
        "setoption name MultiPV value x",
        "setoption name MultiPV value 999",
        "setoption name Accrued value 7",
        "go movetime x",
        "go searchmoves e2e5",
        "quite",
        "",
    ],
)
def test_what_makes_no_sense_is_told_and_the_player_goes_on(table_folder: Path, wrong: str) -> None:
    lines = said(table_folder, wrong, "isready", f"position fen {BISHOP} G4.0", "go movetime 1")
    assert "readyok" in lines
    assert lines[-1] == "bestmove e6e5"
    assert any(line.startswith("info string error: ") for line in lines) is bool(wrong)


@pytest.mark.parametrize(
    ("position", "move"),
    [
        ("8/8/8/8/8/5k2/5p2/5K2 w - - 0 1", "(none)"),
        ("nonsense", "(none)"),
        (f"{BISHOP} G0.0", "e6e5"),
        (f"{BISHOP} Gx", "e6e5"),
    ],
)
def test_a_game_that_is_over_has_no_move_and_none_is_lost_for_an_impossible_score(
    table_folder: Path, position: str, move: str
) -> None:
    out = said(table_folder, f"position fen {position}", "go")
    assert best(out) == move
    assert any(line.startswith("info string error: ") for line in out) is ("8/5k2" not in position)


def test_no_search_that_ends_by_itself_is_cut_short_by_the_next_command(table_folder: Path) -> None:
    """In a pipe all commands are there at once."""
    asked = f"position fen {ROOKS}", "go nodes 20000"
    alone = searched(said(table_folder, *asked))
    twice = searched(said(table_folder, *asked, *asked, "position startpos", "isready"))
    assert len(alone) > 1
    assert twice[: len(alone)] == alone
    assert int(twice[-1]["depth"]) >= int(alone[-1]["depth"]), (
        "what tables said the first time saves positions"
    )


def test_other_tables_are_opened_before_those_that_are_open_are_closed(
    table_folder: Path, tmp_path: Path
) -> None:
    position = f"position fen {BISHOP} G4.0"
    for path in ("", str(tmp_path / ("x" * 10_000))):
        lines = said(
            table_folder, f"setoption name TablePath value {path}", position, "go movetime 1"
        )
        assert lines[0].startswith("info string error: ")
        assert len(lines[0]) < 400
        assert any("G1.5 in 5 plies" in line for line in lines), "from tables"
        assert best(lines) == "e6e5"
    lines = said(table_folder, f"setoption name TablePath value {tmp_path}", position, "go nodes 1")
    bundled = "using those of two and three men that come with tbgen"
    assert lines[0] == f"info string no tables in {tmp_path}; {bundled}"
    assert best(lines) == "e6e5"
    lines = said(tmp_path, f"setoption name TablePath value {table_folder}", position, "go")
    assert best(lines) == "e6e5"


def test_a_position_whose_table_is_damaged_is_searched(table_folder: Path, tmp_path: Path) -> None:
    for path in table_folder.glob("K*.h5"):
        content = path.read_bytes()
        if path.name.startswith("KBvK"):
            content = content[:-1000]
        (tmp_path / path.name).write_bytes(content)
    lines = said(tmp_path, f"position fen {BISHOP} G4.0", "go depth 1")
    assert lines[0].startswith("info string error: ")
    assert "info string no table has this position, so it is searched" in lines
    assert chess.Move.from_uci(best(lines)) in chess.Board(BISHOP).legal_moves


def searched(lines: list[str]) -> list[dict[str, str]]:
    """The facts in the `info` lines of a search, without times."""
    found = list[dict[str, str]]()
    for line in lines:
        if not line.startswith("info depth "):
            continue
        head, _, pv = line.removeprefix("info ").partition(" pv ")
        words = head.replace("score cp ", "cp ").replace("score mate ", "mate ").split()
        facts = dict(zip(words[::2], words[1::2], strict=True))
        facts.pop("time", None)
        facts.pop("nps", None)
        facts["pv"] = pv
        found.append(facts)
    return found


def test_where_no_depth_can_be_searched_it_plays_for_few_moves_and_says_that_it_guesses(
    table_folder: Path,
) -> None:
    lines = said(table_folder, "position fen 8/8/8/8/8/1k6/1r6/KR6 w - - 0 1", "go nodes 1")
    assert "info string no depth could be searched, so the move is a guess" in lines
    assert best(lines) == "b1b2"


@pytest.mark.parametrize(
    "limits",
    [
        "depth 3",
        "nodes 3000",
        "mate 1",
        "movetime 60",
        "wtime 1500 btime 1 winc 10 movestogo 20",
        "",
    ],
)
def test_a_search_keeps_every_limit(table_folder: Path, limits: str) -> None:
    lines = said(table_folder, f"position fen {ROOKS}", f"go {limits}")
    assert chess.Move.from_uci(best(lines)) in chess.Board(ROOKS).legal_moves
    if "nodes" in limits:
        assert all(int(each["nodes"]) <= 3000 for each in searched(lines))
    if "depth" in limits:
        assert searched(lines)[-1]["depth"] == "3"


def test_a_search_finds_a_mate_and_counts_its_moves(table_folder: Path) -> None:
    lines = said(table_folder, "position fen 7k/8/5K2/8/8/8/7p/1R6 w - - 0 1", "go depth 3")
    assert "mate" not in searched(lines)[0]
    assert searched(lines)[-1]["mate"] == "2"
    assert best(lines) == "f6g6"
    lost = said(table_folder, "position fen 7k/8/6K1/8/8/8/7p/1R6 b - - 0 1", "go depth 2")
    assert searched(lost)[-1]["mate"] == "-1"


def test_what_has_accrued_counts_in_a_search(table_folder: Path) -> None:
    values = [
        int(searched(said(table_folder, f"position fen {ROOKS} {accrued}", "go depth 2"))[-1]["cp"])
        for accrued in ("G1.0", "G3.0", "-G3.0", "-G1.0")
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] - values[-1] > 300


@pytest.mark.parametrize("side", chess.COLORS)
def test_against_moves_at_random_it_keeps_what_the_tables_promise(
    table_folder: Path, tables: Tablebase, side: chess.Color
) -> None:
    draw = random.Random(9)
    for number in range(12):
        start = random_root(draw, "Kk" + "QRBNP"[number % 5])
        promised = tables.probe(start).outcome
        game = Game(start, fifty_moves=FiftyMoves(FiftyMoveSetting.NONE))
        told = Told()
        Protocol(table_folder, told.write).run(lines_of_a_game(game, side, draw, told))
        player = Color.of(side)
        assert game.accrued.worth_to(player) >= promised.worth_to(player), start.fen()


def lines_of_a_game(
    game: Game, side: chess.Color, draw: random.Random, told: Told
) -> Iterator[str]:
    """Ask the player for the moves of a side, and play the other's at random, to the end."""
    start = game.board.fen()
    while game.ended is None:
        if game.board.turn is not side:
            game.push(draw.choice(list(game.board.legal_moves)))
            continue
        moves = [ply.move.uci() for ply in game.plies if ply.move is not None]
        position = ["position", "fen", start]
        if moves:
            position += ["moves", *moves]
        yield " ".join(position)
        told.lines.clear()
        yield "go movetime 1"
        told.wait_for("bestmove")
        game.push(chess.Move.from_uci(best(told.lines)))


CASTLING = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
ROOK_BESIDE_KING = "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w KQkq - 0 1"


@pytest.mark.parametrize(
    ("option", "position", "only", "move"),
    [
        ("true", CASTLING, "e1h1", "e1h1"),
        ("true", f"{CASTLING} moves e1h1", "e8a8", "e8a8"),
        ("true", ROOK_BESIDE_KING, "d1g1", "d1g1"),
        ("false", CASTLING, "e1g1", "e1g1"),
        ("false", CASTLING, "e1h1", "e1g1"),
    ],
)
def test_castling_is_written_as_the_option_for_chess960_says(
    tmp_path: Path, option: str, position: str, only: str, move: str
) -> None:
    lines = said(
        tmp_path,
        f"setoption name UCI_Chess960 value {option}",
        f"position fen {position}",
        f"go depth 2 searchmoves {only}",
    )
    assert best(lines) == move
    assert all(moves_in(line)[0] == move for line in lines if " pv " in line)
    assert not any("guess" in line for line in lines)


def test_a_host_that_knows_chess960_plays_it_with_the_player(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tbgen", "uci", "--data", str(tmp_path)]
    board = chess.Board(ROOK_BESIDE_KING, chess960=True)
    castling = chess.Move.from_uci("d1g1")
    with chess.engine.SimpleEngine.popen_uci(command, timeout=60) as engine:
        for _ in range(2):
            result = engine.play(board, chess.engine.Limit(nodes=2000), root_moves=[castling])
            assert result.move == castling


ENDLESS = "go nodes 99999999999999999999"


@pytest.mark.parametrize("last", ["stop", "quit", "end of input"])
def test_a_search_that_another_waits_for_ends_when_the_host_wants_it(
    tmp_path: Path, last: str
) -> None:
    told = Told()

    def lines() -> Iterator[str]:
        yield "position startpos"
        yield ENDLESS
        told.wait_for(" pv ")
        yield "go nodes 100"
        yield "isready"
        if last == "stop":
            yield "stop"
            told.wait_for("bestmove")
        elif last == "quit":
            yield "quit"

    protocol = Protocol(tmp_path, told.write, end_seconds=1.0, quit_seconds=1.0)
    run = threading.Thread(target=protocol.run, args=(lines(),), daemon=True)
    run.start()
    run.join(60)
    assert not run.is_alive()
    assert sum(line.startswith("bestmove ") for line in told.lines) == 2


def test_commands_behind_a_search_are_obeyed_in_their_order(table_folder: Path) -> None:
    asked = (
        "position startpos",
        "go nodes 3000",
        "setoption name MultiPV value 2",
        f"position fen {BISHOP} G4.0",
        "go movetime 10",
        "isready",
    )
    lines = said(table_folder, *asked)
    moves = [line for line in lines if line.startswith("bestmove ")]
    assert chess.Move.from_uci(moves[0].split()[1]) in chess.Board().legal_moves
    assert moves[1] == "bestmove e6e5"
    assert sum(" multipv 2 " in line for line in lines) == 1
    assert lines.index("readyok") > lines.index(moves[0])


def test_a_search_that_is_asked_for_as_another_ends_is_not_forgotten(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = list[threading.Thread]()
    is_asked = threading.Event()
    usual = vars(Protocol)["_next_search"]

    def asked_again(protocol: Protocol) -> object:
        search = usual(protocol)
        if not workers:
            workers.append(threading.current_thread())
            vars(Protocol)["_take"](protocol, HostLine("go", ["infinite"], GoRequest(["infinite"])))
            is_asked.set()
        return search

    def lines() -> Iterator[str]:
        yield f"position fen {BISHOP}"
        yield "go movetime 10"
        assert is_asked.wait(300)
        workers[0].join()
        yield "stop"

    monkeypatch.setattr(Protocol, "_next_search", asked_again)
    out = list[str]()
    Protocol(table_folder, out.append).run(lines())
    assert "\n".join(out).count("bestmove ") == 2


def test_a_player_whose_host_has_died_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tbgen", "uci", "--data", str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as player:
        assert player.stdin is not None
        assert player.stdout is not None
        player.stdin.write(f"position startpos\n{ENDLESS}\ngo nodes 5\n")
        player.stdin.flush()
        while " pv " not in player.stdout.readline():
            pass
        player.stdout.close()
        player.stdin.close()
        player.wait(90)
