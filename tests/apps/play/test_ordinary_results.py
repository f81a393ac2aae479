"""With an inner engine that knows no chess, the player keeps every result that tables know."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import pytest

from tbgen.apps.play.inner import InnerEngine
from tbgen.apps.play.protocol import Protocol
from tbgen.material import Material, Scope
from tbgen.probe import Tablebase
from tbgen.rules.position import accruable, bare_sides, own_score, play_move
from tbgen.score import Color, Score
from tests.apps.play.test_inner import best, valuer
from tests.apps.play.told import Told
from tests.positions import random_root


def result_to(outcome: Score, side: Color) -> int:
    """1 for a win in ordinary chess, -1 for a loss, else 0."""
    if not outcome.is_mate:
        return 0
    return 1 if outcome.holder is side else -1


def drawn_lots(judge: Tablebase, number: int) -> list[tuple[chess.Board, Score]]:
    """Random positions of its tables, half of them with an accrued score."""
    draw = random.Random(104)
    materials = list[Material]()
    for material in judge.available():
        if material.men > 2 and material.scope is Scope.ALL:
            materials.append(material)
    positions = list[tuple[chess.Board, Score]]()
    for count in range(number):
        board = random_root(draw, draw.choice(materials))
        accrued = own_score(board)
        if count % 2:
            board.halfmove_clock = 30
            accrued = draw.choice(accruable(accrued, bare_sides(board)))
        positions.append((board, accrued))
    return positions


def played(folder: Path, positions: Sequence[tuple[chess.Board, Score]]) -> list[str]:
    """The player's moves."""
    told = Told()
    moves = list[str]()

    def lines() -> Iterator[str]:
        for board, accrued in positions:
            told.lines.clear()
            yield f"position fen {board.fen()} {accrued}"
            yield "go nodes 100"
            told.wait_for("bestmove ")
            moves.extend(best(told.lines))

    Protocol(folder, told.write, InnerEngine(valuer())).run(lines())
    return moves


def check_results(folder: Path, judge: Tablebase, number: int) -> None:
    positions = drawn_lots(judge, number)
    results = set[int]()
    for (board, accrued), move in zip(positions, played(folder, positions), strict=True):
        mover = Color.of(board.turn)
        before = result_to(judge.probe(board, accrued).outcome, mover)
        after = board.copy(stack=False)
        _, reached, _ = play_move(after, chess.Move.from_uci(move.split()[0]), accrued)
        end = reached
        if any(after.legal_moves):
            end = judge.probe(after, reached).outcome
        assert result_to(end, mover) == before, f"{board.fen()} {accrued}: {move}"
        results.add(before)
    assert results == {1, 0, -1}


def test_no_result_of_three_men_is_given_away(table_folder: Path, tables: Tablebase) -> None:
    check_results(table_folder, tables, 100)


@pytest.mark.usefixtures("unbundled")
def test_none_is_given_away_by_outcomes_alone(
    table_folder: Path, tables: Tablebase, tmp_path: Path
) -> None:
    for path in table_folder.glob("*.h5"):
        if not path.name.endswith(".dtg.h5"):
            shutil.copy(path, tmp_path)
    check_results(tmp_path, tables, 40)


@pytest.mark.given_tables
def test_no_result_of_given_tables_is_given_away(given_folder: Path) -> None:
    with Tablebase(given_folder, outcomes_only=True) as judge:
        assert {material.men for material in judge.available()} >= {3, 4, 5}
        check_results(given_folder, judge, 2000)
