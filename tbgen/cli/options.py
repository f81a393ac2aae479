"""How commands and options are declared, those that several commands share, and combinations that mean nothing.

A position is typed as the words of a FEN and moves after it. `tbgen help` and `tbgen completion` are here, too.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource

from tbgen.apps.games.tags import Rules, parse_cutoff
from tbgen.cli import COMMANDS, QUIET
from tbgen.cli.showing import Form
from tbgen.errors import MaterialError, MissingFolderError, UsageError, build_options
from tbgen.material import (
    FEWEST_TABLE_MEN,
    MOST_BUILT_MEN,
    Material,
    all_materials,
    materials,
    table_material,
)
from tbgen.men import Man, own_men
from tbgen.rules.notation import START, fen_and_moves
from tbgen.rules.points import Scheme
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.score import LIKE_A_SCORE, Mobility, Score, expect_mobility
from tbgen.storage.files import folder_for, folder_of_men, folders_in, men_of_folder, tables_of

T = TypeVar("T")


class Named(click.Path):
    """The name of a file or folder; a shell completes it. A variable that is not set leaves an empty one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return (
            super().convert(value, param, ctx)
            if value
            else self.fail("it is empty; give a name", param, ctx)
        )


NAME = Named(readable=False)
"""Anything that may be the name of a file, as it is typed."""
FILE = Named(path_type=Path, dir_okay=False)
OLD_FILE = Named(path_type=Path, dir_okay=False, exists=True)
FOLDER = Named(path_type=Path, file_okay=False)
OLD_FOLDER = Named(path_type=Path, file_okay=False, exists=True)
MOST_THREADS = 1024
_NEGATIVE_SCORE = re.compile(f"(?=-){LIKE_A_SCORE}")


class CommandOption(click.Option):
    """An option; `needs` names another one without which it means nothing.

    Its help ends with its default, and shows by the type or the `metavar` what it takes.
    """

    def __init__(self, names: Sequence[str], *, needs: str = "", **settings: Any) -> None:
        kind, default = settings.get("type"), settings.get("default")
        if default is not None and "(default" not in settings["help"]:
            settings["help"] = f"{settings['help'][:-1]} (default {default})."
        if needs:
            settings["help"] = f"With {needs}: {settings['help'][0].lower()}{settings['help'][1:]}"
        if isinstance(kind, click.Path):
            settings.setdefault("metavar", "FILE" if kind.file_okay else "DIR")
        elif kind is int or isinstance(kind, click.IntRange):
            settings.setdefault("metavar", "N")
        super().__init__(names, **settings)
        self.needs = needs

    def is_given(self, ctx: click.Context) -> bool:
        """Whether it stands on the command line and asks for anything; $TBGEN_DATA is there for all commands."""
        is_typed = ctx.get_parameter_source(self.name or "") is ParameterSource.COMMANDLINE
        return is_typed and ctx.params.get(self.name or "", True) not in (False, Form.TABLE)


Declare = Callable[[str], list[click.Parameter]]
"""Makes the options and arguments of a parameter from its name."""


def option(
    text: str, *names: str, kind: type[CommandOption] = CommandOption, **settings: Any
) -> Any:
    """Declare an option and its help, as the default of the parameter that it sets; its long name is the parameter's.

    A long name among `names` takes the place of the parameter's, and a short one stands beside it.
    """

    def declare(name: str) -> list[click.Parameter]:
        has_long = any(each.startswith("--") for each in names)
        spelled = names if has_long else (*names, f"--{name.replace('_', '-')}")
        return [kind([name, *spelled], help=text, **settings)]

    return declare


flag: Callable[..., Any] = functools.partial(option, is_flag=True)
"""Declare an option that takes nothing."""


def argument(**settings: Any) -> Any:
    """Declare an argument, as the default of the parameter that it sets."""
    return lambda name: [click.Argument([name], **settings)]


class Gathered:
    """Declares options that a command is given together, as one value, which a function makes of them."""

    def __init__(self, make: Callable[..., object], **parts: Any) -> None:
        self.make, self.parts = make, parts

    def __call__(self, name: str) -> list[click.Parameter]:
        return declared(self.parts)


def declared(parameters: Mapping[str, Declare]) -> list[click.Parameter]:
    """The options and arguments that some parameters declare."""
    return [each for name, declare in parameters.items() for each in declare(name)]


class Command(click.Command):
    """A command, whose function declares options as defaults of its parameters.

    It takes `-q` and refuses combinations of options; of each of `alone` only one may be given. A word of `alone` is
    an option, or an option and its value. Where a position is asked, `-G2.5` is no option, but the score of a FEN.
    """

    def __init__(
        self,
        name: str,
        callback: Callable[..., Any],
        *,
        alone: Sequence[tuple[str, ...]] = (),
        **settings: Any,
    ) -> None:
        super().__init__(name, callback=callback, **settings)
        self.parameters = {
            word: each.default for word, each in signature(callback).parameters.items()
        }
        quiet = click.Option(
            ("-q", "--quiet"),
            is_flag=True,
            expose_value=False,
            help="Print results and errors only.",
            callback=lambda ctx, option, value: ctx.meta.update({QUIET: value}),
        )
        self.params = [quiet, *declared(self.parameters)]
        self.alone = alone

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = [option for option in self.params if isinstance(option, click.Option)]
        if ASKED in self.parameters.values():
            takers = {name for option in options if not option.is_flag for name in option.opts}
            args = [
                f" {word}" if _NEGATIVE_SCORE.fullmatch(word) and before not in takers else word
                for before, word in zip(["", *args], args, strict=False)
            ]
        rest = super().parse_args(ctx, args)
        if ctx.resilient_parsing:
            return rest  # a shell completes the line: the option that another one needs may still follow
        typed = [
            option
            for option in options
            if isinstance(option, CommandOption) and option.is_given(ctx)
        ]
        given = [name for option in typed for name in option.opts]
        given += [f"{option.opts[-1]} {ctx.params[option.name or '']}" for option in typed]
        for names in self.alone:
            refuse_together([name for name in names if name in given])
        for option in typed:
            if option.needs and option.needs not in given:
                raise UsageError(f"{option.opts[-1]} means nothing without {option.needs}")
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function, with each group of options as the one value that is made of them."""
        for name, each in self.parameters.items():
            if isinstance(each, Gathered):
                ctx.params[name] = each.make(**{part: ctx.params.pop(part) for part in each.parts})
        return super().invoke(ctx)


def completing(words: Callable[[click.Context], Iterable[object]]) -> Callable[..., list[str]]:
    """How a shell completes a word: by those that begin as what was typed."""
    return lambda ctx, param, incomplete: [
        str(each) for each in words(ctx) if str(each).startswith(incomplete)
    ]


class _FormOption(CommandOption):
    """`--format`, for which `--json` is short where it asks for JSON."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        parser.add_option(self, ["--json"], self.name, action="store_const", const=Form.JSON.value)
        parser.add_option(self, ["--format"], self.name, action="store")


def _rules_of(cutoff: str | None, **given: Any) -> Rules:
    """The rules that the options give, from texts; what they leave out comes from the tags of each game."""
    code = None if cutoff is None else parse_cutoff(cutoff)
    mobility = click.get_current_context().params.get("mobility", Mobility.RESET)
    rules = Rules(cutoff_code=code, mobility=mobility, **given)
    if rules.scheme is not None:
        refuse_idle(rules, rules.scheme, rules.fifty_moves or FiftyMoveSetting.RESET)
    return rules


def refuse_idle(rules: Rules, scheme: Scheme, fifty: FiftyMoveSetting | None) -> None:
    """Refuse a cutoff or a komi that makes no difference under a scheme and a fifty-move rule."""
    if rules.komi is not None and scheme is not Scheme.KOMI:
        raise UsageError(f"--komi means nothing under --scoring {scheme.value}")
    needs_no_cutoff = (
        scheme not in (Scheme.WINNER, Scheme.KOMI) and fifty is not FiftyMoveSetting.RESET
    )
    if rules.cutoff_code is not None and needs_no_cutoff:
        others = "" if fifty is None else f" and --fifty {fifty.value}"
        raise UsageError(f"--cutoff means nothing under --scoring {scheme.value}{others}")


def not_empty(found: T, otherwise: str) -> T:
    """The argument itself; if it is empty, UsageError with the other text."""
    if not found:
        raise UsageError(otherwise)
    return found


def refuse_together(names: Sequence[str]) -> None:
    """Refuse options that mean nothing together."""
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} cannot be given together")


def refuse_beside(given: str, options: Mapping[str, object]) -> None:
    """Refuse options, by their names and values, that mean nothing together with one that is given."""
    there = [name for name, value in options.items() if value not in (None, False, ())]
    refuse_together([given, *there[:1]])


_DEFAULT = "default: $TBGEN_DATA, else ./data"


def check_folders(folders: Sequence[Path]) -> None:
    """MissingFolderError for a folder that is not there."""
    for folder in folders:
        if not folder.is_dir():
            raise MissingFolderError(str(folder))


def _folders_of(
    ctx: click.Context, option: click.Parameter, values: Sequence[Path], *, expected: bool
) -> tuple[Path, ...]:
    """The folders for the tables of --game. They must be there, but for the default folder if it is not expected."""
    own = ctx.params.get("own", ())
    folders = [folder_of_men(folder, own) for value in values for folder in folders_in(str(value))]
    if expected or ctx.get_parameter_source("folders") is not ParameterSource.DEFAULT:
        check_folders(folders)
    return tuple(_of_tables(ctx, folder) for folder in folders)


def _of_tables(ctx: click.Context, folder: Path) -> Path:
    """Where a folder has the tables of --game and --man."""
    return folder_for(
        folder_of_men(folder, ctx.params.get("own", ())), ctx.params.get("mobility", Mobility.RESET)
    )


def _only_one(ctx: click.Context, option: click.Parameter, value: Path) -> Path:
    if len(folders_in(str(value))) != 1:
        raise UsageError(f"{value} is more than one folder; name one with --data")
    return _of_tables(ctx, value)


_any_folders = functools.partial(
    option,
    f"Use the tables in DIR; repeat it, or join several with {os.pathsep} ({_DEFAULT}).",
    "--data",
    type=FOLDER,
    envvar="TBGEN_DATA",
    default=("data",),
    multiple=True,
)


_FEN_FIELDS = 6


class Asked(NamedTuple):
    """The parts of a position that a user typed."""

    words: tuple[str, ...]
    accrued: str | None

    def read(self) -> tuple[str, list[str], Score | None]:
        """The FEN, all moves after it, and the score of --accrued; UsageError if the FEN gives another score."""
        fen, more = fen_and_moves(
            not_empty(self.words, "give a FEN, or startpos; --help says more")
        )
        name = self.words[0]
        with suppress(MaterialError):
            Material.parse(name)
            raise UsageError(
                f"{name} is a material and no position; what its table holds is shown by: tbgen list {name}"
            )
        score, fields = None if self.accrued is None else Score(self.accrued), fen.split()
        if (
            score is not None
            and len(fields) > _FEN_FIELDS
            and (written := Score(fields[_FEN_FIELDS])) != score
        ):
            raise UsageError(
                f"the FEN says that {written} has accrued, and --accrued that {score} has; give one of them"
            )
        return fen, more, score


def _a_position(ctx: click.Context, param: click.Parameter, incomplete: str) -> Sequence[object]:
    """Complete the only position that has a name; or a file, where the command line names files already."""
    if ctx.params.get("files"):
        return NAME.shell_complete(ctx, param, incomplete)
    return [START] if START.startswith(incomplete) else []


ASKED: Any = Gathered(
    Asked,
    words=argument(nargs=-1, metavar="[FEN] [MOVE]...", shell_complete=_a_position),
    accrued=option(
        "Set the accrued score, such as G2.5 (default: that of the FEN, else the position's own).",
        metavar="G",
    ),
)
"""A position, and moves after it."""

DATA = option(
    f"Put the tables into DIR ({_DEFAULT}).",
    type=FOLDER,
    envvar="TBGEN_DATA",
    default="data",
    callback=_only_one,
)
FILES = argument(nargs=-1, metavar="IN.pgn...", type=NAME)
FOLDERS = _any_folders(callback=functools.partial(_folders_of, expected=True))
"""The folders of tables of the game that is asked for, as `folders`."""
OPTIONAL_FOLDERS = _any_folders(callback=functools.partial(_folders_of, expected=False))
"""The same, where the default folder may be missing."""

FORCE = flag("Replace a file that has more in it, too.")
FORM = option(
    "Print in this format; --json is short for --format json.",
    *("--json", "--format"),
    kind=_FormOption,
    type=click.Choice([form.value for form in Form]),
    default=Form.TABLE.value,
    callback=lambda ctx, option, value: Form(value),
)
JOBS = option("Share each file among N processes.", type=click.IntRange(1, MOST_THREADS), default=1)
MOBILITY = option(
    "Play r-mobility, where captures and pawn moves reset the accrued score, or count the whole game.",
    "--game",
    type=click.Choice([mobility.value for mobility in Mobility]),
    default=Mobility.RESET.value,
    callback=lambda ctx, option, value: expect_mobility(value),
    is_eager=True,  # the options that name folders ask for it, as `mobility`
)
OWN = option(
    "Add a man of your own, a letter and his moves in Betza's notation; repeat it for more.",
    "--man",
    multiple=True,
    metavar="M=WF",
    callback=lambda ctx, option, values: own_men(values),
    is_eager=True,  # as --game
)
"""Men of your own, as `own`; the options that name folders ask for it."""
RULES: Any = Gathered(
    _rules_of,
    scheme=option(
        "Turn scores into points by this scheme (default: the game's tags, else exponential).",
        "--scoring",
        type=click.Choice([scheme.value for scheme in Scheme]),
    ),
    cutoff=option(
        "Treat scores from G on alike, under winner, komi and --fifty reset (default G6.0).",
        metavar="G",
    ),
    komi=option("Set the score to beat under --scoring komi (default G5.75).", metavar="G"),
    fifty_moves=option(
        "Apply this fifty-move rule (default: the game's tags, else reset; a value of a table ignores the rule).",
        "--fifty",
        type=click.Choice([setting.value for setting in FiftyMoveSetting]),
    ),
)
STRICT = flag("Exit with code 3 if a missing table makes a score provisional.")
THREADS = option(
    "Use N threads (default: one per processor).", type=click.IntRange(1, MOST_THREADS)
)


syzygy_option = functools.partial(
    option,
    f"Tighten bounds by the Syzygy tables in DIR; repeat it, or join several with {os.pathsep}.",
    type=FOLDER,
    multiple=True,
    callback=lambda ctx, option, values: (
        tuple(each for value in values for each in folders_in(str(value))) or None
    ),
)
"""Folders of tables of ordinary chess, as `syzygy`; None without them."""


class Wanted(NamedTuple):
    """Materials that a user names, by name or by number of men."""

    names: tuple[str, ...]
    men: int | None
    every: bool

    @property
    def given(self) -> list[str]:
        """The names and options that the user gave."""
        options = {
            " ".join(self.names): self.names,
            "--men": self.men is not None,
            "--all": self.every,
        }
        return [name for name, is_given in options.items() if is_given]

    def materials(
        self,
        most: int = MOST_BUILT_MEN,
        every: Callable[[], list[Material]] = all_materials,
        own: Sequence[Man] = (),
    ) -> list[Material]:
        """The materials, each of at most `most` men; with --all, those that `every` gives, of two to five men.

        `own` are men of your own that they may have.
        """
        refuse_together(
            not_empty(self.given, "name materials such as KBvK, or give --men N, or --all")
        )
        if self.every:
            return every()
        if self.men is None:
            return [table_material(name, most, own) for name in self.names]
        if not FEWEST_TABLE_MEN <= self.men <= most:
            raise UsageError(
                f"tables have {FEWEST_TABLE_MEN} to {most} men, kings included, not {self.men}"
            )
        return materials(self.men, own)


_names_argument = functools.partial(argument, nargs=-1, metavar="[MATERIAL]...")

names_argument = _names_argument(
    shell_complete=completing(
        lambda ctx: (material for material, _ in tables_of(ctx.params.get("folders") or ()))
    )
)
"""Materials whose tables are there, as `names`."""


def wanted_options(every: str, *, built: bool = False) -> Any:
    """Materials by name or by number of men, as `wanted`; `every` says what --all means."""
    return Gathered(
        Wanted,
        names=names_argument
        if built
        else _names_argument(shell_complete=completing(lambda ctx: all_materials())),
        men=option("Take every material of N men, kings included.", type=int),
        every=flag(f"Take {every}.", "--all"),
    )


def named_or_there(names: Sequence[str], folders: Sequence[Path]) -> list[Material]:
    """The materials that are named, else those whose tables are in the folders; UsageError if there are none."""
    own = men_of_folder(folders[0]) if folders else ()
    named = [table_material(name, MOST_BUILT_MEN, own) for name in names]
    return not_empty(named or [each for each, _ in tables_of(folders)], no_tables(folders))


def no_tables(folders: Sequence[Path]) -> str:
    """The message about empty folders."""
    where = ", ".join(map(str, folders))
    return f"no tables in {where}; build some with: tbgen build --men 3{build_options(where)}"


@click.command("help", cls=Command)
def help_command(
    *,
    words: tuple[str, ...] = argument(
        nargs=-1, metavar="[COMMAND]...", shell_complete=completing(lambda ctx: COMMANDS)
    ),
) -> None:
    """Show the help of a command, or of all.

    \b
    Examples:
      tbgen help
      tbgen help study record
    """
    click.get_current_context().find_root().command.main(
        [*words, "--help"], prog_name="tbgen", standalone_mode=False
    )


@click.command("completion", cls=Command)
def completion(*, shell: str = argument(type=click.Choice(["bash", "zsh", "fish"]))) -> None:
    """Print a script by which a shell completes commands, options, materials and files.

    \b
    Examples:
      tbgen completion bash >> ~/.bashrc
      tbgen completion fish > ~/.config/fish/completions/tbgen.fish
    """
    from click.shell_completion import shell_complete

    shell_complete(
        click.get_current_context().find_root().command,
        {},
        "tbgen",
        "_TBGEN_COMPLETE",
        f"{shell}_source",
    )
