"""The options of a match as cutechess-cli and fastchess spell them, on a command line or in a TOML file.

`OPTIONS` says how each option is written and has its help; the tables behind it say which setting it makes. A file
becomes the words of a command line, which stand before those that are typed; words without a meaning are errors.
"""

from __future__ import annotations

import enum
import os
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tbgen.apps.games.tags import parse_cutoff
from tbgen.apps.match.engine import EngineSpec, TimeControl, nearest, parse_time_control
from tbgen.apps.match.match import MatchSettings, OpeningSettings, TableSettings
from tbgen.apps.match.play import PlayRules, Resign
from tbgen.apps.match.schedule import Format, OpeningOrder, Policy, Tournament
from tbgen.apps.match.statistics import Model, Sprt
from tbgen.errors import UsageError
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting
from tbgen.rules.points import Scheme, Scoring, parse_komi

Words = dict[str, Any]
"""Option -> a word, or the words of a group; for engines a list of groups."""
Reader = Callable[[str], Any]
"""Makes a setting of a word; a UsageError says what the word is not, a ValueError that it makes no sense."""
Keys = Mapping[str, tuple[str, Reader]]
"""Option, or key of a group -> the field that it sets, and how it is read.

The field is one of the settings, or `part.field` for one of a part of them; empty for none.
"""


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


class Help(NamedTuple):
    """The help of an option."""

    hint: str
    """The form of its value, empty for a flag."""
    text: str


OPTIONS = {
    "engine": Help("cmd=FILE name=NAME ...", "An engine; give it once for each."),
    "each": Help("tc=10+0.1 ...", "Options for all engines."),
    "config": Help("FILE", "A TOML file with the same names; the command line takes precedence."),
    "games": Help("N", "Games of an encounter in each round (default 2)."),
    "rounds": Help("N", "Rounds (default 1)."),
    "repeat": Help("[N]", "Games that share an opening, colours swapped (default 2)."),
    "noswap": Help("", "Do not swap colours."),
    "tournament": Help("TYPE", "round-robin (default), gauntlet, knockout or pyramid."),
    "seeds": Help("N", "Gauntlet: the first N engines play all others; knockout: they are seeds (default 1)."),
    "variant": Help("NAME", "standard (default) or fischerandom."),
    "concurrency": Help("N", "Games at a time (default 1)."),
    "openings": Help(
        "file=FILE format=epd|pgn order= plies= start= policy=default|encounter|round",
        "Openings; plies and start as in cutechess-cli, order sequential or random.",
    ),
    "scoring": Help("NAME", "The scoring that decides (default exponential); all are shown."),
    "cutoff": Help("G", "The score from which winner, komi and -fifty reset treat all scores alike (default G6.0)."),
    "komi": Help("G", "The score to beat under komi, if the opening names none (default G5.75)."),
    "fifty": Help("NAME", "The fifty-move rule: reset (default), fide, legacy, none."),
    "resign": Help(
        "movecount=N score=CP twosided=true|false",
        "An engine loses with G0.0 after so many evaluations in a row at -CP or below.",
    ),
    "maxmoves": Help("N", "End a game after N moves with its accrued score."),
    "tb": Help("DIRS", "Folders of r-mobility tables that decide games exactly."),
    "tbpieces": Help("N", "Ask tables at N men or fewer (default 5)."),
    "tbadjudicate": Help("on|off", "on (default), or off: note the tables' verdict and play on."),
    "syzygy": Help("DIRS", "Folders of Syzygy tables; only their wins end games."),
    "syzygypieces": Help("N", "Ask Syzygy tables at N men or fewer (default 7)."),
    "tbignore50": Help("", "Ignore the fifty-move rule in Syzygy wins."),
    "sprt": Help(
        "elo0= elo1= alpha= beta= model=cutechess|bayesian|logistic|normalized",
        "Stop when a test of the first engine against the second is decided.",
    ),
    "report": Help("penta=true", "As fastchess writes it; pairs are always shown."),
    "pgnout": Help("FILE", "Append every game to a file; needed for -recover."),
    "jsonout": Help("FILE", "Write the standings as JSON at the end."),
    "crosstable": Help("FILE", "Write the cross table at the end as the site of TCEC reads it."),
    "recover": Help("", "Continue an interrupted match; no game is lost or played twice."),
    "event": Help("NAME", "The Event tag."),
    "site": Help("NAME", "The Site tag."),
    "srand": Help("N", "The seed of the order of openings."),
    "wait": Help("N", "Milliseconds between games."),
    "ratinginterval": Help("N", "Show the standings every N games (default 10; 0 is never)."),
    "quiet": Help("", "Show the standings at the end, and nothing before; short -q."),
    "debug": Help("", "Print the lines between the referee and the engines."),
}
"""Option -> its help; what it sets is in `FIELDS` or, of a group of words, in `GROUPS`."""

_REFUSED_KEYS = {
    "conf": "there are no configured engines; a TOML file with -config does the same",
    "book": "Polyglot books are not read; give openings with -openings",
    "bookdepth": "Polyglot books are not read; give openings with -openings",
    "initstr": "set options with option.NAME=VALUE",
    "ponder": "engines do not think on the time of others",
    "trust": "no engine's word is taken for the end of a game",
}
_ENGINE_KEYS: Keys = {
    **dict.fromkeys(("cmd", "arg", "args", "option", "hash", "threads", "proto"), ("", str)),
    "tc": ("control", parse_time_control),
    "st": ("control.each_move", number),
    "nodes": ("control.nodes", at_least(1)),
    "plies": ("control.plies", at_least(1)),
    "depth": ("control.plies", at_least(1)),
    "timemargin": ("control.margin", milliseconds),
    "name": ("name", str),
    "dir": ("folder", Path),
    "restart": ("restart", named({"on": True, "off": False, "auto": False})),
    "hang": ("hang", number),
    "log": ("log", Path),
    "stderr": ("stderr", Path),
    "whitepov": ("white_view", flag),
}
FIELDS: Keys = {
    "games": ("plan.games", at_least(1)),
    "rounds": ("plan.rounds", at_least(1)),
    "repeat": ("plan.repeat", at_least(1)),
    "noswap": ("plan.swap", lambda word: not flag(word)),
    "tournament": ("plan.format", choice(Format, roundrobin=Format.ROUND_ROBIN)),
    "seeds": ("plan.seeds", at_least(1)),
    "variant": ("chess960", named({"standard": False, "fischerandom": True, "chess960": True})),
    "concurrency": ("concurrency", at_least(1)),
    "scoring": ("rules.scoring.scheme", choice(Scheme, rMobilityWinner=Scheme.WINNER)),
    "cutoff": ("rules.scoring.cutoff_code", parse_cutoff),
    "komi": ("rules.scoring.komi", parse_komi),
    "fifty": ("rules.fifty_moves.setting", choice(FiftyMoveSetting)),
    "maxmoves": ("rules.most_moves", lambda word: at_least(0)(word) or None),
    "tb": ("tables.folders", str),
    "tbpieces": ("tables.men", at_least(1)),
    "tbadjudicate": ("rules.adjudicate", flag),
    "syzygy": ("tables.syzygy", str),
    "syzygypieces": ("tables.syzygy_men", at_least(1)),
    "tbignore50": ("tables.ignore_fifty_moves", flag),
    "jsonout": ("json", Path),
    "crosstable": ("crosstable", Path),
    "recover": ("recover", flag),
    "event": ("event", str),
    "site": ("site", str),
    "srand": ("seed", at_least(0)),
    "wait": ("wait", milliseconds),
    "ratinginterval": ("rating_interval", at_least(0)),
    "quiet": ("quiet", flag),
    "debug": ("debug", flag),
}
"""Options whose value is a word."""
_MATCH_GROUPS: Mapping[str, Keys] = {
    "openings": {
        "file": ("openings.file", Path),
        "format": ("openings.pgn", named({"epd": False, "pgn": True})),
        "order": ("openings.order", choice(OpeningOrder)),
        "start": ("openings.start", at_least(1)),
        "plies": ("openings.plies", at_least(0)),
        "policy": ("plan.policy", choice(Policy)),
    },
    "resign": {
        "movecount": ("rules.resign.moves", at_least(1)),
        "score": ("rules.resign.centipawns", at_least(0)),
        "twosided": ("rules.resign.two_sided", flag),
    },
    "sprt": {
        "elo0": ("sprt.elo0", float),
        "elo1": ("sprt.elo1", float),
        "alpha": ("sprt.alpha", number),
        "beta": ("sprt.beta", number),
        "model": ("sprt.model", choice(Model)),
    },
    "report": {"penta": ("", named({"true": None}))},
    "pgnout": {
        "file": ("pgn", Path),
        "fi": ("", flag),
        "notation": ("", named({"san": None})),
        "append": ("", named({"true": None})),
    },
}
"""Options whose value is words such as `key=value`, each with a field of its own."""
GROUPS = {"engine": _ENGINE_KEYS, "each": _ENGINE_KEYS, **_MATCH_GROUPS}
_NEEDS = {
    "tbpieces": ("tb",),
    "tbadjudicate": ("tb", "syzygy"),
    "syzygypieces": ("syzygy",),
    "tbignore50": ("syzygy",),
}
"""Option -> those without which it means nothing; one of them is enough."""

ALIASES = {
    "q": ("-quiet",),
    "rMobilityType": ("-scoring",),
    "rMobilityCutoff": ("-cutoff",),
    "defaultKomi": ("-komi",),
    "legacyMode": ("-fifty", "legacy"),
}
"""Words of the fork of Cute Chess for r-mobility, and of the other commands of tbgen, in those of tbgen."""

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
    """The settings from a command line and its -config file, which the command line overrides."""
    typed = list(arguments)
    words = parse_arguments(typed)
    if "config" in words:
        words = parse_arguments([*arguments_in(Path(words["config"])), *typed])
    settings = _settings_in(words)
    _refuse_contradictions(words, settings)
    return settings


def parse_arguments(arguments: Sequence[str]) -> Words:
    """The options of a command line."""
    words: Words = {}
    left = list(arguments)
    while left:
        word = left.pop(0)
        name = word.lstrip("-")
        if not name or name == word:
            raise UsageError(f"{word!r} belongs to no option; options start with a dash")
        if name in ALIASES:
            left[:0] = ALIASES[name]
            continue
        hint = _hint_of(name)
        if name == "engine":
            words.setdefault(name, []).append(_group(name, hint, left))
        elif name in GROUPS:
            words.setdefault(name, {}).update(_group(name, hint, left))
        else:
            words[name] = _word(name, hint, left)
    return words


def arguments_in(path: Path) -> Iterator[str]:
    """A file as a command line; `[[engine]]` is repeated, `option.Hash = 16` is an option of an engine."""
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or too deep
        raise UsageError(f"{path}: {' '.join(str(error).split())}") from None
    for name, value in found.items():
        kind = list if name == "engine" else dict
        if "=" in _hint_of(ALIASES.get(name, (name,))[0].lstrip("-")) and not isinstance(value, kind):
            raise UsageError(f"{path}: {name} is a table, {'[[engine]]' if name == 'engine' else f'[{name}]'}")
        for each in value if name == "engine" else [value]:
            if each is not False:
                yield from (f"-{name}", *_words_of(each))


def _words_of(value: object, key: str = "") -> Iterator[str]:
    """A value of TOML in words."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _words_of(each, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for each in value:
            yield from _words_of(each, key)
    elif key:
        yield f"{key}={str(value).lower() if isinstance(value, bool) else value}"
    elif value is not True:
        yield str(value)


def _hint_of(name: str) -> str:
    """The form of the value of an option; UsageError if there is no such option."""
    if name in REFUSED:
        raise UsageError(f"-{name} is not offered: {REFUSED[name]}")
    if name not in OPTIONS:
        raise UsageError(f"unknown option -{name}{nearest(name, [*OPTIONS, *ALIASES])}")
    return OPTIONS[name].hint


def _word(name: str, hint: str, left: list[str]) -> str:
    """The value of an option, which is taken off the words that are left."""
    if not hint:
        return "on"
    if hint.startswith("["):
        return left.pop(0) if left and left[0].isdigit() else "2"
    if not left:
        raise UsageError(f"-{name} needs a value: -{name} {hint}")
    return left.pop(0)


def _group(name: str, hint: str, left: list[str]) -> Words:
    """The words of a group, which are taken off those that are left."""
    keys = GROUPS[name]
    group: Words = {}
    while left and not left[0].startswith("-"):
        key, equals, value = left[0].partition("=")
        if not equals and (key in _REFUSED_KEYS or (key in keys and keys[key][1] is flag)):
            value = "on"
        elif not equals and hint == "FILE" and not group:
            key, value = "file", key
        elif not equals:
            break
        left.pop(0)
        if key == "option":
            raise UsageError(f"-{name}: set options with option.NAME=VALUE")
        if key == "arg":
            group.setdefault("arg", []).append(value)
        else:
            group[key] = value
    if not group:
        raise UsageError(f"-{name} needs values: -{name} {hint}")
    return group


def _settings_in(words: Words) -> MatchSettings:
    fields = _read("the match", {name: words[name] for name in FIELDS if name in words}, FIELDS)
    for name, keys in _MATCH_GROUPS.items():
        fields |= _read(f"-{name}", words.get(name, {}), keys)
    engines = tuple(_engine(words.get("each", {}), each) for each in words.get("engine", []))
    scoring = Scoring(**_part(fields, "rules.scoring."))
    fifty_moves = FiftyMoves(**_part(fields, "rules.fifty_moves."), cutoff_code=scoring.cutoff_code)
    resign, sprt, openings = (_part(fields, part) for part in ("rules.resign.", "sprt.", "openings."))
    openings.setdefault("pgn", ".pgn" in [suffix.lower() for suffix in openings.get("file", Path()).suffixes])
    return MatchSettings(
        engines,
        Tournament(len(engines), **_part(fields, "plan.")),
        PlayRules(fifty_moves, scoring, Resign(**resign) if resign else None, **_part(fields, "rules.")),
        openings=OpeningSettings(**openings),
        tables=TableSettings(**_part(fields, "tables.")),
        sprt=Sprt(**sprt) if sprt else None,
        **fields,
    )


def _part(fields: dict[str, Any], part: str) -> dict[str, Any]:
    """The fields of a part of the settings, which are removed from `fields`."""
    return {name.removeprefix(part): fields.pop(name) for name in list(fields) if name.startswith(part)}


def _read(title: str, words: Words, keys: Keys) -> dict[str, Any]:
    """The fields that some words set."""
    fields = {}
    for key, word in words.items():
        if key in keys:
            field, reader = keys[key]
            try:
                value = reader(word)
            except UsageError as error:
                raise UsageError(f"{title}: {key} {error}") from None
            except ValueError:
                raise UsageError(f"{title}: {key}={word} makes no sense") from None
            fields.update({field: value} if field else {})
        elif key in _REFUSED_KEYS:
            raise UsageError(f"{title}: {key} is not offered: {_REFUSED_KEYS[key]}")
        else:
            raise UsageError(f"{title} knows no {key!r}{nearest(key, keys)}")
    return fields


def _refuse_contradictions(words: Words, settings: MatchSettings) -> None:
    """Refuse combinations of options that make no sense, and options that change nothing."""
    engines, kind = len(settings.engines), settings.plan.format
    contradictions = {
        "a match needs two engines: -engine cmd=FILE ... -engine cmd=FILE ...": engines < 2,
        "-sprt tests one engine against one other; give two engines": settings.sprt is not None and engines != 2,
        "-openings needs file=FILE": "openings" in words and settings.openings.file is None,
        "-recover needs -pgnout: the file of games says which have been played": settings.recover and not settings.pgn,
        "-seeds means nothing without -tournament gauntlet or knockout": (
            "seeds" in words and kind not in (Format.GAUNTLET, Format.KNOCKOUT)
        ),
        "-rounds means nothing with -tournament knockout; -games sets the length of a meeting": (
            "rounds" in words and kind is Format.KNOCKOUT
        ),
        **{
            f"-{name} means nothing without -{' or -'.join(needed)}": name in words and not words.keys() & needed
            for name, needed in _NEEDS.items()
        },
    }
    for reason, applies in contradictions.items():
        if applies:
            raise UsageError(reason)
    for spec in settings.engines:
        if replace(spec.control, margin=0.0) == TimeControl():
            name = spec.name or spec.command[0]
            raise UsageError(f"engine {name} may think for ever; give it tc=, st=, nodes= or depth=")


def _engine(each: Words, own: Words) -> EngineSpec:
    """An engine with its own options, and those of all engines."""
    words = {**each, **own}
    options = _part(words, "option.")
    title = f"engine {words.get('name', words.get('cmd', '?'))}"
    if "cmd" not in words:
        raise UsageError(f"{title} needs cmd=FILE, the program to run")
    if words.get("proto", "uci") != "uci":
        raise UsageError(f"{title}: only UCI engines can play; a proxy may translate")
    fields = _read(title, words, _ENGINE_KEYS)
    limits, control = _part(fields, "control."), fields.pop("control", TimeControl())
    if control.base is not None and "each_move" in limits:
        raise UsageError(f"{title} cannot have both tc= and st=")
    arguments = [*words.get("arg", []), *shlex.split(words.get("args", ""))]
    program = words["cmd"]
    if os.sep in program:  # a path is meant from here
        program = str(Path(program).absolute())
    else:
        program = shutil.which(program) or shutil.which(program, path="/usr/games") or program  # as Debian has them
    short = {option: words[key] for key, option in (("hash", "Hash"), ("threads", "Threads")) if key in words}
    return EngineSpec(
        command=(program, *arguments),
        options={**options, **short, **options},
        control=replace(control, **limits),
        **fields,
    )
