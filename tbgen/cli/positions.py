"""A position as users type it: the words of a FEN, and moves after it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from tbgen.cli import complain
from tbgen.cli.options import NAME
from tbgen.errors import MaterialError, UsageError
from tbgen.material import Material
from tbgen.men import Man
from tbgen.rules.notation import START, fen_and_moves, parse_fen
from tbgen.score import Mobility, Score

_SCORE_FIELD = 6
"""The place of the accrued score among the fields of a FEN, from 0."""


def read_position(words: Sequence[str]) -> tuple[str, list[str]]:
    """The FEN in some words, and all moves after it."""
    if not words:
        raise UsageError("give a FEN, or startpos; --help says more")
    fen, moves = fen_and_moves([word.strip() for word in words])
    _refuse_material(words[0])
    return fen, moves


def _refuse_material(word: str) -> None:
    with suppress(MaterialError):
        Material.parse(word)
        raise UsageError(
            f"{word} is a material and no position; what its table holds is shown by: "
            f"tbgen list {word}"
        )


def _score_in(fen: str) -> Score | None:
    """The accrued score that is written in a FEN."""
    fields = fen.split()
    if len(fields) <= _SCORE_FIELD:
        return None
    return Score(fields[_SCORE_FIELD])


def warn_of_ignored_score(fen: str, mobility: Mobility, men: Sequence[Man] = ()) -> None:
    """Warn of an accrued score in a FEN that the position's own score replaces.

    The own score accrues with a capture or a pawn move, which sets the halfmove clock to 0.
    """
    written = _score_in(fen)
    board, carried = parse_fen(fen, mobility=mobility, men=men)
    if board.halfmove_clock == 0 and mobility.forgets and carried != written:
        complain(
            f"warning: {written} in the FEN is ignored, as its halfmove clock is 0: "
            f"{carried} has accrued, the position's own score"
        )


def _complete(
    context: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem[str]] | list[str]:
    """The only position that has a name; or a file, where the command line names files already."""
    if context.params.get("files"):
        return NAME.shell_complete(context, parameter, typed)
    if START.startswith(typed):
        return [START]
    return []


position_argument = click.argument(
    "words", nargs=-1, metavar="[FEN] [MOVE]...", shell_complete=_complete
)
"""Sets `words`, those of a position."""
