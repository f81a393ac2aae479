"""The options that several commands share, as decorators of their functions.

Each option sets the parameter of its name, unless its docstring gives another one.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import parse_cutoff
from tbgen.cli.showing import Form
from tbgen.errors import UsageError
from tbgen.men import Man, own_men
from tbgen.rules.points import Scheme, expect_scheme, parse_komi
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.score import Mobility, expect_mobility
from tbgen.storage.files import check_folders, folder_for, folder_of_men, folders_in, mobility_of

R = TypeVar("R")


class Named(click.Path):
    """The name of a file or folder; a shell completes it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not value:  # a variable of the shell that is not set leaves an empty name
            self.fail("it is empty; give a name", param, ctx)
        return super().convert(value, param, ctx)


NAME = Named(readable=False)
"""A name as the user types it, of a file or of a standard stream."""
FILE = Named(path_type=Path, dir_okay=False)
OLD_FILE = Named(path_type=Path, dir_okay=False, exists=True)
FOLDER = Named(path_type=Path, file_okay=False)
OLD_FOLDER = Named(path_type=Path, file_okay=False, exists=True)

MOST_THREADS = 1024

Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def completing(choices: Callable[[click.Context], Iterable[object]]) -> Complete:
    """A completion that offers the choices that begin with the typed text."""

    def complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
        words = map(str, choices(context))
        return [word for word in words if word.startswith(typed)]

    return complete


# Files.

files_argument = click.argument("files", nargs=-1, metavar="IN.pgn...", type=NAME)


# What is printed.


json_option = click.option(
    "--json",
    "form",
    flag_value=Form.JSON,
    default=Form.TABLE,
    type=click.UNPROCESSED,
    help="Print JSON.",
)
"""Sets `form`."""
csv_option = click.option(
    "--csv",
    "form",
    flag_value=Form.CSV,
    type=click.UNPROCESSED,
    help="Print CSV, for a spreadsheet.",
)
"""Sets `form`, beside `json_option`."""


# The machine.

threads_option = click.option(
    "--threads",
    metavar="N",
    type=click.IntRange(1, MOST_THREADS),
    help="Use N threads (default: one per processor).",
)


# The game.


def _mobility_of(context: click.Context, option: click.Parameter, value: str) -> Mobility:
    return expect_mobility(value)


mobility_option = click.option(
    "--game",
    "mobility",
    type=click.Choice([mobility.value for mobility in Mobility]),
    default=Mobility.RESET.value,
    callback=_mobility_of,
    is_eager=True,  # the options that name folders need it
    help="Play r-mobility, where captures and pawn moves reset the accrued score, or count the "
    f"whole game (default {Mobility.RESET.value}).",
)
"""Sets `mobility`."""


def _own_men_of(
    context: click.Context, option: click.Parameter, values: Sequence[str]
) -> tuple[Man, ...]:
    return own_men(values)


own_option = click.option(
    "--man",
    "own",
    multiple=True,
    metavar="M=WF",
    callback=_own_men_of,
    is_eager=True,  # the options that name folders need it
    help="Add a man of your own, a letter and his moves in Betza's notation; repeat it for more.",
)
"""Sets `own`, the men of your own."""


_SCHEMES = ", ".join(scheme.value for scheme in Scheme)


def _scoring_of(
    context: click.Context, option: click.Parameter, value: str | None
) -> dict[str, Any]:
    """The fields of `Rules` that words give: the name of a scheme, `cutoff=G` and `komi=G`."""
    fields: dict[str, Any] = {}
    for word in [] if value is None else value.split(","):
        key, equals, text = word.strip().partition("=")
        if not equals:
            fields["scheme"] = expect_scheme(key)
        elif key == "cutoff":
            fields["cutoff_code"] = parse_cutoff(text)
        elif key == "komi":
            fields["komi"] = parse_komi(text)
        else:
            raise UsageError(f"--scoring {key}= is unknown; write cutoff=G or komi=G")
    if "komi" in fields:
        scheme = fields.setdefault("scheme", Scheme.KOMI)
        if scheme is not Scheme.KOMI:
            raise UsageError(f"--scoring komi= means nothing under {scheme.value}")
    return fields


def _complete_scoring(context: click.Context) -> Iterable[object]:
    return (scheme.value for scheme in Scheme)


def rules_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the options that say how a game is scored, which set `rules`.

    An option that is not given leaves its part to the tags of each game.
    """

    @click.option(
        "--scoring",
        metavar="SCHEME",
        callback=_scoring_of,
        shell_complete=completing(_complete_scoring),
        help=f"Turn scores into points by {_SCHEMES} or komi=G5.75 (default: the game's tags, else "
        "exponential). Behind winner and komi, and for --fifty reset, ,cutoff=G6.0 sets the score "
        "from which all scores are alike.",
    )
    @click.option(
        "--fifty",
        "fifty_moves",
        type=click.Choice([setting.value for setting in FiftyMoveSetting]),
        help="Apply this fifty-move rule (default: the tags of a game, else reset; tables "
        "ignore the rule).",
    )
    @functools.wraps(function)
    def with_rules(*, scoring: dict[str, Any], fifty_moves: Any, **others: Any) -> R:
        rules = Rules(
            **scoring,
            fifty_moves=fifty_moves,
            mobility=others.get("mobility", Mobility.RESET),
        )
        if rules.scheme is not None:
            fifty = rules.fifty_moves or FiftyMoveSetting.RESET
            refuse_idle_cutoff(rules, rules.scheme, fifty)
        return function(rules=rules, **others)

    return with_rules


def refuse_idle_cutoff(rules: Rules, scheme: Scheme, fifty: FiftyMoveSetting | None) -> None:
    """Refuse a cutoff that makes no difference under a scheme and a fifty-move rule."""
    if rules.cutoff_code is None or scheme in (Scheme.WINNER, Scheme.KOMI):
        return
    if fifty is None:
        raise UsageError(f"--scoring cutoff= means nothing under {scheme.value}")
    if fifty is not FiftyMoveSetting.RESET:
        raise UsageError(
            f"--scoring cutoff= means nothing under {scheme.value} and --fifty {fifty.value}"
        )


# Folders of tables.
#
# A folder of --data has the tables of r-mobility and ordinary men. Those of whole-game mobility, or
# with men of your own, are in a folder within it, whose name says so. A command receives the folder
# that has its tables.

_DEFAULT = Path("data")
_DEFAULT_FOLDER = "default: $TBGEN_DATA, else ./data"


def _folders_of_game(
    context: click.Context, option: click.Parameter, values: Sequence[Path]
) -> tuple[Path, ...]:
    """The folders of the game's tables; MissingFolderError if one that is named is not there.

    The default folder may be missing: tbgen comes with tables of its own.
    """
    mobility = context.params.get("mobility", Mobility.RESET)
    return tuple(folder_for(folder, mobility) for folder in _folders(values))


def _folders_of_one_game(
    context: click.Context, option: click.Parameter, values: Sequence[Path]
) -> tuple[Path, ...]:
    """The folders as they are named; all have tables of one game."""
    folders = _folders(values)
    for folder in folders:
        if mobility_of(folder) is not mobility_of(folders[0]):
            raise UsageError(f"{folders[0]} and {folder} have tables of different games")
    return tuple(folders)


def _folders(values: Sequence[Path]) -> Sequence[Path]:
    """The folders that are named, which exist; else the default one, which may be missing."""
    folders = _split(values)
    check_folders(folders)
    return folders or [_DEFAULT]


def _only_folder(context: click.Context, option: click.Parameter, value: Path) -> Path:
    """The folder within it for tables of --game and --man; it need not be there."""
    if len(_split([value])) != 1:
        raise UsageError(f"{value} is more than one folder; name one with --data")
    own = context.params.get("own", ())
    mobility = context.params.get("mobility", Mobility.RESET)
    return folder_for(folder_of_men(value, own), mobility)


def _split(values: Iterable[Path]) -> list[Path]:
    """The folders of values, each of which may join several."""
    folders: list[Path] = []
    for value in values:
        folders += folders_in(str(value))
    return folders


_folders_option = functools.partial(
    click.option,
    "--data",
    "folders",
    metavar="DIR",
    type=FOLDER,
    multiple=True,
    envvar="TBGEN_DATA",
    help=f"Use the tables in DIR; repeat it, or join several with {os.pathsep} "
    f"({_DEFAULT_FOLDER}).",
)
folders_option = _folders_option(callback=_folders_of_game)
"""Sets `folders`, of which the default may be missing."""
any_folders_option = _folders_option(callback=_folders_of_one_game)
"""The same for commands that know the game and the men by the names of the folders."""

data_option = click.option(
    "--data",
    metavar="DIR",
    type=FOLDER,
    envvar="TBGEN_DATA",
    default="data",
    callback=_only_folder,
    help=f"Put the tables into DIR ({_DEFAULT_FOLDER}).",
)


def _syzygy_of(
    context: click.Context, option: click.Parameter, values: Sequence[Path]
) -> tuple[Path, ...] | None:
    return tuple(_split(values)) or None


syzygy_option = functools.partial(
    click.option, "--syzygy", metavar="DIR", type=FOLDER, multiple=True, callback=_syzygy_of
)
"""Makes the option with the help of a command. It sets `syzygy`, which is None without folders."""
SYZYGY_TABLES = f"the Syzygy tables in DIR; repeat it, or join several with {os.pathsep}"
