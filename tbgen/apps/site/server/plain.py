"""The explorer without a script: a form, the verdict in words, and the moves as a table."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

import chess

from tbgen.apps.play.within import value_if_asked
from tbgen.apps.site.server.answers import error_facts
from tbgen.apps.site.server.asked import Asked, position_in
from tbgen.apps.site.server.replies import error_reply
from tbgen.errors import TbgenError
from tbgen.probe import MoveProbe, Probe, Tablebase
from tbgen.rules.points import Scoring, format_points
from tbgen.text import in_so_many

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title} · r-mobility explorer</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="explorer.css">
</head>
<body class="plain">
<header><a class="name" href="./">r-mobility explorer</a></header>
<main>
<h1>{title}</h1>
<form action="plain" method="get">
<p><label>FEN <input name="fen" value="{fen}" size="50" required></label></p>
<p><label>Accrued score <input name="accrued" value="{accrued}" size="8" placeholder="its own"></label>
<button>Look it up</button></p>
</form>
{content}
</main>
</body>
</html>
"""


def plain_page(tables: Tablebase, given: Mapping[str, str]) -> tuple[int, str]:
    """A page for what was asked, and its status."""
    if not given:
        return 200, _page("Look up a position", given, "")
    try:
        asked = position_in(given)
        answer, moves = tables.probe(asked.board, asked.accrued), tables.probe_moves(asked.board, asked.accrued)
    except TbgenError as error:
        message = str(error_facts(error)["message"])
        return error_reply(error).status_code, _page("No answer", given, f'<p class="verdict">{escape(message)}.</p>')
    there = {"fen": asked.board.fen(), "accrued": "" if asked.accrued is None else str(asked.accrued)}
    clocked = value_if_asked(tables, answer, asked.board, None, unasked=True)
    clock = f"But {clocked}. " if clocked is not None and clocked.matters else ""
    return 200, _page(str(answer.outcome), there, _verdict(asked.board, answer, clock) + _table(asked, moves))


def _page(title: str, given: Mapping[str, str], content: str) -> str:
    fields = {name: escape(given.get(name, ""), quote=True) for name in ("fen", "accrued")}
    return _PAGE.format(title=escape(title), content=content, **fields)


def _verdict(board: chess.Board, answer: Probe, clock: str) -> str:
    scoring = Scoring()
    way = "reached already" if answer.is_reached else in_so_many(answer.dtg)
    points = format_points(scoring.points(answer.outcome), scoring.scheme)
    side = "White" if board.turn else "Black"
    return (
        f'<p class="verdict"><b>{answer.outcome}</b> {answer.outcome.in_words()}, {way}. {clock}Points {points}. '
        f"Own score {answer.own}, accrued {answer.accrued}.</p>\n<pre>{board}</pre>\n<p>{side} to move.</p>\n"
    )


def _table(asked: Asked, moves: list[MoveProbe]) -> str:
    if not moves:
        return "<p>No legal moves: the game is over.</p>"
    rows = "\n".join(_row(asked.board, each) for each in moves)
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Move", "Outcome", "Plies", "Accrued", ""))
    return (
        f"<table><caption>Moves, best first</caption><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    )


def _row(board: chess.Board, each: MoveProbe) -> str:
    after = board.copy(stack=False)
    after.push(each.move)
    link = urlencode({"fen": after.fen(), "accrued": str(each.accrued)})
    grade = "best" if each.best else "keeps the outcome" if each.keeps else ""
    return (
        f'<tr><th scope="row"><a href="plain?{escape(link)}">{each.san}</a></th><td>{each.outcome}</td>'
        f"<td>{'' if each.dtg is None else each.dtg}</td><td>{each.accrued}</td><td>{grade}</td></tr>"
    )
