"""Display: answers as notebooks and rich show them. An answer says what is shown; the rest is the same for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import chess

from tbgen.rules.notation import picture_of
from tbgen.text import flattened, has_own_text

_SIZE = 320
_MOST_ARROWS = 6

Group = tuple[str, Sequence[Sequence[object]]]
"""A title, which may be empty, and rows of cells."""


class View(NamedTuple):
    """The parts of an answer that a display shows."""

    heading: str
    groups: Sequence[Group] = ()
    board: chess.Board | None = None
    arrows: Sequence[chess.Move] = ()
    note: str = ""
    """Stands below all else."""


class Shown:
    """An answer that notebooks and rich show well: its facts, unless it has a view of its own."""

    __slots__ = ()

    def facts(self) -> Any:
        """The answer as JSON has it."""
        raise NotImplementedError

    def _view(self) -> View:
        return view_of(str(self) if has_own_text(type(self)) else type(self).__name__, self.facts())

    def _repr_svg_(self) -> str | None:
        """The board with its arrows, if there is one."""
        import chess.svg  # costs more than a probe

        view = self._view()
        arrows = [(move.from_square, move.to_square) for move in view.arrows[:_MOST_ARROWS]]
        return None if view.board is None else chess.svg.board(view.board, arrows=arrows, size=_SIZE)

    def _repr_html_(self) -> str:
        """The board, and beside it the rest."""
        from html import escape

        view = self._view()
        tables = ""
        for title, rows in view.groups:
            cells = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
            caption = f"<caption>{escape(title)}</caption>" if title else ""
            tables += f"<table>{caption}{''.join(f'<tr>{each}</tr>' for each in cells)}</table>"
        words = f"<p><b>{escape(view.heading)}</b></p>{tables}<p>{escape(view.note)}</p>"
        return f'<div style="display:flex;gap:1em">{self._repr_svg_() or ""}<div>{words}</div></div>'

    def __rich__(self) -> str:
        """The same as text with the markup of rich."""
        from rich.markup import escape

        view = self._view()
        lines = [] if view.board is None else [picture_of(view.board), ""]
        lines.append(f"[bold]{escape(view.heading)}[/bold]")
        for title, rows in view.groups:
            lines += ["", f"[bold]{escape(title)}[/bold]"] if title else [""]
            lines += [escape("  ".join(map(str, row))) for row in rows]
        return "\n".join([*lines, *(["", escape(view.note)] if view.note else [])])


def view_of(heading: str, facts: Mapping[str, Any]) -> View:
    """Facts: the board of `fen`, a row for each other value, and a group for each list of objects."""
    rows = {name: value for name, value in flattened(facts) if name != "fen" and value not in (None, [], "")}
    lists = {name: value for name, value in rows.items() if isinstance(value, list) and isinstance(value[0], dict)}
    groups: list[Group] = [("", [(name, _text(value)) for name, value in rows.items() if name not in lists])]
    for name, items in lists.items():
        groups.append((name, [[_text(value) for _, value in flattened(each)] for each in items]))
    return View(heading, groups, chess.Board(facts["fen"]) if "fen" in facts else None)


def _text(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
