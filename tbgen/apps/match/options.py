"""The options of a match as cutechess-cli and fastchess spell them, on a command line or in a TOML file.

`OPTIONS` says how each option is written, its help, and which settings it makes. A file becomes the words of a command
line, which stand before those that are typed; words without a meaning are errors.
"""

from __future__ import annotations

import enum
import os
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from tbgen.apps.games.tags import parse_cutoff
from tbgen.apps.match.engine import EngineSpec, TimeControl, nearest, parse_time_control
from tbgen.apps.match.settings import (
    VARIANTS,
    Format,
    MatchSettings,
    OpeningSettings,
    PlayRules,
    Policy,
    Resign,
    TableSettings,
    Tournament,
)
from tbgen.apps.match.statistics import Model, Sprt
from tbgen.errors import InputError, UsageError
from tbgen.facts import flattened
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting
from tbgen.rules.points import Scheme, Scoring, parse_komi


class Spelling(NamedTuple):
    """What an option takes: its form in the help, and how it is read."""

    form: str
    read: Callable[[str], Any] = str
    """Makes a setting of a word; an InputError says what the word is not, a ValueError that it makes no sense."""
    alone: str | None = None
    """The word that the name of the option stands for, if no word follows."""


def at_least(least: int, kind: Callable[[str], float] = int) -> Spelling:
    """Finite numbers, whole ones unless `kind` is float."""

    def read(word: str) -> float:
        if not least <= (value := kind(word)) < float("inf"):
            raise UsageError(f"is at least {least} and finite, not {value}")
        return value

    return Spelling("N", read)


def named(names: Mapping[str, Any], form: str = "") -> Spelling:
    """The words of a table, in upper or lower case."""

    def read(word: str) -> Any:
        found = word if word in names else word.lower()
        if found not in names:
            raise UsageError(f"is one of {', '.join(names)}, not {word!r}{nearest(word, names)}")
        return names[found]

    return Spelling(form or "|".join(names), read)


def choice(kind: type[enum.Enum], **others: enum.Enum) -> Spelling:
    """The values of an enum, and other words for some of them."""
    values = {each.value: each for each in kind}
    return named(values | others, "|".join(values))


TEXT, FILE, DIRS = Spelling("NAME"), Spelling("FILE", Path), Spelling("DIRS")
COUNT, POSITIVE, AMOUNT, NUMBER = at_least(0), at_least(1), at_least(0, float), Spelling("N", float)
MILLISECONDS = Spelling("N", lambda word: float(AMOUNT.read(word)) / 1000)
SWITCH = named({"on": True, "off": False, "true": True, "false": False}, "on|off")._replace(
    alone="on"
)
FLAG = SWITCH._replace(form="")
_ALSO = {"standard": "chess", "fischerandom": "chess960", "threecheck": "3check"}


class Option(NamedTuple):
    """An option, or a key of a group."""

    name: str
    word: Spelling
    set: str = ""
    """The settings that it makes, separated by spaces."""
    help: str = ""
    keys: Mapping[str, Option] = {}
    """The options of a group by name; it takes the value of its key `file` without the key, too."""

    @property
    def form(self) -> str:
        """What stands behind the name of the option; keys that have help of their own are not listed."""
        return (
            " ".join(f"{name}=" for name, each in self.keys.items() if not each.help)
            or self.word.form
        )


def by_name(*options: Option) -> dict[str, Option]:
    """Some options by their names."""
    return {each.name: each for each in options}


def grouped(name: str, text: str, *options: Option) -> Option:
    """An option that takes words such as `key=value`."""
    return Option(name, Spelling("key=value ..."), "", text, by_name(*options))


_UCI_OPTION = "option.NAME"
_ENGINE = (
    Option("cmd", Spelling("FILE"), "program", "The program; a name is looked up as in a shell."),
    Option("name", TEXT, "name", "Its name (default: its `id name`)."),
    Option("dir", Spelling("DIR", Path), "folder", "Its folder."),
    Option(
        "arg",
        Spelling("NAME", lambda word: [word]),
        "arguments",
        "An argument; give it once for each.",
    ),
    Option("args", Spelling("NAME", shlex.split), "arguments", "Its arguments, as in a shell."),
    Option(_UCI_OPTION, Spelling("VALUE"), "options.", "A UCI option."),
    Option("hash", Spelling("N"), "options.Hash", "Short for option.Hash."),
    Option("threads", Spelling("N"), "options.Threads", "Short for option.Threads."),
    Option(
        "tc",
        Spelling("[MOVES/]TIME[+INC]", parse_time_control),
        "control",
        "Seconds or minutes:seconds, or inf.",
    ),
    Option("st", AMOUNT, "limits.each_move", "Seconds for each move."),
    Option("nodes", POSITIVE, "limits.nodes", "Nodes for each move."),
    Option("depth", POSITIVE, "limits.plies", "Plies for each move."),
    Option("plies", POSITIVE, "limits.plies", "The same as depth."),
    Option(
        "timemargin", MILLISECONDS, "limits.margin", "Milliseconds tolerated over the time limit."
    ),
    Option(
        "hang", AMOUNT, "hang", "Seconds for a move of an engine without a clock (default 300)."
    ),
    Option(
        "restart",
        named({"on": True, "off": False, "auto": False}),
        "restart",
        "on: anew for every game.",
    ),
    Option("stderr", FILE, "stderr", "The log of its standard error."),
    Option("whitepov", SWITCH, "white_view", "Its scores are always White's."),
    Option("proto", named({"uci": None}), "", "uci, and no other; a proxy may translate."),
)
OPTIONS = by_name(
    grouped("engine", "An engine; give it once for each.", *_ENGINE),
    grouped("each", "Options for all engines.", *_ENGINE),
    Option(
        "config",
        FILE,
        "config",
        "A TOML file with the same names; the command line takes precedence.",
    ),
    Option("games", POSITIVE, "plan.games", "Games of an encounter in each round (default 2)."),
    Option("rounds", POSITIVE, "plan.rounds", "Rounds (default 1)."),
    Option(
        "repeat",
        Spelling("[N]", POSITIVE.read, "2"),
        "plan.repeat",
        "Games with an opening (default 2).",
    ),
    Option(
        "noswap",
        Spelling("", lambda word: not FLAG.read(word), "on"),
        "plan.swap",
        "Do not swap colours.",
    ),
    Option(
        "tournament",
        choice(Format, roundrobin=Format.ROUND_ROBIN),
        "plan.format",
        "Who plays whom.",
    ),
    Option(
        "seeds", POSITIVE, "plan.seeds", "The first N play all others (gauntlet), or are seeds."
    ),
    Option(
        "variant",
        named({name: name for name in VARIANTS} | _ALSO, "NAME"),
        "variant",
        f"{', '.join(VARIANTS)}.",
    ),
    Option("concurrency", POSITIVE, "concurrency", "Games at a time (default 1)."),
    grouped(
        "openings",
        "Openings from a file: format epd or pgn, order sequential or random, "
        f"policy {', '.join(each.value for each in Policy)}; plies and start as in cutechess-cli.",
        Option("file", FILE, "openings.file"),
        Option("format", named({"epd": False, "pgn": True}), "openings.pgn"),
        Option("order", named({"sequential": False, "random": True}), "openings.random"),
        Option("start", POSITIVE, "openings.start"),
        Option("plies", COUNT, "openings.plies"),
        Option("policy", choice(Policy), "plan.policy"),
    ),
    Option(
        "scoring",
        choice(Scheme, rMobilityWinner=Scheme.WINNER),
        "rules.scoring.scheme",
        "The scoring that decides (default exponential); all are shown.",
    ),
    Option(
        "cutoff",
        Spelling("G", parse_cutoff),
        "rules.scoring.cutoff_code rules.fifty_moves.cutoff_code",
        "The score from which winner, komi and -fifty reset treat all scores alike (default G6.0).",
    ),
    Option(
        "komi",
        Spelling("G", parse_komi),
        "rules.scoring.komi",
        "The score to beat under komi (default G5.75).",
    ),
    Option(
        "fifty",
        choice(FiftyMoveSetting),
        "rules.fifty_moves.setting",
        "The fifty-move rule (default reset).",
    ),
    grouped(
        "resign",
        "An engine loses with G0.0 after so many evaluations in a row at -score or below.",
        Option("movecount", POSITIVE, "rules.resign.moves"),
        Option("score", COUNT, "rules.resign.centipawns"),
        Option("twosided", SWITCH, "rules.resign.two_sided"),
    ),
    Option(
        "maxmoves", POSITIVE, "rules.most_moves", "End a game after N moves with its accrued score."
    ),
    Option("tb", DIRS, "tables.folders", "Folders of r-mobility tables that decide games exactly."),
    Option("tbpieces", POSITIVE, "tables.men", "Ask tables at N men or fewer (default 5)."),
    Option(
        "tbadjudicate",
        SWITCH,
        "rules.adjudicate",
        "Off: note the tables' verdict and play on (default on).",
    ),
    Option("syzygy", DIRS, "tables.syzygy", "Folders of Syzygy tables; only their wins end games."),
    Option(
        "syzygypieces",
        POSITIVE,
        "tables.syzygy_men",
        "Ask Syzygy tables at N men or fewer (default 7).",
    ),
    Option(
        "tbignore50",
        FLAG,
        "tables.ignore_fifty_moves",
        "Ignore the fifty-move rule in Syzygy wins.",
    ),
    grouped(
        "sprt",
        "Stop when a test of the first engine against the second is decided: "
        f"model {', '.join(each.value for each in Model)}.",
        Option("elo0", NUMBER, "sprt.elo0"),
        Option("elo1", NUMBER, "sprt.elo1"),
        Option("alpha", AMOUNT, "sprt.alpha"),
        Option("beta", AMOUNT, "sprt.beta"),
        Option("model", choice(Model), "sprt.model"),
    ),
    Option(
        "report", named({"penta=true": None}), "", "As fastchess writes it; pairs are always shown."
    ),
    grouped(
        "pgnout",
        "Append every game to a file; needed for -recover.",
        Option("file", FILE, "pgn"),
        Option("fi", SWITCH, "", "As cutechess-cli writes it."),
        Option("notation", named({"san": None}), "", "san, and no other."),
        Option("append", named({"true": None}), "", "true, and no other."),
    ),
    Option("jsonout", FILE, "json", "Write the standings as JSON at the end."),
    Option(
        "crosstable",
        FILE,
        "crosstable",
        "Write the cross table at the end as the site of TCEC reads it.",
    ),
    Option("force", FLAG, "force", "Let -jsonout and -crosstable replace files with more games."),
    Option(
        "recover",
        FLAG,
        "recover",
        "Continue an interrupted match; no game is lost or played twice.",
    ),
    Option("event", TEXT, "event", "The Event tag."),
    Option("site", TEXT, "site", "The Site tag."),
    Option("srand", COUNT, "seed", "The seed of the order of openings and of lots."),
    Option("wait", MILLISECONDS, "wait", "Milliseconds between games."),
    Option(
        "ratinginterval",
        COUNT,
        "rating_interval",
        "Show the standings every N games (default 10; 0: never).",
    ),
    Option("quiet", FLAG, "quiet", "Show the standings at the end, and nothing before; short -q."),
    Option("debug", FLAG, "debug", "Print the lines between the referee and the engines."),
)
"""Name -> the option, in the order of the help."""
_NEEDS = {
    "tbpieces": ("tb",),
    "tbadjudicate": ("tb", "syzygy"),
    "syzygypieces": ("syzygy",),
    "tbignore50": ("syzygy",),
}
"""Option -> those without which it means nothing; one of them is enough."""

ALIASES = {
    "q": OPTIONS["quiet"],
    "rMobilityType": OPTIONS["scoring"],
    "rMobilityCutoff": OPTIONS["cutoff"],
    "defaultKomi": OPTIONS["komi"],
    "legacyMode": Option(
        "legacyMode",
        Spelling("", lambda word: FiftyMoveSetting.LEGACY, "on"),
        "rules.fifty_moves.setting",
    ),
}
"""Words of the fork of Cute Chess for r-mobility, and of the other commands of tbgen -> what they mean here."""
_NAMES = {**OPTIONS, **ALIASES}

REFUSED = {
    "solve": "solve the last positions of a finished match with: tbgen adjudicate GAMES --solve",
    "draw": "there are no draws under r-mobility: a game is played on for the score, or decided by -tb",
    **dict.fromkeys(
        ("book", "bookdepth", "bookmode"),
        "Polyglot books are not read; give openings with -openings",
    ),
    "engines": "engines are given with -engine or in a TOML file",
    "conf": "there are no configured engines; a TOML file with -config does the same",
    "initstr": "set options with option.NAME=VALUE",
    "ponder": "engines do not think on the time of others",
    "trust": "no engine's word is taken for the end of a game",
    "epdout": "the final positions are in the games of -pgnout; tbgen score --pgn shows them",
    "log": "-debug prints all lines between the referee and the engines; keep them with 2> FILE",
    "use-affinity": "bind the whole program with taskset",
    "quick": "write out -engine, -openings and -each",
}
"""Options of the other programs that tbgen does not offer, and why."""

_KINDS = {
    "rules.fifty_moves": FiftyMoves,
    "rules.scoring": Scoring,
    "rules.resign": Resign,
    "rules": PlayRules,
    "openings": OpeningSettings,
    "tables": TableSettings,
    "sprt": Sprt,
    "plan": Tournament,
}
"""Setting that is made of others, the inner ones first -> its class."""


Given = dict[str, list[dict[str, Any]]]
"""Option -> the settings that it makes, each time that it is given."""


def settings_of(arguments: Iterable[str]) -> MatchSettings:
    """The settings from a command line and its -config file, which the command line overrides.

    Combinations of options that make no sense are refused, and options that change nothing.
    """
    typed = list(arguments)
    given = parse_arguments(typed)
    if "config" in given:
        given = parse_arguments([*arguments_in(given["config"][-1]["config"]), *typed])
    settings = _settings_in(given)
    engines, plan, sprt = len(settings.engines), settings.plan, settings.sprt or Sprt()
    most_rounds = engines - 1 + engines % 2
    _refuse(
        {
            "a match needs two engines: -engine cmd=FILE ... -engine cmd=FILE ...": engines < 2,
            "-sprt tests one engine against one other; give two engines": "sprt" in given
            and engines != 2,
            f"-sprt: elo0 is less than elo1, not {sprt.elo0:g} and {sprt.elo1:g}": sprt.elo0
            >= sprt.elo1,
            "-sprt: alpha and beta are between 0 and 0.5": not (
                0 < sprt.alpha < 0.5 and 0 < sprt.beta < 0.5
            ),
            "-openings needs file=FILE": "openings" in given and settings.openings.file is None,
            "-recover needs -pgnout, the file of its games": settings.recover and not settings.pgn,
            "-tb and -syzygy mean nothing with -variant: tables are those of chess": (
                settings.variant not in VARIANTS[:2]
                and not given.keys().isdisjoint({"tb", "syzygy"})
            ),
            "-tournament swiss needs -rounds": plan.format is Format.SWISS
            and "rounds" not in given,
            f"-rounds {plan.rounds}: without meeting twice, {engines} engines play {most_rounds} at most": (
                plan.format is Format.SWISS and plan.rounds > most_rounds
            ),
            "-seeds means nothing without -tournament gauntlet or knockout": (
                "seeds" in given and plan.format not in (Format.GAUNTLET, Format.KNOCKOUT)
            ),
            f"-seeds {plan.seeds} leaves no gauntlet with {engines} engines": (
                plan.format is Format.GAUNTLET and plan.seeds >= engines
            ),
            "-rounds means nothing with -tournament knockout; -games sets the length of a meeting": (
                "rounds" in given and plan.format is Format.KNOCKOUT
            ),
            **{
                f"-{name} means nothing without -{' or -'.join(needed)}": name in given
                and not given.keys() & needed
                for name, needed in _NEEDS.items()
            },
        }
    )
    return settings


def _refuse(reasons: Mapping[str, bool]) -> None:
    """Raise a UsageError with the first reason that applies."""
    if applying := [reason for reason, applies in reasons.items() if applies]:
        raise UsageError(applying[0])


def parse_arguments(arguments: Iterable[str]) -> Given:
    """The options of a command line."""
    given, left = Given(), list(arguments)
    while left:
        word = left.pop(0)
        name = word.lstrip("-")
        if name in ("", word):
            raise UsageError(f"{word!r} belongs to no option; options start with a dash")
        option = _known("-", name, _NAMES)
        if option.keys:
            made = _group(option, left)
        else:
            follows = (
                left
                and option.word.form
                and (option.word.alone is None or not left[0].startswith("-"))
            )
            made = _read("-", name, option, left.pop(0) if follows else None)
        given.setdefault(option.name, []).append(made)
    return given


def _group(option: Option, left: list[str]) -> dict[str, Any]:
    """The settings of the words of a group, which are taken off those that are left."""
    before, keys, found = f"-{option.name} ", option.keys, list[dict[str, Any]]()
    while left and not left[0].startswith("-"):
        key, equals, value = left.pop(0).partition("=")
        if not (equals or found or key in keys) and "file" in keys:
            key, equals, value = "file", "=", key
        known = _known(before, _UCI_OPTION if key.startswith("option.") else key, keys)
        made = _read(before, key, known, value if equals else None)
        if key == "arg":
            made["arguments"] = [*_merged(found).get("arguments", []), value]
        found.append(made)
    if not found:
        raise UsageError(f"-{option.name} needs values: -{option.name} {option.form}")
    return _merged(found)


def _read(before: str, name: str, option: Option, given: str | None) -> dict[str, Any]:
    """The settings that an option makes of a word, or of its name alone; `before` precedes the name in errors."""
    word = option.word.alone if given is None else given
    if word is None:
        raise UsageError(
            f"{before}{name} needs a value: {before}{name}{'=' if ' ' in before else ' '}{option.form}"
        )
    try:
        value = option.word.read(word)
    except InputError as error:
        raise UsageError(f"{before}{name} {error}") from None
    except ValueError:
        raise UsageError(f"{before}{name}={word} makes no sense") from None
    if option.name == _UCI_OPTION:
        return {name.replace("option", "options", 1): value}
    return dict.fromkeys(option.set.split(), value)


def _merged(groups: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The settings of groups in order; later ones take precedence."""
    return {name: value for group in groups for name, value in group.items()}


def _known(before: str, name: str, known: Mapping[str, Option]) -> Option:
    """The option of a name; UsageError if there is none. `before` precedes the name in errors."""
    if name in known:
        return known[name]
    if name in REFUSED:
        raise UsageError(f"{before}{name} is not offered: {REFUSED[name]}")
    raise UsageError(f"unknown option {before}{name}{nearest(name, known)}")


def arguments_in(path: Path) -> Iterator[str]:
    """A file as a command line; `[[engine]]` is repeated, `option.Hash = 16` is an option of an engine."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or too deep
        raise UsageError(f"{path}: {' '.join(str(error).split())}") from None
    for name, value in found.items():
        for each in value if isinstance(value, list) else [value]:
            if each is not False:
                yield f"-{name}"
            if isinstance(each, dict):
                for key, given in flattened(each):
                    for one in given if isinstance(given, list) else [given]:
                        yield f"{key}={str(one).lower() if isinstance(one, bool) else one}"
            elif not isinstance(each, bool):
                yield str(each)


def _settings_in(given: Given) -> MatchSettings:
    engines = tuple(
        _engine(_merged([*given.get("each", []), own])) for own in given.get("engine", [])
    )
    parts: dict[str, Any] = {"plan.players": len(engines)}
    parts |= _merged(
        chain.from_iterable(
            given[name] for name in given if name not in ("engine", "each", "config")
        )
    )
    book = parts.get("openings.file", Path())
    parts.setdefault("openings.pgn", ".pgn" in [suffix.lower() for suffix in book.suffixes])
    for name, kind in _KINDS.items():
        if fields := _within(name, parts):
            parts[name] = kind(**fields)
    return MatchSettings(engines, **parts)


def _within(name: str, parts: dict[str, Any]) -> dict[str, Any]:
    """Take the settings within one that is made of others, by their own names."""
    inner = [each for each in parts if each.startswith(f"{name}.")]
    return {each.removeprefix(f"{name}."): parts.pop(each) for each in inner}


def _engine(parts: dict[str, Any]) -> EngineSpec:
    """An engine from the settings of all engines and its own."""
    program, arguments = parts.pop("program", None), parts.pop("arguments", [])
    title = f"engine {parts.get('name', program or '?')}"
    control = replace(parts.pop("control", TimeControl()), **_within("limits", parts))
    _refuse(
        {
            f"{title} needs cmd=FILE, the program to run": program is None,
            f"{title} may think for ever; give it tc=, st=, nodes= or depth=": (
                replace(control, margin=0.0) == TimeControl()
            ),
            f"{title} cannot have both tc= and st=": None not in (control.base, control.each_move),
        }
    )
    found = (
        shutil.which(program) or shutil.which(program, path="/usr/games") or program
    )  # as Debian has them
    command = (str(Path(found).absolute()) if os.sep in found else found, *arguments)
    return EngineSpec(command, options=_within("options", parts), control=control, **parts)
