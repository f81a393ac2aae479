"""Builds the settings of a match from its options; a word that has no meaning is an error."""

from __future__ import annotations

import enum
import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from tbgen.apps.games.tags import parse_cutoff, parse_scheme
from tbgen.apps.match.arguments import Words, merged, parse_arguments, read_toml
from tbgen.apps.match.clock import TimeControl, parse_time_control
from tbgen.apps.match.engine import EngineSpec, Restart
from tbgen.apps.match.hints import nearest
from tbgen.apps.match.openings import Order
from tbgen.apps.match.play import Resign
from tbgen.apps.match.schedule import Format, Policy
from tbgen.apps.match.settings import MatchSettings, Notation, OpeningSettings, TableSettings
from tbgen.apps.match.sprt import Model, Sprt
from tbgen.errors import UsageError
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting
from tbgen.rules.points import DEFAULT_KOMI, Scheme, Scoring, asked_komi
from tbgen.score import DEFAULT_CUTOFF_CODE

T = TypeVar("T")
E = TypeVar("E", bound=enum.Enum)

_MORE_PROGRAMS = "/usr/games"
"""Where Debian has its engines."""

_OTHER_NAMES = {"roundrobin": "round-robin", "rMobilityWinner": "winner", "plies": "depth"}
_REFUSED_KEYS = {
    "conf": "there are no configured engines; a TOML file with -config does the same",
    "book": "Polyglot books are not read; give openings with -openings",
    "bookdepth": "Polyglot books are not read; give openings with -openings",
    "initstr": "set options with option.NAME=VALUE",
    "ponder": "engines do not think on the time of others",
    "trust": "no engine's word is taken for the end of a game",
}


def settings_of(arguments: Iterable[str]) -> MatchSettings:
    """The settings from a command line and its -config file."""
    words = parse_arguments(list(arguments))
    if "config" in words:
        words = merged(read_toml(Path(words.pop("config"))), words)
    return settings_in(words)


def settings_in(words: Words) -> MatchSettings:
    group = _Group("the match", {name: value for name, value in words.items() if isinstance(value, str)})
    engines = tuple(_engine(_with_defaults(words.get("each", {}), each)) for each in words.get("engine", []))
    scoring = Scoring(
        group.get("scoring", lambda text: parse_scheme(_OTHER_NAMES.get(text, text)), Scheme.EXPONENTIAL),
        group.get("cutoff", parse_cutoff, DEFAULT_CUTOFF_CODE),
        group.get("komi", asked_komi, DEFAULT_KOMI),
    )
    fifty = group.choice("fifty", FiftyMoveSetting, FiftyMoveSetting.RESET)
    settings = MatchSettings(
        engines=engines,
        games=group.whole("games", 2),
        rounds=group.whole("rounds", 1),
        repeat=group.whole("repeat", 2),
        format=group.choice("tournament", Format, Format.ROUND_ROBIN),
        seeds=group.whole("seeds", 1),
        swap=not group.flag("noswap"),
        chess960=group.get("variant", _is_chess960, False),
        concurrency=group.whole("concurrency", 1),
        openings=_openings(words["openings"]) if "openings" in words else None,
        fifty_moves=FiftyMoves(fifty, scoring.cutoff_code),
        scoring=scoring,
        resign=_resign(words["resign"]) if "resign" in words else None,
        most_moves=group.whole("maxmoves", 0, least=0) or None,
        tables=_tables(group),
        sprt=_sprt(words["sprt"]) if "sprt" in words else None,
        pgn=group.get("pgnout", Path, None),
        event=group.get("event", str, "?"),
        site=group.get("site", str, "?"),
        seed=group.whole("srand", None, least=0),
        wait=group.number("wait", 0.0) / 1000,
        rating_interval=group.whole("ratinginterval", 10, least=0),
        recover=group.flag("recover"),
        debug=group.flag("debug"),
        quiet=group.flag("quiet"),
        json=group.get("jsonout", Path, None),
    )
    _refuse_contradictions(settings)
    _refuse_idle(words, settings)
    return settings


def _refuse_contradictions(settings: MatchSettings) -> None:
    """Refuse combinations of options that make no sense."""
    if len(settings.engines) < 2:
        raise UsageError("a match needs two engines: -engine cmd=FILE ... -engine cmd=FILE ...")
    if settings.sprt is not None and len(settings.engines) != 2:
        raise UsageError("-sprt tests one engine against one other; give two engines")
    if settings.recover and settings.pgn is None:
        raise UsageError("-recover needs -pgnout: the file of games says which have been played")
    for spec in settings.engines:
        if not spec.control.is_bounded:
            name = spec.name or spec.command[0]
            raise UsageError(f"engine {name} may think for ever; give it tc=, st=, nodes= or depth=")


def _refuse_idle(words: Words, settings: MatchSettings) -> None:
    """Refuse options that mean nothing, because what they need is not given."""
    ours, ordinary = "tb" in words, "syzygy" in words
    needs = (
        ("seeds", "-tournament gauntlet", settings.format is Format.GAUNTLET),
        ("tbpieces", "-tb", ours),
        ("tbadjudicate", "-tb or -syzygy", ours or ordinary),
        ("syzygypieces", "-syzygy", ordinary),
        ("tbignore50", "-syzygy", ordinary),
    )
    for name, needed, is_given in needs:
        if name in words and not is_given:
            raise UsageError(f"-{name} means nothing without {needed}")


class _Group:
    """Key=value words, which are removed one by one as they are used."""

    def __init__(self, title: str, words: Mapping[str, str], known: Iterable[str] | None = None) -> None:
        self._title = title
        self._words = words
        for key in words if known is not None else ():
            if key in _REFUSED_KEYS:
                raise UsageError(f"{title}: {key} is not offered: {_REFUSED_KEYS[key]}")
            if key not in set(known or ()):
                raise UsageError(f"{title} knows no {key!r}{nearest(key, known or ())}")

    def get(self, key: str, convert: Callable[[str], T], default: Any) -> T:
        """Remove a key and return its value; a value that `convert` cannot read is an error that names the key."""
        if key not in self._words:
            return default  # type: ignore[no-any-return]
        try:
            return convert(self._words[key])
        except ValueError:
            raise UsageError(f"{self._title}: {key}={self._words[key]} makes no sense") from None

    def whole(self, key: str, default: Any, *, least: int = 1) -> Any:
        value = self.get(key, int, default)
        if value is not None and value < least:
            raise UsageError(f"{self._title}: {key} is at least {least}, not {value}")
        return value

    def number(self, key: str, default: Any) -> Any:
        value = self.get(key, float, default)
        if value is not None and not 0 <= value < float("inf"):
            raise UsageError(f"{self._title}: {key} is not negative and not {value}")
        return value

    def choice(self, key: str, kind: type[E], default: E) -> E:
        if key not in self._words:
            return default
        word = _OTHER_NAMES.get(self._words[key], self._words[key])
        for each in kind:
            if each.value == word:
                return each
        names = [str(each.value) for each in kind]
        raise UsageError(f"{self._title}: {key} is one of {', '.join(names)}, not {word!r}{nearest(word, names)}")

    def flag(self, key: str) -> bool:
        word = self._words.get(key, "off").lower()
        if word not in ("on", "off", "true", "false"):
            raise UsageError(f"{self._title}: {key} is on or off, not {word!r}")
        return word in ("on", "true")


_WHAT_RUNS = ("cmd", "name", "dir", "arg", "args", "option", "hash", "threads", "proto")
_HOW_LONG = ("tc", "st", "nodes", "depth", "plies", "timemargin", "hang")
_AROUND_IT = ("restart", "log", "stderr", "whitepov")


def _with_defaults(each: Words, engine: Words) -> Words:
    return {**each, **engine, "option": {**each.get("option", {}), **engine.get("option", {})}}


def _engine(words: Words) -> EngineSpec:
    title = f"engine {words.get('name', words.get('cmd', '?'))}"
    plain: dict[str, str] = {key: value if isinstance(value, str) else "" for key, value in words.items()}
    group = _Group(title, plain, (*_WHAT_RUNS, *_HOW_LONG, *_AROUND_IT))
    if "cmd" not in words:
        raise UsageError(f"{title} needs cmd=FILE, the program to run")
    if group.get("proto", str, "uci") != "uci":
        raise UsageError(f"{title}: only UCI engines can play; a proxy may translate")
    folder = group.get("dir", Path, None)
    arguments = words.get("arg", [])
    arguments = [*(arguments if isinstance(arguments, list) else [arguments]), *shlex.split(words.get("args", ""))]
    options = {str(key): str(value) for key, value in words.get("option", {}).items()}
    for key, option in (("hash", "Hash"), ("threads", "Threads")):
        if key in words:
            options.setdefault(option, words[key])
    return EngineSpec(
        command=(*_program(words["cmd"], folder), *arguments),
        name=group.get("name", str, None),
        folder=folder,
        options=options,
        control=_control(group, title),
        restart=group.choice("restart", Restart, Restart.AUTO),
        hang=group.number("hang", 300.0),
        log=group.get("log", Path, None),
        stderr=group.get("stderr", Path, None),
        white_view=group.flag("whitepov"),
    )


def _program(command: str, folder: Path | None) -> tuple[str, ...]:
    """The program with its arguments; a path is meant from here, or else from the engine's own folder."""
    if not Path(command).exists() and " " in command and (folder is None or not (folder / command).exists()):
        program, *arguments = shlex.split(command)
        return (*_program(program, folder), *arguments)
    if os.sep in command:
        own = None if folder is None else (folder / command).absolute()
        path = Path(command).absolute()
        return (str(own if own is not None and own.exists() and not path.exists() else path),)
    found = shutil.which(command) or shutil.which(command, path=_MORE_PROGRAMS)
    if found is None and folder is not None and (folder / command).exists():
        found = str((folder / command).absolute())
    return (found or command,)


def _control(group: _Group, title: str) -> TimeControl:
    control = group.get("tc", parse_time_control, TimeControl())
    each_move = group.number("st", None)
    if control.is_timed and each_move is not None:
        raise UsageError(f"{title} cannot have both tc= and st=")
    return replace(
        control,
        each_move=each_move,
        nodes=group.whole("nodes", None),
        plies=group.whole("depth", group.whole("plies", None)),
        margin=group.number("timemargin", 0.0) / 1000,
    )


def _openings(words: Words) -> OpeningSettings:
    group = _Group("-openings", words, ("file", "format", "order", "plies", "start", "policy"))
    if "file" not in words:
        raise UsageError("-openings needs file=FILE")
    file = Path(words["file"])
    guess = Notation.PGN if ".pgn" in [suffix.lower() for suffix in file.suffixes] else Notation.EPD
    return OpeningSettings(
        file,
        group.choice("format", Notation, guess),
        group.choice("order", Order, Order.SEQUENTIAL),
        group.whole("start", 1),
        group.whole("plies", None, least=0),
        group.choice("policy", Policy, Policy.DEFAULT),
    )


def _resign(words: Words) -> Resign:
    group = _Group("-resign", words, ("movecount", "score", "twosided"))
    return Resign(group.whole("movecount", 1), group.whole("score", 0, least=0), two_sided=group.flag("twosided"))


def _sprt(words: Words) -> Sprt:
    group = _Group("-sprt", words, ("elo0", "elo1", "alpha", "beta", "model"))
    elo0, elo1 = group.get("elo0", float, 0.0), group.get("elo1", float, 5.0)
    alpha, beta = group.number("alpha", 0.05), group.number("beta", 0.05)
    if elo0 >= elo1:
        raise UsageError(f"-sprt: elo0 is less than elo1, not {elo0:g} and {elo1:g}")
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise UsageError("-sprt: alpha and beta are chances of error between 0 and 0.5")
    return Sprt(elo0, elo1, alpha, beta, group.choice("model", Model, Model.CUTECHESS))


def _tables(group: _Group) -> TableSettings:
    return TableSettings(
        folders=group.get("tb", str, None),
        men=group.whole("tbpieces", 5),
        adjudicate=not group.get("tbadjudicate", _is_off, False),
        syzygy=group.get("syzygy", str, None),
        syzygy_men=group.whole("syzygypieces", 7),
        ignore_fifty_moves=group.flag("tbignore50"),
    )


def _is_off(word: str) -> bool:
    if word not in ("on", "off"):
        raise UsageError(f"-tbadjudicate is on or off, not {word!r}")
    return word == "off"


def _is_chess960(word: str) -> bool:
    if word not in ("standard", "fischerandom", "chess960"):
        raise UsageError(f"-variant is standard or fischerandom, not {word!r}; both by the rules of r-mobility")
    return word != "standard"
