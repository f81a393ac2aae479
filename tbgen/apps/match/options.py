"""The settings of a match from a command line or a TOML file.

tbgen turns a file into a command line, and puts the typed command line after it. The parser reads
each word into a field of `MatchWords`, and refuses unknown words. tbgen then refuses combinations
of options that make no sense, and options that change nothing. The rest becomes `MatchSettings`.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_OTHER_PROGRAMS = "; docs/matches.md says what stands for the options of other programs"
_OPTIONS_AND_ALIASES = {**OPTIONS, **ALIASES}


def settings_of(arguments: Iterable[str]) -> MatchSettings:
    """The settings from a command line and its -config file, which the command line overrides."""
    typed = list(arguments)
    words = parse_arguments(typed)
    if words.config is not None:
        words = parse_arguments([*arguments_in(words.config), *typed])
    engines = list[EngineSpec]()
    for own_words in words.engines:
        engines.append(_engine(own_words.with_defaults(words.all_engines)))
    _refuse_senseless(words)
    return _settings(words, tuple(engines))


def parse_arguments(arguments: Iterable[str]) -> MatchWords:
    """The words of a command line."""
    words = MatchWords()
    left = deque(arguments)
    while left:
        word = left.popleft()
        name = word.lstrip("-")
        if name in ("", word):
            raise UsageError(f"{word!r} belongs to no option; options start with a dash")
        option = _known(f"-{name}", name, _OPTIONS_AND_ALIASES)
        words.given.add(option.name)
        if option.name == "engine":
            engine = EngineWords()
            _read_group(option, _take_group(left), engine)
            words.engines.append(engine)
        elif option.name == "each":
            engine = EngineWords()
            _read_group(option, _take_group(left), engine)
            words.all_engines = engine.with_defaults(words.all_engines)
        elif option.keys:
            _read_group(option, _take_group(left), words)
        else:
            value = left.popleft() if _has_value(option, left) else None
            _read(f"-{name}", option, value, words, between=" ")
    return words


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


def _read_group(option: Option, group: Sequence[str], words: EngineWords | MatchWords) -> None:
    """Set fields by the words of a group, such as `key=value`.

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
            assert isinstance(words, EngineWords), "only engines have options of UCI"
            _read_uci_option(spelling, key.removeprefix(_UCI_PREFIX), value, words)
        else:
            _read(spelling, _known(spelling, key, option.keys), value, words, between="=")


def _read_uci_option(spelling: str, name: str, value: str | None, words: EngineWords) -> None:
    """Note `option.NAME=VALUE` of an engine.

    An option that the referee sets may only be given the value that it has anyway.
    """
    if value is None:
        raise UsageError(f"{spelling} needs a value: {spelling}=VALUE")
    if name.lower() not in SET_BY_REFEREE:
        words.options[name] = value
        return
    set_value, reason = SET_BY_REFEREE[name.lower()]
    if value.lower() != set_value.lower():
        raise UsageError(f"{spelling}={value} is not offered: {reason}")


def _read(
    spelling: str,
    option: Option,
    value: str | None,
    words: EngineWords | MatchWords,
    *,
    between: str,
) -> None:
    """Set the field of an option by its value; None is an option without a value.

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
    if not option.sets:
        return
    if isinstance(setting, list):
        getattr(words, option.sets).extend(setting)
    elif isinstance(setting, dict):
        getattr(words, option.sets).update(setting)
    else:
        setattr(words, option.sets, setting)


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


def _engine(words: EngineWords) -> EngineSpec:
    """An engine from its words; UsageError if it has no program, or no limit for its moves."""
    title = f"engine {words.name or words.program or '?'}"
    if words.program is None:
        raise UsageError(f"{title} needs cmd=FILE, the program to run")
    clock = words.control or TimeControl()
    control = replace(clock, each_move=words.each_move, nodes=words.nodes, plies=words.plies)
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
    """The absolute path of a program, because the engine may run in another folder.

    A program that is not found keeps its name; starting it gives the error.
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
        sprt=_sprt(words) if "sprt" in words.given else None,
        pgn=words.pgn,
        comment_facts=frozenset(words.comment_facts),
        event=words.event,
        site=words.site,
        seed=words.seed,
        wait=words.wait,
        rating_interval=words.rating_interval,
        recover=words.recover,
        debug=words.debug,
        quiet=words.quiet,
        json=words.json,
        crosstable=words.crosstable,
        config=words.config,
    )


def _rules(words: MatchWords) -> PlayRules:
    """The rules of all games."""
    resign = None
    if words.resign_centipawns is not None:
        resign = Resign(words.resign_moves, words.resign_centipawns)
    return PlayRules(
        fifty_moves=FiftyMoves(words.fifty_moves, words.cutoff_code),
        scoring=Scoring(words.scheme, cutoff_code=words.cutoff_code, komi=words.komi),
        resign=resign,
        most_moves=words.most_moves,
        adjudicate=words.tables_end_games,
    )


def _sprt(words: MatchWords) -> Sprt:
    """The sequential test."""
    return Sprt(words.elo0, words.elo1, words.alpha, words.beta, words.model)


def _has_games(words: MatchWords) -> bool:
    """Whether the file of openings has games, by its format or else by its name."""
    if words.openings_are_games is not None:
        return words.openings_are_games
    if words.openings is None:
        return False
    # A packed file has two suffixes: book.pgn.gz.
    return ".pgn" in [suffix.lower() for suffix in words.openings.suffixes]


def _refuse_senseless(words: MatchWords) -> None:
    """Refuse combinations of options that make no sense, and options that change nothing."""
    given = words.given
    if len(words.engines) < 2:
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
        # With an odd number one engine has a bye in each round.
        most_rounds = engines if engines % 2 else engines - 1
        if words.rounds > most_rounds:
            raise UsageError(
                f"-rounds {words.rounds}: without meeting twice, "
                f"{engines} engines play {most_rounds} at most"
            )
    if "seeds" in given and words.format not in (Format.GAUNTLET, Format.KNOCKOUT):
        raise UsageError("-seeds means nothing without -tournament gauntlet or knockout")
    if words.format is Format.GAUNTLET and words.seeds >= engines:
        raise UsageError(f"-seeds {words.seeds} leaves no gauntlet with {engines} engines")
    if words.format is Format.KNOCKOUT and "rounds" in given:
        raise UsageError(
            "-rounds means nothing with -tournament knockout; -games sets the length of a meeting"
        )
