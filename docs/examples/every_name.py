"""A user's program that uses every public name of tbgen.

mypy checks it strictly, and a test runs it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable

import chess

import tbgen


def what_tables_say(tables: tbgen.Tablebase) -> str:
    """A position, its moves, a line, and many positions at once."""
    found: tbgen.Probe = tables["8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]
    move: tbgen.MoveProbe = found.best[0]
    step: tbgen.LineStep = tables.line("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", tbgen.Score("G4.0"))[0]
    many: tbgen.BulkProbe = tables.probe_many(["8/8/8/4KBk1/8/8/8/8 b - - 0 1", chess.Board()])
    material: tbgen.Material = found.material
    faults = list[tbgen.Fault]()
    for number in range(len(many)):
        fault = many.fault_of(number)
        if fault is not tbgen.Fault.NONE:
            faults.append(fault)
    return f"{material} {found}, {move.san} {step.dtg}, {many.rank[0]}, {faults[0]}"


def what_a_game_says(tables: tbgen.Tablebase) -> str:
    """A game with its score, and the decision of a referee."""
    game = tbgen.Game(fifty_moves=tbgen.FiftyMoves("fide"), mobility=tbgen.Mobility.RESET)
    last: tbgen.Ply = game.push_line("1. f3 e5 2. g4 Qh4")[-1]
    end: tbgen.End | None = last.end
    verdict = tbgen.Adjudicator(tables).decide(game)
    white, black = tbgen.Scoring("harmonic").points(last.accrued)
    return f"{end and end.value} {verdict.final} {white}-{black}"


def what_a_board_says() -> str:
    """The rules alone: what a position is worth, and what moves make of it."""
    board, carried = tbgen.parse_fen("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0")
    reached = tbgen.play_move(board, board.parse_san("Ke5"), carried or tbgen.own_score(board))
    to_move = tbgen.Color.of(board.turn)
    return f"{to_move}: {tbgen.format_fen(board, reached.accrued)}, {tbgen.own_score(board)}"


def what_is_held() -> str:
    """A perpetual check, proved without tables."""
    perpetual = chess.Board("6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1")
    return tbgen.hold(perpetual, tbgen.Color.WHITE, goal="draw").verdict.value


def what_is_built_and_proved() -> str:
    """A table that is made here, and what is wrong with it."""
    with tempfile.TemporaryDirectory() as folder:
        made = tbgen.build_tables(["KvK"], folder, progress=lambda material, done: None)
        reports = tbgen.verify_tables(made, folder)
        return ", ".join(f"{report.material} {report.violation}" for report in reports)


def what_is_searched(folder: str) -> str:
    """The bounds of a position with more men than tables have, whose pawns stand for ever."""
    position = "8/8/k2p1p2/p1pPpPp1/P1P1P1P1/K7/8/8 w - - 0 1"
    bounds = tbgen.solve(position, folders=folder, budget=100).bracket
    return f"{bounds.lower} to {bounds.upper}"


def what_a_file_says(path: str) -> str:
    """The games of a PGN file."""
    results = list[str]()
    for game in tbgen.read_games(path):
        if isinstance(game, tbgen.TbgenError):
            results.append(str(game))
        else:
            results.append(str(game.final))
    return ", ".join(results)


def refused(ask: Callable[[], object]) -> str:
    """What kind of error a question is."""
    try:
        ask()
    except tbgen.MissingTableError as error:
        return f"no {error.material}"
    except (tbgen.InputError, tbgen.TableError) as error:
        return f"exit code {error.exit_code}"
    return "nothing"


def main(folder: str, pgn: str) -> None:
    print("tbgen", tbgen.__version__.split(".")[0])
    with tbgen.open_tablebase(folder) as tables:
        print(what_tables_say(tables))
        print(what_a_game_says(tables))
        print(
            refused(lambda: tables["8/8/8/4KBkq/8/8/8/8 w - - 0 1"]),
            refused(lambda: tbgen.Score("4")),
            sep=", ",
        )
    print(what_a_board_says())
    print(what_is_held())
    print(what_is_built_and_proved())
    print(what_is_searched(folder))
    print(what_a_file_says(pgn))


if __name__ == "__main__":
    main(*sys.argv[1:])
