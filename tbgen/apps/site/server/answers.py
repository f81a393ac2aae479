"""Answers: what is said of a position, of the same position with every accrued score, and of a line."""

from __future__ import annotations

import json
from typing import Any

import chess

from tbgen.apps.play.within import value_if_asked
from tbgen.apps.site.server.asked import Asked, position_in_line
from tbgen.errors import MissingTableError, TableError, TbgenError, UnreadableFileError
from tbgen.probe import Tablebase
from tbgen.probe.answers import moves_facts
from tbgen.probe.notation import pgn_of
from tbgen.rules.points import Scoring
from tbgen.rules.stage import FiftyMoves

_PRIVATE = ("folder", "path")
"""What an error carries of the machine that it happened on, and what no stranger is told."""


def answer_of(
    tables: Tablebase, asked: Asked, scoring: Scoring, fifty: FiftyMoves | None = None, *, brief: bool, strip: bool
) -> dict[str, Any]:
    """The value of a position, of its moves unless that is too much, and if asked for with every accrued score."""
    facts = _position_facts(tables, asked, scoring, fifty)
    if not brief:
        facts["moves"] = moves_facts(tables.probe_moves(asked.board, asked.accrued), scoring)
    if strip:
        facts["strip"] = strip_of(tables, asked.board)
    return facts


def _position_facts(tables: Tablebase, asked: Asked, scoring: Scoring, fifty: FiftyMoves | None) -> dict[str, Any]:
    """The value of a position, and what a fifty-move rule makes of it if one is asked for."""
    found = tables.probe(asked.board, asked.accrued)
    clocked = value_if_asked(tables, found, asked.board, fifty, unasked=False)
    return {**found.facts(scoring), **({} if clocked is None else clocked.facts())}


def strip_of(tables: Tablebase, board: chess.Board) -> list[dict[str, Any]]:
    """What the position is worth with each score that can have accrued in it, the best one for White first."""
    return [
        {"accrued": str(each.accrued), "outcome": str(each.outcome), "dtg": each.dtg}
        for each in tables.probe_every_accrued(board)
    ]


def line_of(
    tables: Tablebase, asked: Asked, scoring: Scoring, fifty: FiftyMoves | None, most_plies: int
) -> dict[str, Any]:
    """Best play by both sides, as JSON."""
    facts = _position_facts(tables, asked, scoring, fifty)
    steps = tables.line(asked.board, asked.accrued, max_plies=most_plies)
    return {**facts, "line": [step.facts() for step in steps]}


def line_as_pgn(tables: Tablebase, asked: Asked, scoring: Scoring, fifty: FiftyMoves | None, most_plies: int) -> str:
    """The same as a game."""
    answer = tables.probe(asked.board, asked.accrued)
    clocked = value_if_asked(tables, answer, asked.board, fifty, unasked=False)
    steps = tables.line(asked.board, asked.accrued, max_plies=most_plies)
    clock = str(clocked) if clocked is not None and clocked.matters else None
    return pgn_of(asked.board, answer, steps, scoring, clock=clock) + "\n"


def answers_to(tables: Tablebase, lines: list[str], scoring: Scoring, *, brief: bool, strip: bool) -> bytes:
    """An answer to each line that is not empty, in their order; one that makes no sense has its error in its place."""
    rows = []
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        try:
            facts = answer_of(tables, position_in_line(line), scoring, brief=brief, strip=strip)
        except TbgenError as error:
            facts = {"fen": line, **error_facts(error)}
        rows.append(json.dumps({"line": number, **facts}))
    return "".join(f"{row}\n" for row in rows).encode()


def error_facts(error: TbgenError) -> dict[str, Any]:
    """An error as JSON has it, without what it says of this machine.

    >>> error_facts(MissingTableError("KRvK", "/secret"))
    {'error': 'MissingTableError', 'message': 'no table KRvK; build it with: tbgen build KRvK', 'material': 'KRvK'}
    >>> error_facts(MissingTableError("KRvK", "/it's secret/whole-game"))["message"]
    'no table KRvK; build it with: tbgen build KRvK --game whole-game'
    """
    facts = (error.for_strangers() if isinstance(error, MissingTableError) else error).facts()
    if isinstance(error, (TableError, UnreadableFileError)):
        for private in filter(None, [facts.pop(name, None) for name in _PRIVATE]):
            facts["message"] = facts["message"].replace(f" in {private}", "").replace(private, "of the server")
    return facts
