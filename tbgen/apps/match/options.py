"""The settings of a match from a command line or a TOML file.

A file becomes the words of a command line, which stand before those that are typed. The parser
fills `MatchWords`, and refuses words without a meaning; the settings are made of these. It also
refuses combinations that make no sense, and options that change nothing.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tbgen.apps.match.control import TimeControl
from tbgen.apps.match.process import EngineSpec
from tbgen.apps.match.settings import (
    Format,
    MatchSettings,
    OpeningSettings,
    PlayRules,
    Resign,
    TableSettings,
    Tournament,
)
from tbgen.apps.match.spelling import nearest
from tbgen.apps.match.statistics import Sprt
from tbgen.apps.match.words import (
    ALIASES,
    OPTIONS,
    REFUSED,
    SET_BY_REFEREE,
    UCI_OPTION,
    EngineWords,
    MatchWords,
    Option,
)
from tbgen.errors import InputError, UsageError
from tbgen.facts import flattened
from tbgen.rules.game import FiftyMoves
from tbgen.rules.points import Scoring

_DEBIAN_GAMES = "/usr/games"
"""Where Debian has engines; the PATH of some users leaves it out."""
_UCI_PREFIX = "option."


def settings_of(arguments: Iterable[str]) -> MatchSettings:
    """The settings from a command line and its -config file, which the command line overrides."""
    typed = list(arguments)
    words = parse_arguments(typed)
    if words.config is not None:
        words = parse_arguments([*arguments_in(words.config), *typed])
    engines = tuple(_engine(own.before(words.all_engines)) for own in words.engines)
    _refuse_senseless(words)
    return _settings(words, engines)


def parse_arguments(arguments: Iterable[str]) -> MatchWords:
    """The words of a command line."""
    words = MatchWords()
    left = deque(arguments)
    while left:
        word = left.popleft()
        name = word.lstrip("-")
        if name in ("", word):
            raise UsageError(f"{word!r} belongs to no option; options start with a dash")
        option = _known(f"-{name}", name, {**OPTIONS, **ALIASES})
        words.given.add(option.name)
        if option.name == "engine":
            engine = EngineWords()
            _read_group(option, left, engine)
            words.engines.append(engine)
        elif option.name == "each":
            engine = EngineWords()
            _read_group(option, left, engine)
            words.all_engines = engine.before(words.all_engines)
        elif option.keys:
            _read_group(option, left, words)
        else:
            value = left.popleft() if _has_value(option, left) else None
            _read(f"-{name}", option, value, words, between=" ")
    return words


def _has_value(option: Option, left: deque[str]) -> bool:
    """Whether the next word is the value of an option."""
    if not left or not option.kind.form:
        return False
    is_optional = option.kind.alone is not None
    return not (is_optional and left[0].startswith("-"))


def _read_group(option: Option, left: deque[str], words: EngineWords | MatchWords) -> None:
    """Read the words of a group, and take them off those that are left."""
    is_first = True
    while left and not left[0].startswith("-"):
        key, equals, text = left.popleft().partition("=")
        value = text if equals else None
        if is_first and not equals and key not in option.keys and "file" in option.keys:
            value = key
            key = "file"
        is_first = False
        spelling = f"-{option.name} {key}"
        if key.startswith(_UCI_PREFIX):
            _read_uci_option(spelling, key.removeprefix(_UCI_PREFIX), option, value, words)
        else:
            _read(spelling, _known(spelling, key, option.keys), value, words, between="=")
    if is_first:
        raise UsageError(f"-{option.name} needs values: -{option.name} {option.form}")


def _read_uci_option(
    spelling: str, name: str, group: Option, value: str | None, words: EngineWords | MatchWords
) -> None:
    """Read `option.NAME=VALUE` of an engine."""
    _known(spelling, UCI_OPTION, group.keys)
    if value is None:
        raise UsageError(f"{spelling} needs a value: {spelling}=VALUE")
    set_value, reason = SET_BY_REFEREE.get(name.lower(), (value, ""))
    if value.lower() != set_value.lower():
        raise UsageError(f"{spelling}={value} is not offered: {reason}")
    if isinstance(words, EngineWords) and not reason:
        words.options[name] = value


def _read(
    spelling: str,
    option: Option,
    value: str | None,
    words: EngineWords | MatchWords,
    *,
    between: str,
) -> None:
    """Set a field by a word, or by the name of the option alone.

    `spelling` is the option in errors, and `between` stands between it and its value.
    """
    word = option.kind.alone if value is None else value
    if word is None:
        raise UsageError(f"{spelling} needs a value: {spelling}{between}{option.form}")
    try:
        setting = option.kind.read(word)
    except InputError as error:
        raise UsageError(f"{spelling} {error}") from None
    except ValueError:
        raise UsageError(f"{spelling}={word} makes no sense") from None
    if not option.sets:
        return
    if isinstance(setting, list):
        getattr(words, option.sets).extend(setting)
    elif isinstance(setting, dict):
        getattr(words, option.sets).update(setting)
    else:
        setattr(words, option.sets, setting)


def _known(spelling: str, name: str, known: Mapping[str, Option]) -> Option:
    """The option of a name; `spelling` is its name in errors."""
    if name in known:
        return known[name]
    if name in REFUSED:
        raise UsageError(f"{spelling} is not offered: {REFUSED[name]}")
    raise UsageError(f"unknown option {spelling}{nearest(name, known)}")


def arguments_in(path: Path) -> Iterator[str]:
    """A file as a command line.

    `[[engine]]` is repeated, and `option.Hash = 16` is an option of an engine.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or too deep
        raise UsageError(f"{path}: {' '.join(str(error).split())}") from None
    for name, value in content.items():
        for entry in value if isinstance(value, list) else [value]:
            if entry is False:
                continue
            yield f"-{name}"
            if isinstance(entry, dict):
                yield from _group_arguments(entry)
            elif entry is not True:
                yield str(entry)


def _group_arguments(group: Mapping[str, Any]) -> Iterator[str]:
    """The words of a table of TOML; a list is a word for each of its items."""
    for key, value in flattened(group):
        for item in value if isinstance(value, list) else [value]:
            text = str(item).lower() if isinstance(item, bool) else str(item)
            yield f"{key}={text}"


def _engine(words: EngineWords) -> EngineSpec:
    """An engine from its words."""
    title = f"engine {words.name or words.program or '?'}"
    if words.program is None:
        raise UsageError(f"{title} needs cmd=FILE, the program to run")
    control = words.control or TimeControl()
    control = replace(control, each_move=words.each_move, nodes=words.nodes, plies=words.plies)
    if control == TimeControl():
        raise UsageError(f"{title} may think for ever; give it tc=, st=, nodes= or depth=")
    if control.base is not None and control.each_move is not None:
        raise UsageError(f"{title} cannot have both tc= and st=")
    spec = EngineSpec(
        (_program(words.program), *words.arguments),
        name=words.name,
        folder=words.folder,
        options=words.options,
        control=replace(control, margin=words.margin or 0.0),
        restart=bool(words.restart),
        stderr=words.stderr,
        white_view=bool(words.white_view),
    )
    if words.hang is not None:
        spec = replace(spec, hang=words.hang)
    if words.startup is not None:
        spec = replace(spec, startup=words.startup)
    if words.grace is not None:
        spec = replace(spec, grace=words.grace)
    return spec


def _program(name: str) -> str:
    """The path of a program, or its name if there is none.

    The engine may run in another folder, so the path is absolute.
    """
    path = shutil.which(name) or shutil.which(name, path=_DEBIAN_GAMES) or name
    return str(Path(path).absolute()) if os.sep in path else path


def _settings(words: MatchWords, engines: tuple[EngineSpec, ...]) -> MatchSettings:
    """The settings of a match from words that make sense."""
    return MatchSettings(
        engines,
        Tournament(
            players=len(engines),
            games=words.games,
            rounds=words.rounds,
            repeat=words.repeat,
            format=words.format,
            seeds=words.seeds,
            swap=not words.keeps_colours,
            reverse=words.reverse,
            policy=words.policy,
        ),
        rules=_rules(words),
        variant=words.variant,
        concurrency=words.concurrency,
        openings=OpeningSettings(
            file=words.openings,
            pgn=_has_games(words),
            random=words.openings_in_random_order,
            start=words.first_opening,
            plies=words.opening_plies,
        ),
        tables=TableSettings(
            folders=words.tables,
            men=words.table_men,
            syzygy=words.syzygy,
            syzygy_men=words.syzygy_men,
            ignore_fifty_moves=words.ignore_fifty_moves,
        ),
        sprt=_test(words) if "sprt" in words.given else None,
        pgn=words.pgn,
        event=words.event,
        site=words.site,
        seed=words.seed,
        wait=words.wait,
        rating_interval=words.rating_interval,
        shows_meetings=words.shows_meetings,
        recover=words.recover,
        debug=words.debug,
        quiet=words.quiet,
        json=words.json,
        crosstable=words.crosstable,
        force=words.force,
        config=words.config,
    )


def _rules(words: MatchWords) -> PlayRules:
    resign = None
    if words.resign_centipawns is not None:
        resign = Resign(words.resign_moves, words.resign_centipawns, words.resign_two_sided)
    return PlayRules(
        fifty_moves=FiftyMoves(words.fifty_moves, words.cutoff_code),
        scoring=Scoring(words.scheme, cutoff_code=words.cutoff_code, komi=words.komi),
        resign=resign,
        most_moves=words.most_moves,
        adjudicate=words.tables_end_games,
    )


def _test(words: MatchWords) -> Sprt:
    return Sprt(words.elo0, words.elo1, words.alpha, words.beta, words.model)


def _has_games(words: MatchWords) -> bool:
    """Whether the file of openings has games, by its format or by its name."""
    if words.openings_are_games is not None:
        return words.openings_are_games
    suffixes = [] if words.openings is None else words.openings.suffixes
    return any(suffix.lower() == ".pgn" for suffix in suffixes)


def _refuse_senseless(words: MatchWords) -> None:
    """Refuse combinations of options that make no sense, and options that change nothing."""
    given = words.given
    engines = len(words.engines)
    if engines < 2:
        raise UsageError("a match needs two engines: -engine cmd=FILE ... -engine cmd=FILE ...")
    if "sprt" in given:
        _refuse_senseless_test(words)
    if "openings" in given and words.openings is None:
        raise UsageError("-openings needs file=FILE")
    if "resign" in given and words.resign_centipawns is None:
        raise UsageError("-resign needs score=N, the centipawns at which an engine gives up")
    if words.recover and words.pgn is None:
        raise UsageError("-recover needs -pgnout, the file of its games")
    _refuse_senseless_tables(words)
    _refuse_senseless_tournament(words)


def _refuse_senseless_test(words: MatchWords) -> None:
    if len(words.engines) != 2:
        raise UsageError("-sprt tests one engine against one other; give two engines")
    if words.elo0 >= words.elo1:
        raise UsageError(f"-sprt: elo0 is less than elo1, not {words.elo0:g} and {words.elo1:g}")
    if not (0 < words.alpha < 0.5 and 0 < words.beta < 0.5):
        raise UsageError("-sprt: alpha and beta are between 0 and 0.5")


def _refuse_senseless_tables(words: MatchWords) -> None:
    given = words.given
    if words.variant not in ("chess", "chess960") and given & {"tb", "syzygy"}:
        raise UsageError("-tb and -syzygy mean nothing with -variant: tables are those of chess")
    if "tbpieces" in given and "tb" not in given:
        raise UsageError("-tbpieces means nothing without -tb")
    if "tbadjudicate" in given and not given & {"tb", "syzygy"}:
        raise UsageError("-tbadjudicate means nothing without -tb or -syzygy")
    for name in ("syzygypieces", "tbignore50"):
        if name in given and "syzygy" not in given:
            raise UsageError(f"-{name} means nothing without -syzygy")


def _refuse_senseless_tournament(words: MatchWords) -> None:
    given = words.given
    engines = len(words.engines)
    if words.format is Format.SWISS:
        if "rounds" not in given:
            raise UsageError("-tournament swiss needs -rounds")
        most_rounds = engines - 1 + engines % 2
        if words.rounds > most_rounds:
            raise UsageError(
                f"-rounds {words.rounds}: without meeting twice, "
                f"{engines} engines play {most_rounds} at most"
            )
    if "seeds" in given and words.format not in (Format.GAUNTLET, Format.KNOCKOUT):
        raise UsageError("-seeds means nothing without -tournament gauntlet or knockout")
    if words.format is Format.GAUNTLET and words.seeds >= engines:
        raise UsageError(f"-seeds {words.seeds} leaves no gauntlet with {engines} engines")
    if words.format is Format.SWISS and words.reverse:
        raise UsageError("-reverse means nothing with -tournament swiss, which balances colours")
    if "meetings" in given and engines == 2:
        raise UsageError("-meetings means nothing with two engines, whose meeting is always shown")
    if words.format is Format.KNOCKOUT and "rounds" in given:
        raise UsageError(
            "-rounds means nothing with -tournament knockout; -games sets the length of a meeting"
        )
