"""Positions as users type them: the words of a FEN, moves after it, and the accrued score."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import click

from tbgen.cli.options import Command, a_file, beginning_so, gathered, option
from tbgen.errors import UsageError
from tbgen.material import is_material
from tbgen.rules.fen import START, fen_and_moves
from tbgen.score import LIKE_A_SCORE, Score

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_NEGATIVE_SCORE = re.compile(f"(?=-){LIKE_A_SCORE}")
_RANKS = 8
_FEN_FIELDS = 6
_MATERIAL = re.compile(r"[KQRBNPkqrbnp]+[vV][KQRBNPkqrbnp]+")


class PositionCommand(Command):
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


class Asked(NamedTuple):
    """The parts of a position that a user typed."""

    words: tuple[str, ...]
    accrued: str | None

    @property
    def is_position(self) -> bool:
        """Whether the words begin like a position, and not like the name of a file."""
        return bool(self.words) and (self.words[0].split()[:1] == [START] or self.words[0].count("/") == _RANKS - 1)

    def read(self) -> tuple[str, list[str], Score | None]:
        """The FEN, all moves after it, and the score of --accrued; UsageError if the FEN gives another score."""
        if not self.words:
            raise UsageError("give a FEN, or startpos; --help says more")
        fen, more = fen_and_moves(self.words)
        if _MATERIAL.fullmatch(self.words[0]) and is_material(self.words[0]):
            name = self.words[0]
            raise UsageError(
                f"{name} is a material and no position; what its table holds is shown by: tbgen list {name}"
            )
        return fen, more, None if self.accrued is None else _accrued(fen, self.accrued)


def _accrued(fen: str, accrued: str) -> Score:
    given, fields = Score(accrued), fen.split()
    if len(fields) > _FEN_FIELDS and (written := Score(fields[_FEN_FIELDS])) != given:
        raise UsageError(f"the FEN says that {written} has accrued, and --accrued that {given} has; give one of them")
    return given


def _a_position(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Complete the only position that has a name; or a file, where the command line names files already."""
    return a_file(ctx, param, incomplete) if ctx.params.get("files") else beginning_so((START,), incomplete)


position_options = gathered(
    "asked",
    Asked,
    click.argument("words", nargs=-1, metavar="[FEN] [MOVE]...", shell_complete=_a_position),
    option(
        "--accrued",
        metavar="G",
        help="Set the accrued score, such as G2.5 (default: that of the FEN, else the position's own).",
    ),
)
"""A position and moves, as `asked`."""
