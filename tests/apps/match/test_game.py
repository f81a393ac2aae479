"""One game at a time, with players that are lists of moves."""

from __future__ import annotations

import asyncio
from typing import cast

import chess
import pytest
from chess.engine import Cp, Mate

from tbgen.apps.games.tags import Source
from tbgen.apps.match.control import Clock
from tbgen.apps.match.engine import Answer, EngineProcess
from tbgen.apps.match.game import play
from tbgen.apps.match.info import Evaluation
from tbgen.apps.match.openings import Opening
from tbgen.apps.match.settings import PlayRules, Resign
from tbgen.apps.match.sheet import ADJUDICATION, Ending, Sheet
from tbgen.apps.match.tables import Tables
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game
from tbgen.score import Color, Score
from tests.apps.match.matches import sheet_of

SHUFFLE = "g1f3 g8f6 f3g1 f6g8 " * 3


class Reciter:
    """Plays a line by heart, whichever side it has."""

    def __init__(self, line: str, evaluations: dict[int, Evaluation] | None = None) -> None:
        self._line = line.split()
        self._evaluations = evaluations or {}

    async def think(self, board: chess.Board, clock: Clock, other: Clock) -> Answer:
        ply = len(board.move_stack)
        move = chess.Move.from_uci(self._line[ply])
        return Answer(move, 0.0, self._evaluations.get(ply + 1, Evaluation()), clock.remaining)


def played(
    game: Game,
    line: str,
    rules: PlayRules | None = None,
    evaluations: dict[int, Evaluation] | None = None,
    tables: Tables | None = None,
) -> tuple[Ending, Sheet]:
    sheet = sheet_of(game, Opening(), rules)
    player = cast("EngineProcess", Reciter(line, evaluations))
    return asyncio.run(play(sheet, (player, player), tables or Tables(), lambda _: None)), sheet


MATE = "f2f3 e7e5 g2g4 d8h4"


@pytest.mark.parametrize(
    ("game", "line", "details", "plies"),
    [
        (Game(), SHUFFLE, "threefold repetition", 8),
        (Game(), MATE, "checkmate", 4),
        (Game(chess.Board("8/8/2k5/8/8/5K2/8/8 w - - 0 1")), "f3f4 c6c5 f4f3", "bare kings", 2),
    ],
)
def test_the_rules_end_a_game_with_its_accrued_score(
    game: Game, line: str, details: str, plies: int
) -> None:
    """Bare kings have two legal positions with eight moves in a row."""
    ending, sheet = played(game, line)
    assert (ending.details, ending.source, ending.termination) == (details, Source.GAME, "normal")
    assert (ending.outcome, sheet.game.last.number) == (sheet.game.accrued, plies)


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/4K1k1/8/8/8/8 b - - 0 1",
        "8/8/8/3NK1k1/8/8/8/8 b - - 0 1",
        "8/8/8/3BK1k1/8/8/8/8 b - - 0 1",
    ],
)
def test_what_ordinary_chess_calls_dead_is_played_on(fen: str) -> None:
    """A king and at most a minor piece: python-chess would call it a draw."""
    board = chess.Board(fen)
    assert board.is_insufficient_material()
    ending, sheet = played(Game(board), "g5g6 e5f4 g6g7 f4f5 g7g8", PlayRules(most_moves=2))
    assert (sheet.game.last.number, ending.details) == (4, "move limit of 2")


SLOW = "8/8/4k3/8/8/8/1R6/K7 w - - 98 90"


@pytest.mark.parametrize(
    ("setting", "plies", "details"),
    [
        (FiftyMoveSetting.FIDE, 2, "fifty moves"),
        (FiftyMoveSetting.LEGACY, 2, "fifty moves"),
        (FiftyMoveSetting.RESET, 6, "move limit of 3"),
        (FiftyMoveSetting.NONE, 6, "move limit of 3"),
    ],
)
def test_the_four_fifty_move_rules_end_a_game_in_their_own_way(
    setting: FiftyMoveSetting, plies: int, details: str
) -> None:
    """Ply 1 improves the score to G5.5, below the cutoff.

    The counter starts anew under `reset` alone.
    """
    fifty = FiftyMoves(setting)
    ending, sheet = played(
        Game(chess.Board(SLOW), fifty_moves=fifty),
        "b2d2 e6e5 a1b1 e5e4 b1c1 e4e3",
        PlayRules(fifty, most_moves=3),
    )
    assert (ending.details, sheet.game.last.number) == (details, plies)


LOST = Evaluation(Cp(-800))
HOPEFUL = Evaluation(Cp(-799))


@pytest.mark.parametrize(
    ("evaluations", "plies"),
    [
        ({2: LOST, 4: LOST}, 4),
        ({1: LOST, 2: LOST, 4: LOST}, 4),
        ({2: LOST, 4: Evaluation(), 6: LOST}, 8),
        ({2: LOST, 4: HOPEFUL}, 8),
        ({2: Evaluation(Mate(-3)), 4: Evaluation(Mate(-2))}, 4),
    ],
)
def test_a_side_resigns_after_so_many_moves_without_hope(
    evaluations: dict[int, Evaluation], plies: int
) -> None:
    ending, sheet = played(Game(), SHUFFLE, PlayRules(resign=Resign(2, 800)), evaluations)
    assert sheet.game.last.number == plies
    if plies == 4:
        assert (str(ending.outcome), ending.source, ending.details) == (
            "G0.0",
            Source.RESULT,
            "Black resigns",
        )


class Oracle:
    """Knows the outcome from some ply on."""

    def __init__(self, ply: int) -> None:
        self._ply = ply
        self.asked = 0

    def decide(self, game: Game) -> Ending | None:
        self.asked += 1
        if game.last.number < self._ply:
            return None
        return Ending(
            Score(3, Color.BLACK),
            Source.TABLEBASE,
            ADJUDICATION,
            "tablebase -G1.5 in 5 plies",
            table="KBvK 5",
        )


@pytest.mark.parametrize(
    ("ply", "line", "source", "details"),
    [
        (3, SHUFFLE, Source.TABLEBASE, "tablebase -G1.5 in 5 plies"),
        (4, MATE, Source.GAME, "checkmate"),
    ],
)
def test_tables_end_a_game_as_soon_as_they_know_it_unless_the_rules_have(
    ply: int, line: str, source: Source, details: str
) -> None:
    oracle = Oracle(ply)
    tables = Tables([(32, oracle.decide)])
    ending, _ = played(Game(), line, PlayRules(), tables=tables)
    assert (ending.source, ending.details, oracle.asked) == (source, details, 3)
