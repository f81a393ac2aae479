"""Pages of the server that need no script.

They are the plain explorer, and those for a broken link and for a foreign name of the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import chess

from tbgen.apps.play.within import value_if_asked
from tbgen.apps.site.answers import error_facts
from tbgen.apps.site.parameters import position_in
from tbgen.apps.site.templates import template_of
from tbgen.errors import TbgenError
from tbgen.probe import MoveProbe, Tablebase
from tbgen.rules.points import Scheme, Scoring, format_points
from tbgen.rules.position import board_after


def plain_page(tables: Tablebase, given: Mapping[str, str]) -> tuple[TbgenError | None, str]:
    """A page for a request, which shows an error instead of an answer."""
    template = template_of("plain.html")
    if not given:
        return None, template.render(title="Look up a position")
    try:
        board, accrued = position_in(given)
        probe = tables.probe(board, accrued)
        moves = tables.probe_moves(board, accrued)
    except TbgenError as error:
        message = error_facts(error)["message"]
        return error, template.render(given, title="No answer", error=message)
    clocked = value_if_asked(tables, probe, board, None, unasked=True)
    if clocked is not None and not clocked.matters:
        clocked = None
    page = template.render(
        title=probe.outcome,
        fen=board.fen(),
        accrued="" if accrued is None else accrued,
        answer=probe,
        board=board,
        clock=clocked,
        points=format_points(Scoring().points(probe.outcome), Scheme.EXPONENTIAL),
        moves=[(move, _query_after(board, move)) for move in moves],
    )
    return None, page


def _query_after(board: chess.Board, move: MoveProbe) -> str:
    """The query of the page for the position after a move."""
    fen = board_after(board, move.move).fen()
    return urlencode({"fen": fen, "accrued": str(move.accrued)})


def missing_page() -> str:
    """The page for an address that leads nowhere, with the way home."""
    return template_of("missing.html").render()


def unknown_host_page(host: str, name: str | None) -> str:
    """The page for a name under which the server does not answer.

    `name` is the host without its port, if `--name` accepts it.
    """
    return template_of("unknown-host.html").render(host=host, name=name)
