"""The options of a match as cutechess-cli and fastchess spell them, on a command line or in a TOML file.

`OPTIONS` says how each option is written, which setting it makes, and its help. A file becomes the words of a command
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
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tbgen.apps.games.tags import parse_cutoff
from tbgen.apps.match.engine import EngineSpec, TimeControl, nearest, parse_time_control
from tbgen.apps.match.settings import (
    VARIANTS,
    Format,
    MatchSettings,
    OpeningOrder,
    OpeningSettings,
    PlayRules,
    Policy,
    Resign,
    TableSettings,
    Tournament,
)
from tbgen.apps.match.statistics import Model, Sprt
from tbgen.errors import InputError, UsageError
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting
from tbgen.rules.points import Scheme, Scoring, parse_komi
from tbgen.text import flattened

Group = dict[str, str]
"""Key of a group -> its word."""
GivenWords = dict[str, Any]
"""Option -> its word, or a list of the groups that were given."""
Reader = Callable[[str], Any]
"""Makes a setting of a word; an InputError says what the word is not, a ValueError that it makes no sense."""
Parts = dict[str, Any]
"""Field of the settings -> its value, or the fields of a part of the settings."""


def at_least(least: int, kind: Callable[[str], float] = int) -> Reader:
    """Takes finite numbers, whole ones unless `kind` is float."""

    def read(word: str) -> float:
        if not least <= (value := kind(word)) < float("inf"):
            raise UsageError(f"is at least {least} and finite, not {value}")
        return value

    return read


number = at_least(0, float)


def milliseconds(word: str) -> float:
    return float(number(word)) / 1000


def named(names: Mapping[str, Any]) -> Reader:
    """Takes the words of a table, in upper or lower case."""

    def read(word: str) -> Any:
        found = word if word in names else word.lower()
        if found not in names:
            raise UsageError(f"is one of {', '.join(names)}, not {word!r}{nearest(word, names)}")
        return names[found]

    return read


def choice(kind: type[enum.Enum], **others: enum.Enum) -> Reader:
    """Takes the values of an enum, and other words for some of them."""
    return named({each.value: each for each in kind} | others)


flag = named({"on": True, "off": False, "true": True, "false": False})


WordKind = Literal["", "NAME", "VALUE", "N", "[N]", "G", "on|off", "FILE", "DIR", "DIRS", "key=value ..."]
"""The words that an option takes, as its help writes them: none, one, perhaps one, or a group of `key=value`."""
_ALONE: Mapping[WordKind, str] = {"": "on", "on|off": "on", "[N]": "2"}
"""Kind of an option -> the word that its name alone stands for."""


class Option(NamedTuple):
    """An option, or a key of a group: the field that it sets, how its word is read, and its help."""

    name: str
    kind: WordKind
    set: str
    """The fields of the settings, separated by spaces: `field`, or `part.field` for one of a part of them."""
    read: Reader | tuple[Option, ...]
    """The options of a group, which takes its first key's value without the key."""
    help: str

    @property
    def keys(self) -> dict[str, Option]:
        """The options of a group by name."""
        return {each.name: each for each in self.read} if isinstance(self.read, tuple) else {}

    @property
    def form(self) -> str:
        """What stands behind the name of the option; keys that have help of their own are not listed."""
        return " ".join(f"{name}=" for name, each in self.keys.items() if not each.help) or self.kind


_UCI_OPTION = "option.NAME"
_REFUSED_KEYS = {
    "conf": "there are no configured engines; a TOML file with -config does the same",
    "book": "Polyglot books are not read; give openings with -openings",
    "bookdepth": "Polyglot books are not read; give openings with -openings",
    "initstr": "set options with option.NAME=VALUE",
    "ponder": "engines do not think on the time of others",
    "trust": "no engine's word is taken for the end of a game",
}
_ENGINE_KEYS = (
    Option("cmd", "FILE", "", str, "The program; a name is looked up as in a shell."),
    Option("name", "NAME", "name", str, "Its name (default: its `id name`)."),
    Option("dir", "DIR", "folder", Path, "Its folder."),
    Option("arg", "NAME", "", str, "An argument; give it once for each."),
    Option("args", "NAME", "", str, "Its arguments, as in a shell."),
    Option(_UCI_OPTION, "VALUE", "", str, "A UCI option."),
    Option("hash", "N", "options.Hash", str, "Short for option.Hash."),
    Option("threads", "N", "options.Threads", str, "Short for option.Threads."),
    Option("tc", "NAME", "control", parse_time_control, "[MOVES/]TIME[+INC] in seconds or minutes:seconds, or inf."),
    Option("st", "N", "limits.each_move", number, "Seconds for each move."),
    Option("nodes", "N", "limits.nodes", at_least(1), "Nodes for each move."),
    Option("depth", "N", "limits.plies", at_least(1), "Plies for each move."),
    Option("plies", "N", "limits.plies", at_least(1), "The same as depth."),
    Option("timemargin", "N", "limits.margin", milliseconds, "Milliseconds tolerated over the time limit."),
    Option("hang", "N", "hang", number, "Seconds for a move of an engine without a clock (default 300)."),
    Option("restart", "NAME", "restart", named({"on": True, "off": False, "auto": False}), "on: anew for every game."),
    Option("log", "FILE", "log", Path, "The log of its protocol."),
    Option("stderr", "FILE", "stderr", Path, "The log of its standard error."),
    Option("whitepov", "on|off", "white_view", flag, "Its scores are always White's."),
    Option("proto", "NAME", "", str, "uci, and no other."),
)

OPTIONS = {
    each.name: each
    for each in (
        Option("engine", "key=value ...", "", _ENGINE_KEYS, "An engine; give it once for each."),
        Option("each", "key=value ...", "", _ENGINE_KEYS, "Options for all engines."),
        Option("config", "FILE", "", Path, "A TOML file with the same names; the command line takes precedence."),
        Option("games", "N", "plan.games", at_least(1), "Games of an encounter in each round (default 2)."),
        Option("rounds", "N", "plan.rounds", at_least(1), "Rounds (default 1)."),
        Option(
            "repeat", "[N]", "plan.repeat", at_least(1), "Games that share an opening, colours swapped (default 2)."
        ),
        Option("noswap", "", "plan.swap", lambda word: not flag(word), "Do not swap colours."),
        Option(
            "tournament",
            "NAME",
            "plan.format",
            choice(Format, roundrobin=Format.ROUND_ROBIN),
            f"{', '.join(each.value for each in Format)}.",
        ),
        Option("seeds", "N", "plan.seeds", at_least(1), "The first N play all others (gauntlet), or are seeds."),
        Option(
            "variant",
            "NAME",
            "variant",
            named(
                {name: name for name in VARIANTS}
                | {"standard": "chess", "fischerandom": "chess960", "threecheck": "3check"}
            ),
            f"{', '.join(VARIANTS)}.",
        ),
        Option("concurrency", "N", "concurrency", at_least(1), "Games at a time (default 1)."),
        Option(
            "openings",
            "key=value ...",
            "",
            (
                Option("file", "FILE", "openings.file", Path, ""),
                Option("format", "NAME", "openings.pgn", named({"epd": False, "pgn": True}), ""),
                Option("order", "NAME", "openings.order", choice(OpeningOrder), ""),
                Option("start", "N", "openings.start", at_least(1), ""),
                Option("plies", "N", "openings.plies", at_least(0), ""),
                Option("policy", "NAME", "plan.policy", choice(Policy), ""),
            ),
            f"Openings from a file: format epd or pgn, order {' or '.join(each.value for each in OpeningOrder)}, "
            f"policy {', '.join(each.value for each in Policy)}; plies and start as in cutechess-cli.",
        ),
        Option(
            "scoring",
            "NAME",
            "rules.scoring.scheme",
            choice(Scheme, rMobilityWinner=Scheme.WINNER),
            "The scoring that decides (default exponential); all are shown.",
        ),
        Option(
            "cutoff",
            "G",
            "rules.scoring.cutoff_code rules.fifty_moves.cutoff_code",
            parse_cutoff,
            "The score from which winner, komi and -fifty reset treat all scores alike (default G6.0).",
        ),
        Option(
            "komi",
            "G",
            "rules.scoring.komi",
            parse_komi,
            "The score to beat under komi, if the opening names none (default G5.75).",
        ),
        Option(
            "fifty",
            "NAME",
            "rules.fifty_moves.setting",
            choice(FiftyMoveSetting),
            "The fifty-move rule: reset (default), fide, legacy, none.",
        ),
        Option(
            "resign",
            "key=value ...",
            "",
            (
                Option("movecount", "N", "rules.resign.moves", at_least(1), ""),
                Option("score", "N", "rules.resign.centipawns", at_least(0), ""),
                Option("twosided", "on|off", "rules.resign.two_sided", flag, ""),
            ),
            "An engine loses with G0.0 after so many evaluations in a row at -score or below.",
        ),
        Option(
            "maxmoves",
            "N",
            "rules.most_moves",
            lambda word: at_least(0)(word) or None,
            "End a game after N moves with its accrued score.",
        ),
        Option("tb", "DIRS", "tables.folders", str, "Folders of r-mobility tables that decide games exactly."),
        Option("tbpieces", "N", "tables.men", at_least(1), "Ask tables at N men or fewer (default 5)."),
        Option(
            "tbadjudicate",
            "on|off",
            "rules.adjudicate",
            flag,
            "on (default), or off: note the tables' verdict and play on.",
        ),
        Option("syzygy", "DIRS", "tables.syzygy", str, "Folders of Syzygy tables; only their wins end games."),
        Option(
            "syzygypieces",
            "N",
            "tables.syzygy_men",
            at_least(1),
            "Ask Syzygy tables at N men or fewer (default 7).",
        ),
        Option("tbignore50", "", "tables.ignore_fifty_moves", flag, "Ignore the fifty-move rule in Syzygy wins."),
        Option(
            "sprt",
            "key=value ...",
            "",
            (
                Option("elo0", "N", "sprt.elo0", float, ""),
                Option("elo1", "N", "sprt.elo1", float, ""),
                Option("alpha", "N", "sprt.alpha", number, ""),
                Option("beta", "N", "sprt.beta", number, ""),
                Option("model", "NAME", "sprt.model", choice(Model), ""),
            ),
            "Stop when a test of the first engine against the second is decided: "
            f"model {', '.join(each.value for each in Model)}.",
        ),
        Option(
            "report",
            "key=value ...",
            "",
            (Option("penta", "NAME", "", named({"true": None}), "true, and no other."),),
            "As fastchess writes it; pairs are always shown.",
        ),
        Option(
            "pgnout",
            "key=value ...",
            "",
            (
                Option("file", "FILE", "pgn", Path, ""),
                Option("fi", "on|off", "", flag, "As cutechess-cli writes it."),
                Option("notation", "NAME", "", named({"san": None}), "san, and no other."),
                Option("append", "NAME", "", named({"true": None}), "true, and no other."),
            ),
            "Append every game to a file; needed for -recover.",
        ),
        Option("jsonout", "FILE", "json", Path, "Write the standings as JSON at the end."),
        Option(
            "crosstable",
            "FILE",
            "crosstable",
            Path,
            "Write the cross table at the end as the site of TCEC reads it.",
        ),
        Option("force", "", "force", flag, "Let -jsonout and -crosstable replace files with more games."),
        Option("recover", "", "recover", flag, "Continue an interrupted match; no game is lost or played twice."),
        Option("event", "NAME", "event", str, "The Event tag."),
        Option("site", "NAME", "site", str, "The Site tag."),
        Option("srand", "N", "seed", at_least(0), "The seed of the order of openings and of lots."),
        Option("wait", "N", "wait", milliseconds, "Milliseconds between games."),
        Option(
            "ratinginterval",
            "N",
            "rating_interval",
            at_least(0),
            "Show the standings every N games (default 10; 0 is never).",
        ),
        Option("quiet", "", "quiet", flag, "Show the standings at the end, and nothing before; short -q."),
        Option("debug", "", "debug", flag, "Print the lines between the referee and the engines."),
    )
}
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
    "legacyMode": Option("legacyMode", "", "rules.fifty_moves.setting", lambda word: FiftyMoveSetting.LEGACY, ""),
}
"""Words of the fork of Cute Chess for r-mobility, and of the other commands of tbgen -> what they mean here."""
_NAMES = {**OPTIONS, **ALIASES}

REFUSED = {
    "solve": "solve the last positions of a finished match with: tbgen adjudicate GAMES --solve",
    "draw": "there are no draws under r-mobility: a game is played on for the score, or decided by -tb",
    "bookmode": "Polyglot books are not read; give openings with -openings",
    "engines": "engines are given with -engine or in a TOML file",
    "epdout": "the final positions are in the games of -pgnout; tbgen score --pgn shows them",
    "use-affinity": "bind the whole program with taskset",
    "output": "there is one form of output",
    "quick": "write out -engine, -openings and -each",
    "log": "an engine's own log is log=FILE among its options; -debug shows all",
    "autosaveinterval": "every game is on the disk as soon as it is over",
    "reverse": "colours are swapped in every pair of games",
    "force-concurrency": "-concurrency is taken as it is",
}
"""Options of the other programs that tbgen does not offer, and why."""


def settings_of(arguments: Iterable[str]) -> MatchSettings:
    """The settings from a command line and its -config file, which the command line overrides.

    Combinations of options that make no sense are refused, and options that change nothing.
    """
    typed = list(arguments)
    words = parse_arguments(typed)
    if "config" in words:
        words = parse_arguments([*arguments_in(Path(words["config"])), *typed])
    settings = _settings_in(words)
    engines, plan, sprt = len(settings.engines), settings.plan, settings.sprt or Sprt()
    most_rounds = engines - 1 + engines % 2
    _refuse(
        {
            "a match needs two engines: -engine cmd=FILE ... -engine cmd=FILE ...": engines < 2,
            "-sprt tests one engine against one other; give two engines": "sprt" in words and engines != 2,
            f"-sprt: elo0 is less than elo1, not {sprt.elo0:g} and {sprt.elo1:g}": sprt.elo0 >= sprt.elo1,
            "-sprt: alpha and beta are chances of error between 0 and 0.5": (
                not (0 < sprt.alpha < 0.5 and 0 < sprt.beta < 0.5)
            ),
            "-openings needs file=FILE": "openings" in words and settings.openings.file is None,
            "-recover needs -pgnout: the file of games says which have been played": (
                settings.recover and not settings.pgn
            ),
            "-tb and -syzygy mean nothing with -variant: tables are those of chess": (
                settings.variant not in VARIANTS[:2] and not words.keys().isdisjoint({"tb", "syzygy"})
            ),
            "-tournament swiss needs -rounds": plan.format is Format.SWISS and "rounds" not in words,
            f"-rounds {plan.rounds}: without meeting twice, {engines} engines play {most_rounds} at most": (
                plan.format is Format.SWISS and plan.rounds > most_rounds
            ),
            "-seeds means nothing without -tournament gauntlet or knockout": (
                "seeds" in words and plan.format not in (Format.GAUNTLET, Format.KNOCKOUT)
            ),
            f"-seeds {plan.seeds} leaves no gauntlet with {engines} engines": (
                plan.format is Format.GAUNTLET and plan.seeds >= engines
            ),
            "-rounds means nothing with -tournament knockout; -games sets the length of a meeting": (
                "rounds" in words and plan.format is Format.KNOCKOUT
            ),
            **{
                f"-{name} means nothing without -{' or -'.join(needed)}": name in words and not words.keys() & needed
                for name, needed in _NEEDS.items()
            },
        }
    )
    return settings


def _refuse(reasons: Mapping[str, bool]) -> None:
    """Raise a UsageError with the first reason that applies."""
    for reason, applies in reasons.items():
        if applies:
            raise UsageError(reason)


def parse_arguments(arguments: Iterable[str]) -> GivenWords:
    """The options of a command line."""
    words, left = GivenWords(), list(arguments)
    while left:
        word = left.pop(0)
        name = word.lstrip("-")
        if name in ("", word):
            raise UsageError(f"{word!r} belongs to no option; options start with a dash")
        option = _known(name)
        if option.keys:
            words.setdefault(option.name, []).append(_group(option, left))
        elif option.kind == "" or (option.kind == "[N]" and not (left and left[0].isdigit())):
            words[option.name] = _ALONE[option.kind]
        elif left:
            words[option.name] = left.pop(0)
        else:
            raise UsageError(f"-{name} needs a value: -{name} {option.form}")
    return words


def _group(option: Option, left: list[str]) -> Group:
    """The words of a group, which are taken off those that are left."""
    keys, group = option.keys, Group()
    while left and not left[0].startswith("-"):
        key, equals, value = left.pop(0).partition("=")
        if not (equals or group or key in keys) and "file" in keys:
            key, equals, value = "file", "=", key
        kind = _known(_UCI_OPTION if key.startswith("option.") else key, option).kind
        if not equals and kind not in _ALONE:
            raise UsageError(f"-{option.name} {key} needs a value: {key}={kind}")
        if key == "arg":
            key, value = "args", f"{group.get('args', '')} {shlex.quote(value)}"
        group[key] = value if equals else _ALONE[kind]
    if not group:
        raise UsageError(f"-{option.name} needs values: -{option.name} {option.form}")
    return group


def _known(name: str, group: Option | None = None) -> Option:
    """The option of a name, or the key of a group; UsageError if there is none."""
    known, refused = (_NAMES, REFUSED) if group is None else (group.keys, _REFUSED_KEYS)
    shown = f"-{name}" if group is None else f"-{group.name} {name}"
    if name in refused:
        raise UsageError(f"{shown} is not offered: {refused[name]}")
    if name not in known:
        raise UsageError(f"unknown option {shown}{nearest(name, known)}")
    return known[name]


def arguments_in(path: Path) -> Iterator[str]:
    """A file as a command line; `[[engine]]` is repeated, `option.Hash = 16` is an option of an engine."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or too deep
        raise UsageError(f"{path}: {' '.join(str(error).split())}") from None
    for name, value in found.items():
        keys = _known(name).keys
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield f"-{name}"
                for key, given in flattened(each):
                    for one in given if isinstance(given, list) else [given]:
                        yield f"{key}={str(one).lower() if isinstance(one, bool) else one}"
            elif keys and "file" not in keys:
                raise UsageError(f"{path}: {name} is a table, {'[[engine]]' if name == 'engine' else f'[{name}]'}")
            elif each is not False:
                yield from (f"-{name}",) if each is True else (f"-{name}", str(each))


def _settings_in(words: GivenWords) -> MatchSettings:
    plain = {name: word for name, word in words.items() if not _NAMES[name].keys}
    parts = Parts()
    _read("-", plain, _NAMES, parts)
    for name in words.keys() - plain.keys() - {"engine", "each"}:
        for group in words[name]:
            _read(f"-{name} ", group, OPTIONS[name].keys, parts)
    engines = tuple(_engine([*words.get("each", []), each]) for each in words.get("engine", []))
    rules, openings, sprt = (parts.pop(part, {}) for part in ("rules", "openings", "sprt"))
    openings.setdefault("pgn", ".pgn" in [suffix.lower() for suffix in openings.get("file", Path()).suffixes])
    return MatchSettings(
        engines,
        Tournament(len(engines), **parts.pop("plan", {})),
        PlayRules(
            FiftyMoves(**rules.pop("fifty_moves", {})),
            Scoring(**rules.pop("scoring", {})),
            Resign(**rules.pop("resign")) if "resign" in rules else None,
            **rules,
        ),
        openings=OpeningSettings(**openings),
        tables=TableSettings(**parts.pop("tables", {})),
        sprt=Sprt(**sprt) if sprt else None,
        **parts,
    )


def _read(before: str, words: Mapping[str, str], options: Mapping[str, Option], parts: Parts) -> None:
    """Read words, and put what they set into the parts of the settings; `before` precedes a name in errors."""
    for name, word in words.items():
        option = options[name]
        assert not isinstance(option.read, tuple)
        try:
            value = option.read(word)
        except InputError as error:
            raise UsageError(f"{before}{name} {error}") from None
        except ValueError:
            raise UsageError(f"{before}{name}={word} makes no sense") from None
        for path in option.set.split():
            *parents, field = path.split(".")
            part = parts
            for parent in parents:
                part = part.setdefault(parent, {})
            part[field] = value


def _engine(groups: Iterable[Group]) -> EngineSpec:
    """An engine with the options of all engines and its own, which come last."""
    words, parts = {key: word for group in groups for key, word in group.items()}, Parts()
    options = {key.removeprefix("option."): words.pop(key) for key in list(words) if key.startswith("option.")}
    title = f"engine {words.get('name', words.get('cmd', '?'))}"
    _read(f"{title}: ", words, OPTIONS["engine"].keys, parts)
    limits, control = parts.pop("limits", {}), parts.pop("control", TimeControl())
    is_limitless = replace(control, **{**limits, "margin": 0.0}) == TimeControl()
    _refuse(
        {
            f"{title} needs cmd=FILE, the program to run": "cmd" not in words,
            f"{title}: only UCI engines can play; a proxy may translate": words.get("proto", "uci") != "uci",
            f"{title} may think for ever; give it tc=, st=, nodes= or depth=": is_limitless,
            f"{title} cannot have both tc= and st=": control.base is not None and "each_move" in limits,
        }
    )
    program = words["cmd"]
    found = shutil.which(program) or shutil.which(program, path="/usr/games") or program  # as Debian has them
    return EngineSpec(
        command=(str(Path(found).absolute()) if os.sep in found else found, *shlex.split(words.get("args", ""))),
        options={**parts.pop("options", {}), **options},
        control=replace(control, **limits),
        **parts,
    )
