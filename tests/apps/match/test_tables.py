from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import chess
import chess.syzygy
import pytest

from tbgen.apps.games.tags import Source
from tbgen.apps.match.sheet import Ending
from tbgen.apps.match.tables import Decider, Tables, syzygy_decider, table_decider
from tbgen.errors import UnreadableFileError
from tbgen.rules.game import Game
from tbgen.score import Score

ROOK = "8/8/4k3/8/8/8/1R6/K7 w - - {} 90"


class Oracle:
    """Stands in for Syzygy tables: knows rook endings with one value."""

    value = 2

    def add_directory(self, folder: str, *, load_dtz: bool) -> int:
        return 1

    def probe_wdl(self, board: chess.Board) -> int:
        if board.queens:
            raise ValueError("damaged")
        if not board.rooks:
            raise chess.syzygy.MissingTableError
        return self.value if board.turn == chess.WHITE else -self.value

    def close(self) -> None:
        """Nothing to close."""


def asked(decider: Decider, game: Game) -> Ending | None:
    return asyncio.run(Tables([decider]).ask(game))


def by_syzygy(
    monkeypatch: pytest.MonkeyPatch, folder: Path, fen: str, value: int, *, ignore: bool = False
) -> Ending | None:
    monkeypatch.setattr(chess.syzygy, "Tablebase", Oracle)
    monkeypatch.setattr(Oracle, "value", value)
    with syzygy_decider(str(folder), 4, ignore_fifty_moves=ignore) as decide:
        return asked(decide, Game(chess.Board(fen)))


@pytest.mark.parametrize(
    ("fen", "value", "ignore", "decided"),
    [
        (ROOK.format(0), 2, False, True),
        (ROOK.format(7), 2, False, False),
        (ROOK.format(7), 2, True, True),
        (ROOK.format(0), 1, False, False),
        (ROOK.format(0), 1, True, True),
        (ROOK.format(0), 0, True, False),
        ("8/8/4k3/8/8/8/1B6/K7 w - - 0 1", 2, False, False),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 2, False, False),
        ("rr2k3/8/8/8/8/8/8/KR6 w - - 0 1", 2, False, False),
    ],
)
def test_syzygy_decides_wins_where_its_tables_are_exact_and_know_them(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    fen: str,
    value: int,
    ignore: bool,
    decided: bool,
) -> None:
    for sign, score in ((1, "G0.0"), (-1, "-G0.0")):
        decision = by_syzygy(monkeypatch, tmp_path, fen, sign * value, ignore=ignore)
        found = decision and (str(decision.outcome), decision.source, decision.table)
        assert found == ((score, Source.RESULT, None) if decided else None)


def test_a_damaged_syzygy_table_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="a Syzygy table for KQvK: damaged"):
        by_syzygy(monkeypatch, tmp_path, "8/8/4k3/8/8/8/1Q6/K7 w - - 0 90", 2)


def test_tables_are_asked_from_so_many_men_on_where_they_know_the_position(
    table_folder: Path,
) -> None:
    held = Game(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"), accrued=Score("G4.0"))
    unknown = map(
        chess.Board, ("8/8/4K3/5Bk1/8/8/6p1/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    )
    games = [held, *map(Game, unknown)]
    for men, answers in ((2, [None, None, None]), (5, [("G1.5", "KBvK 5"), None, None])):
        with table_decider(str(table_folder), men) as decide:
            found = [asked(decide, game) for game in games]
        assert [each and (str(each.outcome), each.table) for each in found] == answers


def test_other_games_go_on_while_tables_are_asked() -> None:
    asked = threading.Event()
    answered = threading.Event()

    def decide(game: Game) -> None:
        asked.set()
        assert answered.wait(10)

    async def play() -> None:
        asking = asyncio.create_task(Tables([(32, decide)]).ask(Game()))
        while (
            not asked.is_set()
        ):  # of which the loop would not return if it waited for the tables itself
            await asyncio.sleep(0)
        answered.set()
        assert await asking is None

    asyncio.run(play())
