"""Options that say how games are scored."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from tbgen.apps.games.game import GameSettings
from tbgen.apps.games.tags import parse_cutoff
from tbgen.cli.options import choice_of_game, refuse_idle
from tbgen.rules.points import Scheme, asked_komi
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.score import Mobility


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How the games of a file are scored, unless their tags say it, as `settings`."""

    @functools.wraps(command)
    def with_settings(
        *args: Any, scoring: str | None, cutoff: str | None, komi: str | None, fifty: str | None, **others: Any
    ) -> Any:
        return command(*args, settings=_settings_of(scoring, cutoff, komi, fifty), **others)

    wrapped: Callable[..., Any] = with_settings
    for option in (
        click.option("--komi", metavar="G", help="The score to beat under --scoring komi (default G5.75)."),
        click.option(
            "--cutoff",
            metavar="G",
            help="The score from which winner, komi and --fifty reset treat all scores alike (default G6.0).",
        ),
        click.option(
            "--scoring",
            type=click.Choice([scheme.value for scheme in Scheme]),
            help="The scheme that turns scores into points; exponential unless the game's tags say otherwise.",
        ),
        click.option(
            "--fifty",
            type=click.Choice([setting.value for setting in FiftyMoveSetting]),
            help="The fifty-move rule; reset unless the game's tags say otherwise.",
        ),
    ):
        wrapped = option(wrapped)
    return wrapped


def scored_game_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The game by which the games of a file are decided, in the settings that `settings_options` makes; below it."""

    @functools.wraps(command)
    def with_game(*args: Any, game: str, settings: GameSettings, **others: Any) -> Any:
        return command(*args, settings=replace(settings, game=Mobility.named(game)), **others)

    return choice_of_game(with_game)


def refuse_idle_settings(settings: GameSettings, *, has_tags: bool) -> None:
    """Refuse a cutoff or a komi that makes no difference; without tags to say another, the scoring is exponential."""
    scheme = settings.scheme if has_tags else settings.scheme or Scheme.EXPONENTIAL
    fifty = settings.fifty_moves or FiftyMoveSetting.RESET
    refuse_idle(scheme, fifty, cutoff=settings.cutoff_code is not None, komi=settings.komi is not None)


def _settings_of(scoring: str | None, cutoff: str | None, komi: str | None, fifty: str | None) -> GameSettings:
    """The settings that the options say; what is not given is left to the tags of each game."""
    settings = GameSettings(
        scheme=None if scoring is None else Scheme(scoring),
        cutoff_code=None if cutoff is None else parse_cutoff(cutoff),
        komi=None if komi is None else asked_komi(komi),
        fifty_moves=None if fifty is None else FiftyMoveSetting(fifty),
    )
    refuse_idle_settings(settings, has_tags=True)
    return settings
