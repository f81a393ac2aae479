"""The options of a match as cutechess-cli and fastchess spell them: their names, kinds and help.

Each option sets a path of `MatchSettings`, or of `EngineSpec` if it is one of an engine.
"""

from __future__ import annotations

import enum
import math
import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tbgen.apps.games.tags import parse_cutoff
from tbgen.apps.match.control import parse_time_control
from tbgen.apps.match.pgn import COMMENT_FACTS
from tbgen.apps.match.settings import VARIANTS, EngineSpec, Format
from tbgen.apps.match.statistics import MOST_ELO, Model
from tbgen.errors import UsageError
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import Scheme, parse_komi
from tbgen.text import nearest

_DEBIAN_GAMES = "/usr/games"
"""Where Debian has engines; the PATH of some users leaves it out."""
_ENGINE = EngineSpec("")
"""The defaults of an engine."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What follows an option: its form in the help, and how it is read."""

    form: str
    read: Callable[[str], Any] = str
    """Makes a value of a word.

    An InputError says what the word is not, a ValueError that it makes no sense. The items of a
    list or a dict are added to those that are there.
    """
    alone: str | None = None
    """The word that the name of the option stands for, if no word follows."""


def _at_least(least: int) -> Kind:
    """Whole numbers."""

    def read(word: str) -> int:
        number = int(word)
        if number < least:
            raise UsageError(f"is at least {least}, not {number}")
        return number

    return Kind("N", read)


def _amount(word: str) -> float:
    """A finite number that is not negative."""
    number = float(word)
    if not 0 <= number < math.inf:
        raise UsageError(f"is at least 0 and finite, not {number:g}")
    return number


def _seconds(word: str) -> float:
    """A finite number above 0."""
    number = _amount(word)
    if number == 0:
        raise UsageError("is more than 0; without a limit it is left out")
    return number


def _milliseconds(word: str) -> float:
    """The seconds of so many milliseconds."""
    return _amount(word) / 1000


def _elo(word: str) -> float:
    number = float(word)
    if not -MOST_ELO <= number <= MOST_ELO:
        raise UsageError(f"is between -{MOST_ELO} and {MOST_ELO}, not {number:g}")
    return number


def _named(names: Mapping[str, Any], form: str | None = None, alone: str | None = None) -> Kind:
    """The words of a table, in upper or lower case."""

    def read(word: str) -> Any:
        name = word if word in names else word.lower()
        if name not in names:
            raise UsageError(f"is one of {', '.join(names)}, not {word!r}{nearest(word, names)}")
        return names[name]

    return Kind("|".join(names) if form is None else form, read, alone)


def _choice(kind: type[enum.Enum], **others: enum.Enum) -> Kind:
    """The values of an enum, and other words for some of them."""
    values = {member.value: member for member in kind}
    return _named(values | others, "|".join(values))


def _moves_or_no_limit(word: str) -> int | None:
    """A number of moves; 0 is no limit, as in cutechess-cli."""
    return COUNT.read(word) or None


def _one_word(word: str) -> list[str]:
    return [word]


def _program(name: str) -> str:
    """The absolute path of a program, because the engine may run in another folder.

    A program that is not found keeps its name; starting it gives the error.
    """
    path = shutil.which(name) or shutil.which(name, path=_DEBIAN_GAMES) or name
    return str(Path(path).absolute()) if os.sep in path else path


TEXT = Kind("NAME")
FILE = Kind("FILE", Path)
FOLDER = Kind("DIR", Path)
FOLDERS = Kind("DIRS")
COUNT = _at_least(0)
POSITIVE = _at_least(1)
AMOUNT = Kind("N", _amount)
SECONDS = Kind("N", _seconds)
MILLISECONDS = Kind("N", _milliseconds)
ELO = Kind("N", _elo)
_ON_OR_OFF = {"on": True, "off": False, "true": True, "false": False}
FLAG = _named(_ON_OR_OFF, "", alone="on")
"""A switch that takes no word: it is on if it is given."""
_VARIANTS = {
    **{name: name for name in VARIANTS},
    "standard": "chess",
    "fischerandom": "chess960",
    "threecheck": "3check",
}
_MODELS = ", ".join(model.value for model in Model)


@dataclass(frozen=True, slots=True)
class Option:
    """An option, or a key of a group."""

    name: str
    kind: Kind
    sets: str = ""
    """The path in the settings that it sets, or some of them; empty if it changes nothing."""
    help: str = ""
    keys: Mapping[str, Option] = field(default_factory=dict)
    """The options of a group by name.

    The group takes the value of its key `file` without the key, too.
    """

    @property
    def form(self) -> str:
        """What stands behind the name; keys that have help of their own are not listed."""
        keys = [f"{key.name}=" for key in self.keys.values() if not key.help]
        return " ".join(keys) or self.kind.form


def by_name(*options: Option) -> dict[str, Option]:
    """Some options by their names."""
    return {option.name: option for option in options}


def _group(name: str, text: str, *keys: Option) -> Option:
    """An option that takes words such as `key=value`."""
    return Option(name, Kind("key=value ..."), "", text, by_name(*keys))


def _comment_fact(name: str) -> Option:
    """An option of -pgnout that adds a fact to the comments of games."""
    values = {"true": [name], "on": [name], "false": [], "off": []}
    return Option(name, _named(values, "true"), "comment_facts", f"Comment on {name}.")


UCI_OPTION = "option.NAME"
"""Stands for every option of an engine."""
_ENGINE_KEYS = (
    Option(
        "cmd", Kind("FILE", _program), "program", "The program; a name is looked up as in a shell."
    ),
    Option("name", TEXT, "name", "Its name (default: its `id name`)."),
    Option("dir", FOLDER, "folder", "Its folder."),
    Option("arg", Kind("NAME", _one_word), "arguments", "An argument; give it once for each."),
    Option("args", Kind("NAME", shlex.split), "arguments", "Its arguments, as in a shell."),
    Option(UCI_OPTION, Kind("VALUE"), "options", "A UCI option."),
    Option(
        "tc",
        Kind("[MOVES/]TIME[+INC]", parse_time_control),
        "control",
        "Seconds or minutes:seconds, or inf.",
    ),
    Option("st", SECONDS, "control.each_move", "Seconds for each move."),
    Option("nodes", POSITIVE, "control.nodes", "Nodes for each move."),
    Option("depth", POSITIVE, "control.plies", "Plies for each move."),
    Option(
        "timemargin", MILLISECONDS, "control.margin", "Milliseconds tolerated over the time limit."
    ),
    Option(
        "hang",
        SECONDS,
        "hang",
        f"Seconds for a move of an engine without a clock (default {_ENGINE.hang:g}).",
    ),
    Option(
        "startup",
        SECONDS,
        "startup",
        f"Seconds to start, and to be ready for each game (default {_ENGINE.startup:g}).",
    ),
    Option(
        "restart",
        _named({"on": True, "off": False, "auto": False}),
        "restart",
        "on: anew for every game.",
    ),
    Option("stderr", FILE, "stderr", "The log of its standard error."),
    Option("proto", _named({"uci": None}), "", "uci, and no other; a proxy may translate."),
)
OPTIONS = by_name(
    _group("engine", "An engine; give it once for each.", *_ENGINE_KEYS),
    _group("each", "Options for all engines.", *_ENGINE_KEYS),
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
        Kind("[N]", POSITIVE.read, alone="2"),
        "plan.repeat",
        "Games with an opening (default 2).",
    ),
    Option(
        "noswap",
        _named({"on": False, "off": True}, "", alone="on"),
        "plan.swap",
        "Do not swap colours.",
    ),
    Option(
        "tournament",
        _choice(Format, roundrobin=Format.ROUND_ROBIN),
        "plan.format",
        "Who plays whom.",
    ),
    Option(
        "seeds", POSITIVE, "plan.seeds", "The first N play all others (gauntlet), or are seeds."
    ),
    Option("variant", _named(_VARIANTS, "NAME"), "variant", f"{', '.join(VARIANTS)}."),
    Option("concurrency", POSITIVE, "concurrency", "Games at a time (default 1)."),
    _group(
        "openings",
        "Openings from a file: format epd or pgn, order sequential or random; plies and start "
        "as in fastchess.",
        Option("file", FILE, "openings.file"),
        Option("format", _named({"epd": False, "pgn": True}), "openings.pgn"),
        Option("order", _named({"sequential": False, "random": True}), "openings.random"),
        Option("start", POSITIVE, "openings.start"),
        Option("plies", COUNT, "openings.plies"),
    ),
    Option(
        "scoring",
        _choice(Scheme, rMobilityWinner=Scheme.WINNER),
        "rules.scoring.scheme",
        "The scoring that decides (default exponential); all are shown.",
    ),
    Option(
        "cutoff",
        Kind("G", parse_cutoff),
        "rules.scoring.cutoff_code rules.fifty_moves.cutoff_code",
        "The score from which winner, komi and -fifty reset treat all scores alike (default G6.0).",
    ),
    Option(
        "komi",
        Kind("G", parse_komi),
        "rules.scoring.komi",
        "The score to beat under komi (default G5.75).",
    ),
    Option(
        "fifty",
        _choice(FiftyMoveSetting),
        "rules.fifty_moves.setting",
        "The fifty-move rule (default reset).",
    ),
    _group(
        "resign",
        "An engine loses with G0.0 after so many evaluations in a row at -score or below.",
        Option("movecount", POSITIVE, "rules.resign.moves"),
        Option("score", COUNT, "rules.resign.centipawns"),
    ),
    Option(
        "maxmoves",
        Kind("N", _moves_or_no_limit),
        "rules.most_moves",
        "End a game after N moves with its accrued score (default 0: no limit).",
    ),
    Option(
        "tb", FOLDERS, "tables.folders", "Folders of r-mobility tables that decide games exactly."
    ),
    Option("tbpieces", POSITIVE, "tables.men", "Ask tables at N men or fewer (default 5)."),
    Option(
        "syzygy", FOLDERS, "tables.syzygy", "Folders of Syzygy tables; only their wins end games."
    ),
    Option(
        "tbignore50",
        FLAG,
        "tables.ignore_fifty_moves",
        "Ignore the fifty-move rule in Syzygy wins.",
    ),
    _group(
        "sprt",
        f"Stop when a test of the first engine against the second is decided: model {_MODELS}.",
        Option("elo0", ELO, "sprt.elo0"),
        Option("elo1", ELO, "sprt.elo1"),
        Option("alpha", AMOUNT, "sprt.alpha"),
        Option("beta", AMOUNT, "sprt.beta"),
        Option("model", _choice(Model), "sprt.model"),
    ),
    _group(
        "pgnout",
        "Append every game to a file; needed for -recover. "
        f"{', '.join(COMMENT_FACTS)}: as in fastchess, such as nodes=true.",
        Option("file", FILE, "pgn"),
        *map(_comment_fact, COMMENT_FACTS),
    ),
    Option(
        "jsonout",
        FILE,
        "json",
        "Write the standings as JSON, whenever they are shown and at the end.",
    ),
    Option(
        "crosstable",
        FILE,
        "crosstable",
        "Write the cross table at the end as the site of TCEC reads it.",
    ),
    Option(
        "recover",
        FLAG,
        "recover",
        "Continue an interrupted match; no game is lost or played twice.",
    ),
    Option("event", TEXT, "event", "The Event tag."),
    Option("site", TEXT, "site", "The Site tag."),
    Option("srand", COUNT, "seed", "The seed of the order of openings and of lots."),
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

ALIASES = {
    "q": OPTIONS["quiet"],
    "rMobilityType": OPTIONS["scoring"],
    "rMobilityCutoff": OPTIONS["cutoff"],
    "defaultKomi": OPTIONS["komi"],
    "legacyMode": Option(
        "legacyMode",
        _named({"on": FiftyMoveSetting.LEGACY}, "", alone="on"),
        "rules.fifty_moves.setting",
    ),
}
"""Words of the fork of Cute Chess for r-mobility, and of the other commands of tbgen."""

SET_BY_REFEREE = {
    "ponder": ("false", "engines do not think on the time of others"),
    "multipv": ("1", "the evaluation of a game is that of the move that is played"),
    "uci_chess960": ("", "-variant chess960 sets it"),
    "uci_variant": ("", "-variant sets it"),
}
"""UCI options in lower case -> the value that they have in a match, and why no other is offered.

An empty value depends on the game.
"""
