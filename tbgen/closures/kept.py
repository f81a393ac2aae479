"""Kept answers: what a solve has found, for a later one, a player and a server.

An answer holds as long as the tables that it rests on are the same. Then a proved value stays one.
Bounds are those that a solve with the same budget would find again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import chess

from tbgen.closures.bracket import Bracket, MoveBracket, Solution, SolvePlan
from tbgen.closures.store import BlockStore, key_of
from tbgen.material import Material
from tbgen.probe.answers import At, LineStep
from tbgen.probe.opened import OpenTables
from tbgen.rules.position import board_after, own_of
from tbgen.score import Score


class AskedWith(NamedTuple):
    """What an answer depends on, besides the tables that it rests on."""

    syzygy: str
    """The folders of Syzygy tables."""
    others: str
    """What bounds alone depend on."""


@dataclass(frozen=True)
class KeptAnswer:
    """The answer of an earlier solve."""

    solution: Solution
    settings: "AskedWith"
    asked_line: bool
    """Whether a line was looked for."""


class KeptAnswers:
    """The answers in a store.

    Arguments:
        store: Has them.
        tables: An answer that rests on others is not found.
    """

    def __init__(self, store: BlockStore, tables: OpenTables) -> None:
        self._store = store
        self._tables = tables

    def find(self, board: chess.Board, accrued: Score) -> KeptAnswer | None:
        """The answer for a position; None if there is none, or if a table has changed."""
        kept = self._store.answer(_question(board, accrued))
        if kept is None:
            return None
        for name, digest in kept["tables"].items():
            if self._tables.digest(Material.parse(name)) != digest:
                return None
        solution = _solution(kept, board, accrued)
        return KeptAnswer(solution, AskedWith(*kept["settings"]), kept["asked_line"])

    def keep(
        self,
        solution: Solution,
        settings: AskedWith,
        tables: Mapping[str, str],
        *,
        asked_line: bool,
    ) -> None:
        """Keep an answer that rests on some tables, given as [name] -> digest.

        Bounds do not replace a proved value.
        """
        board = chess.Board(solution.fen)
        before = self.find(board, solution.accrued)
        is_proved = before is not None and before.solution.bracket.is_exact
        if is_proved and not solution.bracket.is_exact:
            return
        moves = []
        for move in solution.moves:
            moves.append([move.move.uci(), *map(str, move.bracket.ends), move.best])
        line = None
        if solution.line is not None:
            line = [step.move.uci() for step in solution.line]
        kept = {
            "tables": tables,
            "settings": settings,
            "asked_line": asked_line,
            "bracket": [str(end) for end in solution.bracket.ends],
            "moves": moves,
            "plan": asdict(solution.plan),
            "line": line,
        }
        self._store.put_answer(_question(board, solution.accrued), kept)


def _question(board: chess.Board, accrued: Score) -> str:
    """The key of the answer for a position."""
    return key_of([board.epd(), str(accrued)])


def _solution(kept: Mapping[str, Any], board: chess.Board, accrued: Score) -> Solution:
    """The solution that was kept of a position."""
    bracket = _bracket(*kept["bracket"])
    moves = list[MoveBracket]()
    for uci, lower, upper, best in kept["moves"]:
        move = chess.Move.from_uci(uci)
        moves.append(MoveBracket(move, board.san(move), _bracket(lower, upper), best=best))
    line = None
    if kept["line"] is not None:
        line = line_of(board, accrued, bracket.lower, map(chess.Move.from_uci, kept["line"]))
    plan = kept["plan"] | {"missing": tuple(kept["plan"]["missing"])}
    return Solution(board.fen(), accrued, bracket, moves, SolvePlan(**plan), 0.0, line)


def _bracket(lower: str, upper: str) -> Bracket:
    return Bracket(Score(lower), Score(upper))


def line_of(
    board: chess.Board, accrued: Score, value: Score, moves: Iterable[chess.Move]
) -> list[LineStep]:
    """The steps of a line of moves, all of which keep the value of a position."""
    steps = list[LineStep]()
    for move in moves:
        after = board_after(board, move)
        own = own_of(after)
        is_reset = board.is_zeroing(move)
        at = At(board, None if is_reset else accrued, own)
        steps.append(LineStep(value, None, move.uci(), is_reset, best=False, keeps=True, at=at))
        accrued = own if is_reset else accrued.after(own, reset=False)
        board = after
    return steps
