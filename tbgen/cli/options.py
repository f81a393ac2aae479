"""Options that several subcommands have in common."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from tbgen.apps.games.tags import parse_cutoff
from tbgen.errors import UsageError
from tbgen.rules.points import DEFAULT_KOMI, Scheme, Scoring, asked_komi
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import DEFAULT_CUTOFF_CODE, Mobility


def quiet_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Whether progress is left unsaid, as `quiet`."""
    return click.option("-q", "--quiet", is_flag=True, help="Show no progress.")(command)


def idle_quiet_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same option of a command that shows no progress: whoever calls any command may give it."""
    return click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, help="Taken as by all commands; this one shows no progress."
    )(command)


def choice_of_game(command: Callable[..., Any]) -> Callable[..., Any]:
    """The name of a game, as `game`."""
    return click.option(
        "--game",
        type=click.Choice([game.value for game in Mobility]),
        default=Mobility.RESET.value,
        show_default=True,
        help="The game: whether captures and pawn moves wipe out what has accrued, or all positions count.",
    )(command)


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How a score becomes points, as `rule`."""
    schemes = click.Choice([scheme.value for scheme in Scheme])

    @functools.wraps(command)
    def with_rule(*args: Any, scoring: str, cutoff: str | None, komi: str | None, **others: Any) -> Any:
        return command(*args, rule=_scoring_of(scoring, cutoff, komi), **others)

    wrapped: Callable[..., Any] = with_rule
    for option in (
        click.option("--komi", metavar="G", help="The score to beat under --scoring komi (default G5.75)."),
        click.option(
            "--cutoff", metavar="G", help="Scores from here on make no difference under winner and komi (default G6.0)."
        ),
        click.option(
            "--scoring", type=schemes, default=Scheme.EXPONENTIAL.value, help="How an outcome becomes points."
        ),
    ):
        wrapped = option(wrapped)
    return wrapped


def fifty_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The fifty-move rule that is to count from the clock of a position on, as `fifty`; None if none is asked for."""

    @functools.wraps(command)
    def with_fifty(*args: Any, fifty: str | None, rule: Scoring, **others: Any) -> Any:
        asked = None if fifty is None else FiftyMoves(FiftyMoveSetting(fifty), rule.cutoff_code)
        return command(*args, fifty=asked, rule=rule, **others)

    return click.option(
        "--fifty",
        type=click.Choice([setting.value for setting in FiftyMoveSetting]),
        help="Say what the fifty-move rule makes of the value, from the clock of the position on.",
    )(with_fifty)


def _scoring_of(scoring: str, cutoff: str | None, komi: str | None) -> Scoring:
    """The scoring that the options say; refuses those that mean nothing under it."""
    rule = Scoring(
        Scheme(scoring),
        DEFAULT_CUTOFF_CODE if cutoff is None else parse_cutoff(cutoff),
        DEFAULT_KOMI if komi is None else asked_komi(komi),
    )
    refuse_idle(rule.scheme, None, cutoff=cutoff is not None, komi=komi is not None)
    return rule


def refuse_idle(scheme: Scheme | None, fifty: FiftyMoveSetting | None, *, cutoff: bool, komi: bool) -> None:
    """Refuse a cutoff or a komi that is given and makes no difference; what is None is not known, or not asked for."""
    if scheme is None:
        return
    if komi and scheme is not Scheme.KOMI:
        raise UsageError(f"--komi means nothing under --scoring {scheme.value}")
    if cutoff and scheme not in (Scheme.WINNER, Scheme.KOMI) and fifty is not FiftyMoveSetting.RESET:
        others = "" if fifty is None else f" and --fifty {fifty.value}"
        raise UsageError(f"--cutoff means nothing under --scoring {scheme.value}{others}")
