"""Options that several commands share, each declared once; combinations that mean nothing; and completion."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tbgen.apps.games.tags import GameTags, parse_cutoff
from tbgen.errors import UsageError
from tbgen.rules.points import Scheme, Scoring, parse_komi
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import Mobility

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from tbgen.apps.games.game import GameSettings

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_MOST_THREADS = 1024


def gathered(name: str, make: Callable[..., object], *options: Decorator) -> Decorator:
    """Options that a command is given together, as one value `name`, which a function makes of them."""
    words = tuple(signature(make).parameters)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_value(*args: Any, **values: Any) -> Any:
            given = {word: values.pop(word) for word in words}
            return command(*args, **{name: make(**given)}, **values)

        wrapped: Callable[..., Any] = with_value
        for option in reversed(options):
            wrapped = option(wrapped)
        return wrapped

    return decorate


def a_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Complete any file, as the shell itself does."""
    return from_shell("file", incomplete)


def a_material(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Complete a material that tables are made for."""
    from tbgen.material import all_materials

    return beginning_so(map(str, all_materials()), incomplete)


def a_table(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Complete a material whose table is in the folders that the command would use."""
    from tbgen.storage.files import tables_of

    return beginning_so((str(material) for material, _ in tables_of(ctx.params.get("folders") or ())), incomplete)


def beginning_so(words: Iterable[str], incomplete: str) -> list[CompletionItem[str]]:
    """The words that begin as what was typed."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def from_shell(kind: str, incomplete: str) -> list[CompletionItem[str]]:
    """What the shell itself finds: a `file`, or a `dir`."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type=kind)]


_QUIET = functools.partial(click.option, "-q", "--quiet", is_flag=True, help="Print results and errors only.")

quiet_option: Decorator = _QUIET()
idle_quiet_option: Decorator = _QUIET(expose_value=False)
"""Of commands that show no progress: every command takes `-q`."""

json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
threads_option: Decorator = click.option(
    "--threads", type=click.IntRange(1, _MOST_THREADS), metavar="N", help="Use N threads (default: one per processor)."
)
processes_option: Decorator = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Share each file among N processes.",
)
strict_option: Decorator = click.option(
    "--strict", is_flag=True, help="Exit with code 3 if a missing table makes a score provisional."
)
games_argument: Decorator = click.argument("files", nargs=-1, metavar="IN.pgn...", shell_complete=a_file)

game_option: Decorator = click.option(
    "--game",
    type=click.Choice([game.value for game in Mobility]),
    default=Mobility.RESET.value,
    show_default=True,
    callback=lambda ctx, option, value: Mobility.named(value),
    is_eager=True,  # the options that name folders ask for it
    help="Play r-mobility, where captures and pawn moves reset the accrued score, or count the whole game.",
)

_SCORING: tuple[Decorator, ...] = (
    click.option(
        "--scoring",
        type=click.Choice([scheme.value for scheme in Scheme]),
        help="Turn scores into points by this scheme (default: the game's tags, else exponential).",
    ),
    click.option(
        "--cutoff",
        metavar="G",
        help="Treat scores from G on alike, under winner, komi and --fifty reset (default G6.0).",
    ),
    click.option("--komi", metavar="G", help="Set the score to beat under --scoring komi (default G5.75)."),
    click.option(
        "--fifty",
        type=click.Choice([setting.value for setting in FiftyMoveSetting]),
        help="Apply this fifty-move rule (default: the game's tags, else reset; a value of a table ignores the rule).",
    ),
)


def _settings_of(scoring: str | None, cutoff: str | None, komi: str | None, fifty: str | None) -> GameSettings:
    """The settings that the options give; what they leave out comes from the tags of each game."""
    from tbgen.apps.games.game import GameSettings

    settings = GameSettings(
        scheme=None if scoring is None else Scheme(scoring),
        cutoff_code=None if cutoff is None else parse_cutoff(cutoff),
        komi=None if komi is None else parse_komi(komi),
        fifty_moves=None if fifty is None else FiftyMoveSetting(fifty),
    )
    if settings.scheme is not None:
        refuse_idle(settings, settings.scheme, settings.fifty_moves or FiftyMoveSetting.RESET)
    return settings


def _rule_of(
    scoring: str | None, cutoff: str | None, komi: str | None, fifty: str | None
) -> tuple[Scoring, FiftyMoves | None]:
    """The scoring of a position, which has no tags, and the fifty-move rule that is asked for."""
    settings = _settings_of(scoring, cutoff, komi, fifty)
    rule = settings.scoring(GameTags())
    refuse_idle(settings, rule.scheme, settings.fifty_moves)
    return rule, None if settings.fifty_moves is None else settings.fifty_moves_of(GameTags())


settings_options = gathered("settings", _settings_of, *_SCORING)
"""How the games of a file are scored, unless their tags say so, as `settings`."""
rule_options = gathered("rule", _rule_of, *_SCORING)
"""How a position is scored, and the fifty-move rule or None, as `rule`."""


def refuse_idle(settings: GameSettings, scheme: Scheme, fifty: FiftyMoveSetting | None) -> None:
    """Refuse a cutoff or a komi that makes no difference under a scheme and a fifty-move rule."""
    if settings.komi is not None and scheme is not Scheme.KOMI:
        raise UsageError(f"--komi means nothing under --scoring {scheme.value}")
    needs_no_cutoff = scheme not in (Scheme.WINNER, Scheme.KOMI) and fifty is not FiftyMoveSetting.RESET
    if settings.cutoff_code is not None and needs_no_cutoff:
        others = "" if fifty is None else f" and --fifty {fifty.value}"
        raise UsageError(f"--cutoff means nothing under --scoring {scheme.value}{others}")


def refuse_together(options: Mapping[str, object]) -> None:
    """Refuse options that mean nothing together; at most one of them may be given."""
    names = _given(options)
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} cannot be given together")


def refuse_beside(given: str, options: Mapping[str, object]) -> None:
    """Refuse options that mean nothing together with one that is given."""
    for name in _given(options):
        raise UsageError(f"{given} and {name} cannot be given together")


def refuse_without(needed: str, options: Mapping[str, object]) -> None:
    """Refuse options that mean nothing without one that is not given."""
    for name in _given(options):
        raise UsageError(f"{name} means nothing without {needed}")


def typed_folders() -> bool:
    """Whether --data is given to this command; $TBGEN_DATA is there for all of them."""
    return click.get_current_context().get_parameter_source("folders") is ParameterSource.COMMANDLINE


def _given(options: Mapping[str, object]) -> list[str]:
    return [name for name, value in options.items() if value is not None and value is not False and value != ()]
