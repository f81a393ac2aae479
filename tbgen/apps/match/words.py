"""The options of a match as cutechess-cli and fastchess spell them: their names, kinds and help.

Each option sets a field of `MatchWords` or of `EngineWords`, which the parser fills.
"""

from __future__ import annotations

import enum
import math
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from tbgen.apps.games.tags import parse_cutoff
from tbgen.apps.match.control import TimeControl, parse_time_control
from tbgen.apps.match.process import EngineSpec
from tbgen.apps.match.record import COMMENT_FACTS
from tbgen.apps.match.settings import (
    VARIANTS,
    Format,
    MatchSettings,
    OpeningSettings,
    PlayRules,
    TableSettings,
    Tournament,
)
from tbgen.apps.match.spelling import nearest
from tbgen.apps.match.statistics import MOST_ELO, Model, Sprt
from tbgen.errors import UsageError
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import Komi, Scheme, parse_komi

# The defaults.
_ENGINE = EngineSpec(())
_PLAN = Tournament(players=0)
_MATCH = MatchSettings((), _PLAN)
_RULES = PlayRules()
_OPENINGS = OpeningSettings()
_TABLES = TableSettings()
_TEST = Sprt()


@dataclass(slots=True)
class EngineWords:
    """The words of -engine or -each; None where they say nothing."""

    program: str | None = None
    name: str | None = None
    folder: Path | None = None
    arguments: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    control: TimeControl | None = None
    each_move: float | None = None
    nodes: int | None = None
    plies: int | None = None
    margin: float | None = None
    hang: float | None = None
    startup: float | None = None
    grace: float | None = None
    restart: bool | None = None
    stderr: Path | None = None
    white_view: bool | None = None

    def with_defaults(self, defaults: EngineWords) -> EngineWords:
        """These words, and the defaults where these say nothing."""
        words = replace(defaults, options={**defaults.options, **self.options})
        for part in fields(self):
            value = getattr(self, part.name)
            if part.name != "options" and value is not None and value != []:
                setattr(words, part.name, value)
        return words


@dataclass(slots=True)
class MatchWords:
    """The words of a match."""

    given: set[str] = field(default_factory=set)
    """The names of the options that were given."""
    engines: list[EngineWords] = field(default_factory=list)
    """The words of each -engine."""
    all_engines: EngineWords = field(default_factory=EngineWords)
    """The words of -each."""
    config: Path | None = None

    games: int = _PLAN.games
    rounds: int = _PLAN.rounds
    repeat: int = _PLAN.repeat
    keeps_colours: bool = not _PLAN.swap
    format: Format = _PLAN.format
    seeds: int = _PLAN.seeds

    openings: Path | None = None
    openings_are_games: bool | None = None
    openings_in_random_order: bool = _OPENINGS.random
    first_opening: int = _OPENINGS.start
    opening_plies: int | None = _OPENINGS.plies

    variant: str = _MATCH.variant
    scheme: Scheme = _RULES.scoring.scheme
    cutoff_code: int = _RULES.scoring.cutoff_code
    komi: Komi = _RULES.scoring.komi
    fifty_moves: FiftyMoveSetting = _RULES.fifty_moves.setting
    resign_moves: int = 1
    resign_centipawns: int | None = None
    most_moves: int | None = _RULES.most_moves

    tables: str | None = _TABLES.folders
    table_men: int = _TABLES.men
    tables_end_games: bool = _RULES.adjudicate
    syzygy: str | None = _TABLES.syzygy
    syzygy_men: int = _TABLES.syzygy_men
    ignore_fifty_moves: bool = _TABLES.ignore_fifty_moves

    elo0: float = _TEST.elo0
    elo1: float = _TEST.elo1
    alpha: float = _TEST.alpha
    beta: float = _TEST.beta
    model: Model = _TEST.model

    pgn: Path | None = None
    comment_facts: dict[str, bool] = field(default_factory=dict)
    """Fact of an engine's line -> whether the comments of games have it."""
    json: Path | None = None
    crosstable: Path | None = None
    recover: bool = False
    event: str = _MATCH.event
    site: str = _MATCH.site
    seed: int | None = None
    concurrency: int = _MATCH.concurrency
    wait: float = _MATCH.wait
    rating_interval: int = _MATCH.rating_interval
    quiet: bool = False
    debug: bool = False


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


def _hash(word: str) -> dict[str, str]:
    return {"Hash": word}


def _threads(word: str) -> dict[str, str]:
    return {"Threads": word}


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
SWITCH = _named(_ON_OR_OFF, "on|off", alone="on")
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
    """The field of the words that it sets; empty if it changes nothing."""
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
    values = {"true": {name: True}, "on": {name: True}, "false": {}, "off": {}}
    return Option(name, _named(values, "true"), "comment_facts", f"Comment on {name}.")


UCI_OPTION = "option.NAME"
"""Stands for every option of an engine."""
_ENGINE_KEYS = (
    Option("cmd", Kind("FILE"), "program", "The program; a name is looked up as in a shell."),
    Option("name", TEXT, "name", "Its name (default: its `id name`)."),
    Option("dir", FOLDER, "folder", "Its folder."),
    Option("arg", Kind("NAME", _one_word), "arguments", "An argument; give it once for each."),
    Option("args", Kind("NAME", shlex.split), "arguments", "Its arguments, as in a shell."),
    Option(UCI_OPTION, Kind("VALUE"), "options", "A UCI option."),
    Option("hash", Kind("N", _hash), "options", "Short for option.Hash."),
    Option("threads", Kind("N", _threads), "options", "Short for option.Threads."),
    Option(
        "tc",
        Kind("[MOVES/]TIME[+INC]", parse_time_control),
        "control",
        "Seconds or minutes:seconds, or inf.",
    ),
    Option("st", SECONDS, "each_move", "Seconds for each move."),
    Option("nodes", POSITIVE, "nodes", "Nodes for each move."),
    Option("depth", POSITIVE, "plies", "Plies for each move."),
    Option("plies", POSITIVE, "plies", "The same as depth."),
    Option("timemargin", MILLISECONDS, "margin", "Milliseconds tolerated over the time limit."),
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
        "grace",
        SECONDS,
        "grace",
        "Seconds to be ready after a loss on time, and to end after quit "
        f"(default {_ENGINE.grace:g}).",
    ),
    Option(
        "restart",
        _named({"on": True, "off": False, "auto": False}),
        "restart",
        "on: anew for every game.",
    ),
    Option("stderr", FILE, "stderr", "The log of its standard error."),
    Option("whitepov", SWITCH, "white_view", "Its scores are always White's."),
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
    Option("games", POSITIVE, "games", "Games of an encounter in each round (default 2)."),
    Option("rounds", POSITIVE, "rounds", "Rounds (default 1)."),
    Option(
        "repeat",
        Kind("[N]", POSITIVE.read, alone="2"),
        "repeat",
        "Games with an opening (default 2).",
    ),
    Option("noswap", FLAG, "keeps_colours", "Do not swap colours."),
    Option(
        "tournament",
        _choice(Format, roundrobin=Format.ROUND_ROBIN),
        "format",
        "Who plays whom.",
    ),
    Option("seeds", POSITIVE, "seeds", "The first N play all others (gauntlet), or are seeds."),
    Option("variant", _named(_VARIANTS, "NAME"), "variant", f"{', '.join(VARIANTS)}."),
    Option("concurrency", POSITIVE, "concurrency", "Games at a time (default 1)."),
    _group(
        "openings",
        "Openings from a file: format epd or pgn, order sequential or random; plies and start "
        "as in fastchess.",
        Option("file", FILE, "openings"),
        Option("format", _named({"epd": False, "pgn": True}), "openings_are_games"),
        Option("order", _named({"sequential": False, "random": True}), "openings_in_random_order"),
        Option("start", POSITIVE, "first_opening"),
        Option("plies", COUNT, "opening_plies"),
    ),
    Option(
        "scoring",
        _choice(Scheme, rMobilityWinner=Scheme.WINNER),
        "scheme",
        "The scoring that decides (default exponential); all are shown.",
    ),
    Option(
        "cutoff",
        Kind("G", parse_cutoff),
        "cutoff_code",
        "The score from which winner, komi and -fifty reset treat all scores alike (default G6.0).",
    ),
    Option("komi", Kind("G", parse_komi), "komi", "The score to beat under komi (default G5.75)."),
    Option(
        "fifty",
        _choice(FiftyMoveSetting),
        "fifty_moves",
        "The fifty-move rule (default reset).",
    ),
    _group(
        "resign",
        "An engine loses with G0.0 after so many evaluations in a row at -score or below.",
        Option("movecount", POSITIVE, "resign_moves"),
        Option("score", COUNT, "resign_centipawns"),
    ),
    Option(
        "maxmoves",
        Kind("N", _moves_or_no_limit),
        "most_moves",
        "End a game after N moves with its accrued score (default 0: no limit).",
    ),
    Option("tb", FOLDERS, "tables", "Folders of r-mobility tables that decide games exactly."),
    Option("tbpieces", POSITIVE, "table_men", "Ask tables at N men or fewer (default 5)."),
    Option(
        "tbadjudicate",
        SWITCH,
        "tables_end_games",
        "Off: note the tables' verdict and play on (default on).",
    ),
    Option("syzygy", FOLDERS, "syzygy", "Folders of Syzygy tables; only their wins end games."),
    Option(
        "syzygypieces",
        POSITIVE,
        "syzygy_men",
        "Ask Syzygy tables at N men or fewer (default 7).",
    ),
    Option("tbignore50", FLAG, "ignore_fifty_moves", "Ignore the fifty-move rule in Syzygy wins."),
    _group(
        "sprt",
        f"Stop when a test of the first engine against the second is decided: model {_MODELS}.",
        Option("elo0", ELO, "elo0"),
        Option("elo1", ELO, "elo1"),
        Option("alpha", AMOUNT, "alpha"),
        Option("beta", AMOUNT, "beta"),
        Option("model", _choice(Model), "model"),
    ),
    Option(
        "report",
        _named({"penta=true": None}),
        "",
        "As fastchess writes it; pairs are always shown.",
    ),
    _group(
        "pgnout",
        "Append every game to a file; needed for -recover. "
        f"{', '.join(COMMENT_FACTS)}: as in fastchess, such as nodes=true.",
        Option("file", FILE, "pgn"),
        Option("fi", SWITCH, "", "As cutechess-cli writes it."),
        Option("notation", _named({"san": None}), "", "san, and no other."),
        Option("append", _named({"true": None}), "", "true, and no other."),
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

ALIASES = {
    "q": OPTIONS["quiet"],
    "rMobilityType": OPTIONS["scoring"],
    "rMobilityCutoff": OPTIONS["cutoff"],
    "defaultKomi": OPTIONS["komi"],
    "legacyMode": Option(
        "legacyMode", _named({"on": FiftyMoveSetting.LEGACY}, "", alone="on"), "fifty_moves"
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
