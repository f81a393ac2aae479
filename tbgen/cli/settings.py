"""Options that say how games are scored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from tbgen.cli.options import refuse_idle
from tbgen.pgn.game import Settings
from tbgen.pgn.tags import parse_cutoff
from tbgen.rules.points import Scheme, parse_komi
from tbgen.rules.stage import FiftyMoveSetting


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How the games of a file are scored, unless their tags say it."""
    for option in (
        click.option("--komi", metavar="G", help="The score to beat under --scoring komi (default G5.75)."),
        click.option(
            "--cutoff",
            metavar="G",
            help="Scores from here on make no difference: to winner, komi and --fifty reset (default G6.0).",
        ),
        click.option(
            "--scoring",
            type=click.Choice([scheme.value for scheme in Scheme]),
            help="How the score becomes points; exponential unless the game's tags say otherwise.",
        ),
        click.option(
            "--fifty",
            type=click.Choice([setting.value for setting in FiftyMoveSetting]),
            help="What the fifty-move rule means; reset unless the game's tags say otherwise.",
        ),
    ):
        command = option(command)
    return command


def settings_of(
    scoring: str | None, cutoff: str | None, komi: str | None, fifty: str | None, *, has_tags: bool = True
) -> Settings:
    """The settings that the options say; what is not given is left to the tags of each game, if there can be any."""
    settings = Settings(
        scheme=None if scoring is None else Scheme(scoring),
        cutoff_code=None if cutoff is None else parse_cutoff(cutoff),
        komi=None if komi is None else parse_komi(komi),
        fifty_moves=None if fifty is None else FiftyMoveSetting(fifty),
    )
    scheme = settings.scheme if has_tags else settings.scheme or Scheme.EXPONENTIAL
    refuse_idle(scheme, cutoff, komi, settings.fifty_moves or FiftyMoveSetting.RESET)
    return settings
