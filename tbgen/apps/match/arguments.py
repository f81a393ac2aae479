"""The options of a match as cutechess-cli and fastchess spell them, on a command line or in a TOML file.

Both become the same plain words, of which tbgen.apps.match.reading makes settings.
"""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tbgen.apps.match.hints import nearest
from tbgen.errors import UsageError

Words = dict[str, Any]
"""Option -> a word, a list of words, or the words of a group."""


class Shape(enum.Enum):
    """The values that an option takes."""

    FLAG = "flag"
    VALUE = "value"
    OPTIONAL = "optional value"
    GROUP = "key=value ..."
    FILE = "file, or file=NAME"


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a match with its line of help."""

    name: str
    shape: Shape
    help: str
    hint: str = ""


OPTIONS = {
    option.name: option
    for option in (
        Option("engine", Shape.GROUP, "An engine; give it once for each.", "cmd=FILE name=NAME ..."),
        Option("each", Shape.GROUP, "Options for all engines.", "tc=10+0.1 ..."),
        Option("config", Shape.VALUE, "A TOML file with the same names; the command line takes precedence.", "FILE"),
        Option("games", Shape.VALUE, "Games of an encounter in each round (default 2).", "N"),
        Option("rounds", Shape.VALUE, "Rounds (default 1).", "N"),
        Option("repeat", Shape.OPTIONAL, "Games that share an opening, colours swapped (default 2).", "[N]"),
        Option("noswap", Shape.FLAG, "Do not swap colours."),
        Option("tournament", Shape.VALUE, "round-robin (default) or gauntlet.", "TYPE"),
        Option("seeds", Shape.VALUE, "In a gauntlet, the first N engines play all others (default 1).", "N"),
        Option("variant", Shape.VALUE, "standard (default) or fischerandom.", "NAME"),
        Option("concurrency", Shape.VALUE, "Games at a time (default 1).", "N"),
        Option(
            "openings",
            Shape.GROUP,
            "Openings; plies and start as in cutechess-cli, order sequential or random.",
            "file=FILE format=epd|pgn order= plies= start= policy=default|encounter|round",
        ),
        Option("scoring", Shape.VALUE, "The scoring that decides (default exponential); all are shown.", "NAME"),
        Option(
            "cutoff",
            Shape.VALUE,
            "The score from which winner, komi and -fifty reset treat all scores alike (default G6.0).",
            "G",
        ),
        Option("komi", Shape.VALUE, "The score to beat under komi, if the opening names none (default G5.75).", "G"),
        Option("fifty", Shape.VALUE, "The fifty-move rule: reset (default), fide, legacy, none.", "NAME"),
        Option(
            "resign",
            Shape.GROUP,
            "An engine loses with G0.0 after so many evaluations in a row below -CP.",
            "movecount=N score=CP twosided=true|false",
        ),
        Option("maxmoves", Shape.VALUE, "End a game after N moves with its accrued score.", "N"),
        Option("tb", Shape.VALUE, "Folders of r-mobility tables that decide games exactly.", "DIRS"),
        Option("tbpieces", Shape.VALUE, "Ask tables at N men or fewer (default 5).", "N"),
        Option("tbadjudicate", Shape.VALUE, "on (default), or off: note the tables' verdict and play on.", "on|off"),
        Option("syzygy", Shape.VALUE, "Folders of Syzygy tables; only their wins end games.", "DIRS"),
        Option("syzygypieces", Shape.VALUE, "Ask Syzygy tables at N men or fewer (default 7).", "N"),
        Option("tbignore50", Shape.FLAG, "Ignore the fifty-move rule in Syzygy wins."),
        Option(
            "sprt",
            Shape.GROUP,
            "Stop when a test of the first engine against the second is decided.",
            "elo0= elo1= alpha= beta= model=cutechess|bayesian|logistic|normalized",
        ),
        Option("pgnout", Shape.FILE, "Append every game to a file; needed for -recover.", "FILE"),
        Option("jsonout", Shape.FILE, "Write the standings as JSON at the end.", "FILE"),
        Option("recover", Shape.FLAG, "Continue an interrupted match; no game is lost or played twice."),
        Option("event", Shape.VALUE, "The Event tag.", "NAME"),
        Option("site", Shape.VALUE, "The Site tag.", "NAME"),
        Option("srand", Shape.VALUE, "The seed of the order of openings.", "N"),
        Option("wait", Shape.VALUE, "Milliseconds between games.", "N"),
        Option("ratinginterval", Shape.VALUE, "Show the standings every N games (default 10; 0 is never).", "N"),
        Option("quiet", Shape.FLAG, "Show the standings at the end, and nothing before; short -q."),
        Option("debug", Shape.FLAG, "Print the lines between the referee and the engines."),
    )
}

ALIASES = {
    "q": "quiet",
    "rMobilityType": "scoring",
    "rMobilityCutoff": "cutoff",
    "defaultKomi": "komi",
    "legacyMode": "fifty",
}
"""How the fork of Cute Chess for r-mobility calls them, and the rest of our commands."""

REFUSED = {
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
"""Options of the other programs that have no place here, and why."""

GROUP_FLAGS = {"whitepov", "ponder", "trust"}


def parse_arguments(arguments: Sequence[str]) -> Words:
    """The options of a command line."""
    words: Words = {}
    place = 0
    while place < len(arguments):
        name = _option_name(arguments[place])
        rest = arguments[place + 1 :]
        option = OPTIONS[ALIASES.get(name, name)]
        taken, value = _value_of(option, name, rest)
        if option.shape is Shape.GROUP and option.name == "engine":
            words.setdefault("engine", []).append(value)
        elif option.shape is Shape.GROUP:
            words.setdefault(option.name, {}).update(value)
        else:
            words[option.name] = value
        place += 1 + taken
    return words


def read_toml(path: Path) -> Words:
    """The options of a file; `[[engine]]` is repeated, `option.Hash = 16` is an option of an engine."""
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or too deep
        raise UsageError(f"{path}: {' '.join(str(error).split())}") from None
    words: Words = {}
    for name, value in found.items():
        option = OPTIONS[ALIASES.get(_known(name), name)]
        if option.shape is Shape.GROUP and not isinstance(value, list if option.name == "engine" else dict):
            kind = "[[engine]]" if option.name == "engine" else f"[{option.name}]"
            raise UsageError(f"{path}: {name} is a table, {kind}")
        words[option.name] = _as_words(value)
    return words


def merged(file: Words, line: Words) -> Words:
    """Merge the options of a command line with those of a file. The command line wins; engines of both play."""
    together = {**file, **line}
    for name in ("each", "openings", "sprt", "resign"):
        if name in file and name in line:
            together[name] = {**file[name], **line[name]}
    if "engine" in file and "engine" in line:
        together["engine"] = [*file["engine"], *line["engine"]]
    return together


def _option_name(word: str) -> str:
    if not word.startswith("-") or len(word) < 2:
        raise UsageError(f"{word!r} belongs to no option; options start with a dash")
    return _known(word.lstrip("-"))


def _known(name: str) -> str:
    if name in REFUSED:
        raise UsageError(f"-{name} is not offered: {REFUSED[name]}")
    if name not in OPTIONS and name not in ALIASES:
        raise UsageError(f"unknown option -{name}{nearest(name, [*OPTIONS, *ALIASES])}")
    return name


def _value_of(option: Option, name: str, rest: Sequence[str]) -> tuple[int, Any]:
    """The number of words that belong to an option, and their value."""
    if name == "legacyMode":
        return 0, "legacy"
    match option.shape:
        case Shape.FLAG:
            return 0, "on"
        case Shape.OPTIONAL:
            return (1, rest[0]) if rest and rest[0].isdigit() else (0, "2")
        case Shape.GROUP:
            return _group(option, rest)
    if not rest:
        raise UsageError(f"-{name} needs a value: -{name} {option.hint}")
    if option.shape is Shape.FILE:
        finished_only = len(rest) > 1 and rest[1] == "fi"
        return 1 + finished_only, rest[0].removeprefix("file=")
    return 1, rest[0]


def _group(option: Option, rest: Sequence[str]) -> tuple[int, Words]:
    group: Words = {}
    taken = 0
    for word in rest:
        key, equals, value = word.partition("=")
        if not equals and (word not in GROUP_FLAGS or option.name not in ("engine", "each")):
            break
        if word.startswith("-"):
            break
        taken += 1
        _store(group, key, value if equals else "on")
    if not taken:
        raise UsageError(f"-{option.name} needs values: -{option.name} {option.hint}")
    return taken, group


def _store(group: Words, key: str, value: str) -> None:
    if key.startswith("option."):
        group.setdefault("option", {})[key.removeprefix("option.")] = value
    elif key == "arg":
        group.setdefault("arg", []).append(value)
    else:
        group[key] = value


def _as_words(value: object) -> Any:
    """Numbers and truth values of TOML as a command line writes them."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return {key: _as_words(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_words(each) for each in value]
    return str(value)
