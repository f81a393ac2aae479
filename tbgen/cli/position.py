"""What the subcommands that take a position share: its words, moves after it, and what has accrued."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from tbgen.cli.completion import a_position
from tbgen.errors import UsageError
from tbgen.material import is_material
from tbgen.rules.typed import START, fen_and_moves
from tbgen.score import Accrued, asked_score

_NEGATIVE_SCORE = re.compile(r"-[Gg][0-9].*")

_RANKS = 8
_FEN_FIELDS = 6
_MATERIAL = re.compile(r"[KQRBNPkqrbnp]+[vV][KQRBNPkqrbnp]+")


class PositionCommand(click.Command):
    """A command whose words may be a FEN without quotes: `-G2.5` at its end is no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takers = {
            name
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        before = ["", *args]
        words = [
            f" {word}" if _NEGATIVE_SCORE.fullmatch(word) and before[place] not in takers else word
            for place, word in enumerate(args)
        ]
        return super().parse_args(ctx, words)


def position_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """A position and moves, as `words`, `moves` and `accrued`."""
    for option in (
        click.option(
            "--moves", metavar="MOVES", multiple=True, help='Moves to play first, such as "1. e4 e5" or "e2e4 e7e5".'
        ),
        click.option(
            "--accrued",
            metavar="G",
            help="The accrued score of the position, such as G2.5 (default: that of the FEN, else the position's own).",
        ),
        click.argument("words", nargs=-1, metavar="[FEN] [MOVE]...", shell_complete=a_position),
    ):
        command = option(command)
    return command


def asked_position(words: Sequence[str], moves: Sequence[str]) -> tuple[str, list[str]]:
    """The FEN and the moves that were given, some of them behind the FEN and some with --moves."""
    if not words:
        raise UsageError("give a FEN, or startpos; --help says more")
    fen, more = fen_and_moves(words)
    if _MATERIAL.fullmatch(words[0]) and is_material(words[0]):
        raise UsageError(
            f"{words[0]} is a material and no position; what its table holds is shown by: tbgen info {words[0]}"
        )
    return fen, [*more, *moves]


def asked_accrued(fen: str, accrued: str | None) -> Accrued | None:
    """The score of --accrued; UsageError if the FEN says another one."""
    if accrued is None:
        return None
    given, fields = asked_score(accrued), fen.split()
    if len(fields) > _FEN_FIELDS and (written := asked_score(fields[_FEN_FIELDS])) != given:
        raise UsageError(f"the FEN says that {written} has accrued, and --accrued that {given} has; give one of them")
    return given


def is_position(words: Sequence[str]) -> bool:
    """Whether words begin like a position, and not like the name of a file."""
    return bool(words) and (words[0].split()[:1] == [START] or words[0].count("/") == _RANKS - 1)
