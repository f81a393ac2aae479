"""Pages that stand alone: standings and annotated games, each one file that loads nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from tbgen.apps.games.annotate import AnnotatedPly, Annotation
from tbgen.apps.games.standings import EventGame, Standings, in_decimals, knockout_rounds
from tbgen.apps.games.tags import Source
from tbgen.apps.records.record import step_of
from tbgen.apps.site.boards import changes_of
from tbgen.apps.site.palette import shade_of
from tbgen.apps.site.templates import environment, static, style
from tbgen.score import Color

MOST_CROSSED: Final = 100
"""With more players a page has no cross table: nobody could read it, and it grows with their square."""
_MOST_IN_CELL: Final = 8
"""A cell has the points of more games than this, and not their scores."""
_MOST_CARDS: Final = 12
"""So many of the dearest moves have a board each."""
_SHADES_OF_ROW: Final = (
    ("w0", "mates"),
    ("w1", "stalemates"),
    ("w3", "holds the other to 1–3 moves"),
    ("w5", "to more"),
    ("b5", "is held to many moves"),
    ("b3", "to 1–3"),
    ("b1", "is stalemated"),
    ("b0", "is mated"),
)


def standings_page(standings: Standings) -> str:
    """The ranks and points of an event with a cross table."""
    return _page(
        "standings.html",
        title=standings.event or "Standings",
        broad=True,
        standings=standings,
        rounds=knockout_rounds(standings.finished),
        crossed=standings.rows if len(standings.rows) <= MOST_CROSSED else [],
        most_in_cell=_MOST_IN_CELL,
        words=_SHADES_OF_ROW,
    )


def annotated_page(annotations: Sequence[Annotation], name: str) -> str:
    """Games to step through, with every ply's value; `name` is the title if there are several."""
    known = [each for each in annotations if each.first is not None]
    return _page(
        "annotated.html",
        title=_players(known[0]) if len(known) == 1 else name,
        script=static("step.js"),
        known=known,
        others=len(annotations) - len(known),
    )


def _page(template: str, **context: Any) -> str:
    made = environment(style=style(), broad=False, script="")
    made.filters.update(
        decimals=in_decimals,
        seen_by=_seen_by,
        players=_players,
        played_at=_played_at,
        line_of=_line_of,
        dearest=_dearest,
    )
    return made.get_template(template).render(**context) + "\n"


class _Seen(NamedTuple):
    """The final score of a game as one of its players sees it: warm where that player holds it."""

    shade: str
    text: str
    words: str


def _seen_by(game: EventGame, player: str) -> _Seen:
    side = game.side_of(player)
    mine = game.final if side is Color.WHITE else game.final.flipped()
    doubt = game.source is Source.PROVISIONAL
    text = str(mine).replace("G", "").replace("-", "\N{MINUS SIGN}") + "?" * doubt
    words = f"{game.final} as {side}, {in_decimals(game.points(side))} points{', provisional' * doubt}"
    return _Seen(shade_of(mine), text, words)


def _players(annotation: Annotation) -> str:
    tags = annotation.game.tags
    return f"{tags.get('White', '?')} – {tags.get('Black', '?')}"


def _played_at(annotation: Annotation) -> str:
    """Event, round and result, as far as they are known."""
    tags = annotation.game.tags
    names = tags.get("Event", "?"), f"round {tags.get('Round', '?')}", annotation.game.result
    return ", ".join(name for name in names if "?" not in name)


class _Line(NamedTuple):
    """A game from where tables know it, as `static/step.js` steps through it."""

    fen: str
    moves: str
    steps: str
    scores: str


def _line_of(annotation: Annotation) -> _Line:
    first = annotation.first
    assert first is not None
    after = [each for each in annotation.plies if each.ply.number > first.ply.number]
    return _Line(
        first.board.fen(),
        " ".join(_numbered(each, is_first=place == 0) for place, each in enumerate(after)),
        " ".join(step_of(each.stood, each.ply.move) for each in after if each.stood and each.ply.move),
        changes_of([each.ply.accrued for each in (first, *after)]),
    )


def _numbered(each: AnnotatedPly, *, is_first: bool) -> str:
    number = f"{each.number} " if each.mover is Color.WHITE or is_first else ""
    return f"{number}{each.ply.san}{'?' * each.gives_away}"


def _dearest(annotation: Annotation) -> list[AnnotatedPly]:
    """The moves that gave most away, in the order of the game."""
    dearest = sorted(annotation.turns, key=lambda each: -each.lost)[:_MOST_CARDS]
    return sorted(dearest, key=lambda each: each.ply.number)
