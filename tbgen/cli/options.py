"""Options that several subcommands have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from tbgen.pgn.tags import parse_cutoff
from tbgen.rules.points import DEFAULT_KOMI, Scheme, Scoring, parse_komi
from tbgen.score import DEFAULT_CUTOFF_CODE


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How a score becomes points."""
    schemes = click.Choice([scheme.value for scheme in Scheme])
    for option in (
        click.option("--komi", metavar="G", help="The score to beat under --scoring komi (default G5.75)."),
        click.option("--cutoff", metavar="G", help="Scores from here on make no difference (default G6.0)."),
        click.option("--scoring", type=schemes, default=Scheme.EXPONENTIAL.value, help="How it becomes points."),
    ):
        command = option(command)
    return command


def scoring_of(scoring: str, cutoff: str | None, komi: str | None) -> Scoring:
    """The scoring that the options say."""
    return Scoring(
        Scheme(scoring),
        DEFAULT_CUTOFF_CODE if cutoff is None else parse_cutoff(cutoff),
        DEFAULT_KOMI if komi is None else parse_komi(komi),
    )
