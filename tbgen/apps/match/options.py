"""The settings of a match from a command line or a TOML file.

tbgen turns a file into a command line, and puts the typed command line after it. Each word gives
the value of a path in the settings, and unknown words are refused. The values replace the defaults.
tbgen then refuses combinations that make no sense, and options that change nothing.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tbgen.apps.match.control import TimeControl
from tbgen.apps.match.settings import EngineSpec, Format, MatchSettings, Resign, Tournament
from tbgen.apps.match.statistics import Sprt
from tbgen.apps.match.words import ALIASES, OPTIONS, SET_BY_REFEREE, UCI_OPTION, Option
from tbgen.errors import InputError, UsageError
from tbgen.facts import flattened
from tbgen.text import nearest

_UCI_PREFIX = "option."
_OTHER_PROGRAMS = "; docs/matches.md says what stands for the options of other programs"
_OPTIONS_AND_ALIASES = {**OPTIONS, **ALIASES}
_ABSENT: Mapping[str, Any] = {"resign": Resign(), "sprt": Sprt()}
"""Parts of the settings that are None by default -> what they are if one of their values is set."""

SettingValues = dict[str, Any]
"""Path in the settings, such as `plan.games` -> the value that is given."""


@dataclass(slots=True)
class Given:
    """What a command line gives."""

    options: set[str] = field(default_factory=set)
    """The names of the options."""
    values: SettingValues = field(default_factory=SettingValues)
    engines: list[SettingValues] = field(default_factory=list)
    """Those of each -engine, by paths in `EngineSpec`."""
    each: SettingValues = field(default_factory=SettingValues)


def settings_of(arguments: Iterable[str]) -> MatchSettings:
    """The settings from a command line and its -config file, which the command line overrides."""
    typed = list(arguments)
    given = parse_arguments(typed)
    if "config" in given.values:
        given = parse_arguments([*arguments_in(given.values["config"]), *typed])
    engines = tuple(_engine(_merged(given.each, own)) for own in given.engines)
    defaults = MatchSettings(engines, Tournament(players=len(engines)))
    settings: MatchSettings = _with_values(defaults, given.values)
    _refuse_senseless(settings, given)
    return settings


def parse_arguments(arguments: Iterable[str]) -> Given:
    """The values that a command line gives."""
    given = Given()
    left = deque(arguments)
    while left:
        word = left.popleft()
        name = word.lstrip("-")
        if name in ("", word):
            raise UsageError(f"{word!r} belongs to no option; options start with a dash")
        option = _known(f"-{name}", name, _OPTIONS_AND_ALIASES)
        given.options.add(option.name)
        if option.name == "engine":
            given.engines.append(_group_values(option, left))
        elif option.name == "each":
            given.each = _merged(given.each, _group_values(option, left))
        elif option.keys:
            _read_group(option, _take_group(left), given.values)
        else:
            value = left.popleft() if _has_value(option, left) else None
            _read(f"-{name}", option, value, given.values, between=" ")
    return given


def _has_value(option: Option, left: deque[str]) -> bool:
    """Whether the next word is the value of an option, and not an option itself."""
    if not left or not option.kind.form:
        return False
    is_optional = option.kind.alone is not None
    return not (is_optional and left[0].startswith("-"))


def _take_group(left: deque[str]) -> list[str]:
    """Take the words up to the next option."""
    group = list[str]()
    while left and not left[0].startswith("-"):
        group.append(left.popleft())
    return group


def _group_values(option: Option, left: deque[str]) -> SettingValues:
    """The values of an engine, taken from the words up to the next option."""
    values = SettingValues()
    _read_group(option, _take_group(left), values)
    return values


def _read_group(option: Option, group: Sequence[str], values: SettingValues) -> None:
    """Set values by the words of a group, such as `key=value`.

    The first word may be the name of a file alone.
    """
    if not group:
        raise UsageError(f"-{option.name} needs values: -{option.name} {option.form}")
    for number, word in enumerate(group):
        key, equals, text = word.partition("=")
        value = text if equals else None
        has_key = bool(equals) or key in option.keys
        if number == 0 and not has_key and "file" in option.keys:
            value = key
            key = "file"
        spelling = f"-{option.name} {key}"
        if key.startswith(_UCI_PREFIX):
            _known(spelling, UCI_OPTION, option.keys)
            _read_uci_option(spelling, key.removeprefix(_UCI_PREFIX), value, values)
        else:
            _read(spelling, _known(spelling, key, option.keys), value, values, between="=")


def _read_uci_option(spelling: str, name: str, value: str | None, values: SettingValues) -> None:
    """Note `option.NAME=VALUE` of an engine.

    An option that the referee sets may only be given the value that it has anyway.
    """
    if value is None:
        raise UsageError(f"{spelling} needs a value: {spelling}=VALUE")
    if name.lower() not in SET_BY_REFEREE:
        _set(values, "options", {name: value})
        return
    set_value, reason = SET_BY_REFEREE[name.lower()]
    if value.lower() != set_value.lower():
        raise UsageError(f"{spelling}={value} is not offered: {reason}")


def _read(
    spelling: str, option: Option, value: str | None, values: SettingValues, *, between: str
) -> None:
    """Set the paths of an option by its value; None is an option without a value.

    Errors call the option `spelling`, and write `between` before its value.
    """
    word = option.kind.alone if value is None else value
    if word is None:
        raise UsageError(f"{spelling} needs a value: {spelling}{between}{option.form}")
    try:
        setting = option.kind.read(word)
    except InputError as error:
        raise UsageError(f"{spelling} {error}") from None
    except ValueError:
        spelled = f"{spelling}{between}"
        raise UsageError(f"{spelled}{word} makes no sense; write {spelled}{option.form}") from None
    for path in option.sets.split():
        _set(values, path, setting)


def _set(values: SettingValues, path: str, setting: Any) -> None:
    """Set a path; the items of a list or a dict are added to those that are there."""
    if isinstance(setting, list):
        setting = [*values.get(path, ()), *setting]
    elif isinstance(setting, dict):
        setting = values.get(path, {}) | setting
    values[path] = setting


def _merged(defaults: SettingValues, own: SettingValues) -> SettingValues:
    """The values of an engine, and the defaults where it has none."""
    options = defaults.get("options", {}) | own.get("options", {})
    return defaults | own | {"options": options}


def _with_values(whole: Any, values: SettingValues) -> Any:
    """Settings with other values at some paths."""
    changes = SettingValues()
    inner = defaultdict[str, SettingValues](SettingValues)
    for path, value in values.items():
        name, _, rest = path.partition(".")
        if rest:
            inner[name][rest] = value
        else:
            changes[name] = tuple(value) if isinstance(value, list) else value
    for name, inner_values in inner.items():
        part = changes.get(name, getattr(whole, name))
        changes[name] = _with_values(_ABSENT[name] if part is None else part, inner_values)
    return replace(whole, **changes)


def _known(spelling: str, name: str, options: Mapping[str, Option]) -> Option:
    """The option of a name; UsageError, which calls it `spelling`, if it is not among `options`."""
    if name in options:
        return options[name]
    advice = nearest(name, options, spelling.removesuffix(name))
    raise UsageError(f"unknown option {spelling}{advice or _OTHER_PROGRAMS}")


def arguments_in(path: Path) -> Iterator[str]:
    """A TOML file as a command line.

    Each table `[[engine]]` becomes an -engine, and `option.Hash = 16` in it the word
    `option.Hash=16`. `quiet = true` becomes -quiet, and `quiet = false` nothing.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or too deep
        raise UsageError(f"{path}: {' '.join(str(error).split())}") from None
    for name, value in content.items():
        for entry in _as_list(value):
            if entry is False:
                continue
            yield f"-{name}"
            if isinstance(entry, dict):
                yield from _words_of_table(entry)
            elif entry is not True:
                yield str(entry)


def _words_of_table(table: Mapping[str, Any]) -> Iterator[str]:
    """The words of a table of TOML; a list becomes a word for each of its items."""
    for key, value in flattened(table):
        for item in _as_list(value):
            text = str(item).lower() if isinstance(item, bool) else str(item)
            yield f"{key}={text}"


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _engine(values: SettingValues) -> EngineSpec:
    """An engine from its values; UsageError if it has no program, or no limit for its moves."""
    spec: EngineSpec = _with_values(EngineSpec(""), values)
    title = f"engine {spec.name or spec.program or '?'}"
    if not spec.program:
        raise UsageError(f"{title} needs cmd=FILE, the program to run")
    control = spec.control
    if replace(control, margin=0.0) == TimeControl():
        raise UsageError(f"{title} may think for ever; give it tc=, st=, nodes= or depth=")
    if control.base is not None and control.each_move is not None:
        raise UsageError(f"{title} cannot have both tc= and st=")
    return spec


def _refuse_senseless(settings: MatchSettings, given: Given) -> None:
    """Refuse combinations of options that make no sense, and options that change nothing."""
    if len(settings.engines) < 2:
        raise UsageError("a match needs two engines: -engine cmd=FILE ... -engine cmd=FILE ...")
    if settings.sprt is not None:
        _refuse_senseless_test(settings, settings.sprt)
    if "openings" in given.options and settings.openings.file is None:
        raise UsageError("-openings needs file=FILE")
    if "resign" in given.options and "rules.resign.centipawns" not in given.values:
        raise UsageError("-resign needs score=N, the centipawns at which an engine gives up")
    if settings.recover and settings.pgn is None:
        raise UsageError("-recover needs -pgnout, the file of its games")
    _refuse_senseless_tables(settings, given.options)
    _refuse_senseless_tournament(settings.plan, given.options)


def _refuse_senseless_test(settings: MatchSettings, test: Sprt) -> None:
    if len(settings.engines) != 2:
        raise UsageError("-sprt tests one engine against one other; give two engines")
    if test.elo0 >= test.elo1:
        raise UsageError(f"-sprt: elo0 is less than elo1, not {test.elo0:g} and {test.elo1:g}")
    if not (0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        raise UsageError("-sprt: alpha and beta are between 0 and 0.5")


def _refuse_senseless_tables(settings: MatchSettings, given: set[str]) -> None:
    if settings.variant not in ("chess", "chess960") and given & {"tb", "syzygy"}:
        raise UsageError("-tb and -syzygy mean nothing with -variant: tables are those of chess")
    if "tbpieces" in given and "tb" not in given:
        raise UsageError("-tbpieces means nothing without -tb")
    if "tbignore50" in given and "syzygy" not in given:
        raise UsageError("-tbignore50 means nothing without -syzygy")


def _refuse_senseless_tournament(plan: Tournament, given: set[str]) -> None:
    engines = plan.players
    if plan.format is Format.SWISS:
        if "rounds" not in given:
            raise UsageError("-tournament swiss needs -rounds")
        # With an odd number one engine has a bye in each round.
        most_rounds = engines if engines % 2 else engines - 1
        if plan.rounds > most_rounds:
            raise UsageError(
                f"-rounds {plan.rounds}: without meeting twice, "
                f"{engines} engines play {most_rounds} at most"
            )
    if "seeds" in given and plan.format not in (Format.GAUNTLET, Format.KNOCKOUT):
        raise UsageError("-seeds means nothing without -tournament gauntlet or knockout")
    if plan.format is Format.GAUNTLET and plan.seeds >= engines:
        raise UsageError(f"-seeds {plan.seeds} leaves no gauntlet with {engines} engines")
    if plan.format is Format.KNOCKOUT and "rounds" in given:
        raise UsageError(
            "-rounds means nothing with -tournament knockout; -games sets the length of a meeting"
        )
