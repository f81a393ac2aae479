"""Annotated games as one page: board and moves to step through, every ply's value, and what was given away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from tbgen.apps.games.annotate import AnnotatedPly, Annotation
from tbgen.apps.site.report.alone import alone, legend, score
from tbgen.apps.site.report.boards import board_of, shared
from tbgen.apps.site.report.palette import shade_of
from tbgen.apps.site.report.playing import changes_of, step_of
from tbgen.score import Color

_MOST_CARDS = 12
"""So many moves that gave something away have a board each, those that cost most."""


def page_of(annotations: Sequence[Annotation], name: str) -> str:
    """A page of annotated games; `name` is its title if there are several."""
    known = [each for each in annotations if each.first is not None]
    others = len(annotations) - len(known)
    title = _title(known[0]) if len(known) == 1 else name
    parts = [shared(), f"<h1>{escape(title)}</h1>\n"]
    if len(known) > 1:
        links = "".join(f'<li><a href="#game-{each.game.number}">{escape(_title(each))}</a></li>' for each in known)
        parts.append(f"<ol>{links}</ol>\n")
    if others:
        parts.append(
            f'<p class="soft">Of {others} other game{"s" if others > 1 else ""} no table knows a position.</p>'
        )
    parts += (_game(each, alone=len(known) == 1) for each in known)
    said = "<p>Values are those of best play by tables, which ignore the fifty-move rule.</p>\n"
    return alone(title, "".join(parts), said=said, scripts=("step.js",))


def _title(annotation: Annotation) -> str:
    tags = annotation.game.tags
    return f"{tags.get('White', '?')} – {tags.get('Black', '?')}"


def _game(annotation: Annotation, *, alone: bool) -> str:
    game = annotation.game
    tags = game.tags
    played = [
        name for name in (tags.get("Event", "?"), f"round {tags.get('Round', '?')}", game.result) if "?" not in name
    ]
    heading = "" if alone else f'<h2 id="game-{game.number}">{escape(_title(annotation))}</h2>\n'
    known = annotation.known_from
    return (
        f'{heading}<p class="lead">{escape(", ".join(played))}; {escape(known)}.</p>\n'
        f"{_facts(annotation)}{legend('Colours')}{_bar(annotation)}"
        f'<div class="beside">{_figure(annotation)}{_table(annotation)}</div>\n{_cards(annotation)}'
    )


def _facts(annotation: Annotation) -> str:
    rows = [(f"{side} gave away", f"{float(annotation.lost[side]):.4f} points") for side in Color]
    first, last = annotation.first, annotation.plies[-1]
    assert first is not None
    assert first.value is not None
    rows.insert(0, ("Value at first", first.worth))
    if last.value is not None:
        rows.insert(1, ("Value at the end", last.worth))
    cells = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in rows)
    return f'<dl class="facts">{cells}</dl>\n'


def _bar(annotation: Annotation) -> str:
    """The value after each ply as a bar from left to right; a border where the score changes sides."""
    plies = [each for each in annotation.plies if each.value is not None]
    parts, borders = [], []
    for place, each in enumerate(plies):
        assert each.value is not None
        title = escape(f"{each.move or 'first position'}: {each.comment}")
        shade = shade_of(each.value.outcome)
        parts.append(f'<rect class="{shade}" x="{place}" width="1.02" height="1"><title>{title}</title></rect>')
        if place and each.gives_away:
            borders.append(f'<path class="border" d="M{place} 0V1"/>')
    label = f"The value after each of {len(plies)} plies"
    return (
        f'<svg class="bar tall" viewBox="0 0 {len(plies)} 1" preserveAspectRatio="none" role="img" '
        f'aria-label="{label}">{"".join(parts)}{"".join(borders)}</svg>\n'
    )


def _figure(annotation: Annotation) -> str:
    """The board where tables begin to know the game, and the moves from there."""
    first = annotation.first
    assert first is not None
    follow = [each for each in annotation.plies if each.ply.number > first.ply.number]
    fen, steps = first.board.fen(), " ".join(_steps(follow))
    scores = changes_of([each.ply.accrued.outcome for each in (first, *follow)])
    return (
        f'<figure class="line" id="board-{annotation.game.number}" data-steps="{steps}" data-scores="{scores}">'
        f'{board_of(fen)}<div class="stepper"></div>'
        f'<p class="moves" tabindex="0" role="group" aria-label="Moves">{" ".join(_moves(follow))}</p>'
        f'<p class="under small" data-fen="{fen} {first.ply.accrued}"></p></figure>'
    )


def _steps(plies: Sequence[AnnotatedPly]) -> Iterator[str]:
    for each in plies:
        assert each.ply.move is not None
        assert each.stood is not None
        yield step_of(each.stood, each.ply.move)


def _moves(plies: Sequence[AnnotatedPly]) -> Iterator[str]:
    for place, each in enumerate(plies):
        number = f"{each.number} " if each.mover is Color.WHITE or place == 0 else ""
        yield f"{number}{escape(each.ply.san)}{'?' if each.gives_away else ''}"


def _table(annotation: Annotation) -> str:
    heads = "".join(
        f'<th scope="col"{kind}>{head}</th>'
        for head, kind in (
            ("Move", ""),
            ("Value", ""),
            ("Plies", ' class="n"'),
            ("Accrued", ' class="spare"'),
            ("Lost", ' class="n"'),
            ("", ""),
        )
    )
    rows = "\n".join(_row(each) for each in annotation.plies)
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="Ply by ply">'
        "<table><caption>What the game ends with by best play, and in how many plies.</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
    )


def _row(each: AnnotatedPly) -> str:
    value = each.value
    worth = "?" if value is None else score(value.outcome)
    accrued = score(each.ply.accrued.outcome)
    kind = ' class="turn"' if each.gives_away else ""
    return (
        f'<tr{kind}><th scope="row">{escape(each.move or "first")}</th><td>{worth}</td>'
        f'<td class="n">{each.distance}</td><td class="spare">{accrued}</td>'
        f'<td class="n">{escape(each.lost_in_words)}</td><td>{escape(each.remark)}</td></tr>'
    )


def _cards(annotation: Annotation) -> str:
    """The positions before the moves that gave most away."""
    dearest = sorted(annotation.turns, key=lambda each: -each.lost)[:_MOST_CARDS]
    if not dearest:
        return ""
    cards = "".join(map(_card, sorted(dearest, key=lambda each: each.ply.number)))
    return f'<h3>What was given away</h3>\n<div class="cards">{cards}</div>\n'


def _card(each: AnnotatedPly) -> str:
    assert each.stood is not None
    assert each.before is not None
    assert each.value is not None
    cost = f'<span class="soft">{escape(each.lost_in_words)} points</span>'
    return (
        f'<figure class="line"><h4>{escape(each.move)}? {cost}</h4>'
        f"{board_of(each.stood.fen())}"
        f'<p class="small">{score(each.before)} → {score(each.value.outcome)}: {escape(each.remark)}.</p></figure>'
    )
