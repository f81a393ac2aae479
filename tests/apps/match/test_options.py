from __future__ import annotations

import re
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import pytest

from tbgen.apps.match.options import arguments_in, settings_of
from tbgen.apps.match.settings import Format, MatchSettings
from tbgen.apps.match.statistics import Model
from tbgen.apps.match.words import ALIASES, OPTIONS
from tbgen.errors import UsageError
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import Komi, Scheme
from tbgen.score import Color

CUTECHESS = (
    "-tournament gauntlet -games 2 -rounds 50 -repeat -concurrency 4 "
    "-openings file=book.pgn format=pgn order=random plies=8 start=3 "
    "-pgnout games.pgn -recover -resign movecount=3 score=400 "
    "-sprt elo0=0 elo1=5 alpha=0.05 beta=0.1 -event Cup -site Here -srand 7 "
    "-ratinginterval 25 -maxmoves 200"
)
FASTCHESS = "-tournament roundrobin -pgnout file=games.pgn -sprt elo0=0 elo1=2 model=normalized"
TWO = "-engine cmd=one name=One -engine cmd=two name=Two -each depth=1"


def settings(text: str, engines: str = TWO) -> MatchSettings:
    return settings_of(f"{engines} {text}".split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            CUTECHESS,
            {
                "plan.format": Format.GAUNTLET,
                "plan.games": 2,
                "plan.rounds": 50,
                "plan.repeat": 2,
                "openings.has_games": True,
                "openings.random": True,
                "openings.plies": 8,
                "openings.start": 3,
                "pgn": Path("games.pgn"),
                "recover": True,
                "event": "Cup",
                "site": "Here",
                "seed": 7,
                "rules.resign.moves": 3,
                "rules.resign.centipawns": 400,
                "sprt.elo1": 5.0,
                "sprt.beta": 0.1,
                "sprt.model": Model.LOGISTIC,
                "rating_interval": 25,
                "concurrency": 4,
                "rules.most_moves": 200,
            },
        ),
        (
            FASTCHESS,
            {
                "plan.format": Format.ROUND_ROBIN,
                "pgn": Path("games.pgn"),
                "sprt.model": Model.NORMALIZED,
            },
        ),
        (
            "-rMobilityType komi -rMobilityCutoff g8.0 -defaultKomi mg5.75 -legacyMode",
            {
                "rules.scoring.scheme": Scheme.KOMI,
                "rules.scoring.cutoff_code": 16,
                "rules.scoring.komi": Komi(Color.BLACK, 23),
                "rules.fifty_moves.setting": FiftyMoveSetting.LEGACY,
            },
        ),
        ("-rMobilityType rMobilityWinner", {"rules.scoring.scheme": Scheme.WINNER}),
    ],
    ids=["cutechess", "fastchess", "fork for r-mobility", "winner"],
)
def test_commands_of_other_referees_are_understood(text: str, expected: dict[str, object]) -> None:
    found = settings(text)
    assert {name: attrgetter(name)(found) for name in expected} == expected


def test_a_toml_file_has_the_same_names(tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    path.write_text(
        'games = 10\nnoswap = true\nfifty = "legacy"\n'
        '[each]\ntc = "10+0.1"\noption.Hash = 16\n'
        '[[engine]]\ncmd = "one"\narg = ["-x"]\n[[engine]]\ncmd = "two"\noption.Hash = 32\n'
        '[openings]\nfile = "a.epd"\nplies = 4\n[sprt]\nelo1 = 3\n'
    )
    found = settings_of(["-config", str(path), "-games", "20", "-sprt", "elo0=-3"])
    expected = {
        "plan.games": 20,
        "plan.swap": False,
        "rules.fifty_moves.setting": FiftyMoveSetting.LEGACY,
        "sprt.elo0": -3.0,
        "sprt.elo1": 3.0,
        "openings.has_games": False,
        "openings.plies": 4,
    }
    assert {name: attrgetter(name)(found) for name in expected} == expected
    assert [(spec.command, spec.options["Hash"]) for spec in found.engines] == [
        (("one", "-x"), "16"),
        (("two",), "32"),
    ]


def test_no_moves_are_no_limit_as_in_cutechess() -> None:
    assert settings("-maxmoves 30").rules.most_moves == 30
    assert settings("-maxmoves 0").rules.most_moves is None


COMPLAINTS = [
    ("-concurency 2", "unknown option -concurency; did you mean -concurrency?"),
    ("-xyzzy", "unknown option -xyzzy; docs/matches.md says what stands for"),
    ("-draw movenumber=40", "unknown option -draw; docs/matches.md says what stands for"),
    ("-openings fiel=a", "unknown option -openings fiel; did you mean -openings file?"),
    ("-openings file=a order=randm", "did you mean random?"),
    ("-each option=3", "unknown option -each option; did you mean -each option.NAME?"),
    ("-each tcc=1", "unknown option -each tcc; did you mean -each tc?"),
    ("-each tc=1 nodes", "-each nodes needs a value: -each nodes=N"),
    ("-each tc=1 stray", "unknown option -each stray"),
    ("-games", "-games needs a value: -games N"),
    ("-games many", "-games many makes no sense; write -games N"),
    ("-each nodes=many", "-each nodes=many makes no sense; write -each nodes=N"),
    ("-games 0", "games is at least 1"),
    ("-sprt elo0=5 elo1=0", "elo0 is less than elo1"),
    ("-sprt alpha=0.7", "between 0 and 0.5"),
    ("-tbpieces 4", "-tbpieces means nothing without -tb"),
    ("-tb data -tbignore50", "-tbignore50 means nothing without -syzygy"),
    ("-seeds 2", "-seeds means nothing without -tournament gauntlet"),
    ("-tournament knockout -rounds 2", "-rounds means nothing with -tournament knockout"),
    ("-variant atomik", "did you mean atomic?"),
    ("-variant atomic -tb data", "-tb and -syzygy mean nothing with -variant"),
    ("-recover", "-recover needs -pgnout"),
    ("-each tc=5 st=1", "cannot have both"),
    ("-each proto=xboard", "proto is one of uci, not 'xboard'"),
    ("-engine name=Three", "needs cmd=FILE"),
    ("-tournament ladder", "round-robin, gauntlet, pyramid, knockout, swiss"),
    ("-tournament swiss", "-tournament swiss needs -rounds"),
    ("-tournament swiss -rounds 2", "-rounds 2: without meeting twice, 2 engines play 1 at most"),
    ("-tournament swiss -rounds 4 -engine cmd=three", "3 engines play 3 at most"),
    ("-tournament gauntlet -seeds 2", "-seeds 2 leaves no gauntlet with 2 engines"),
    ("-each tc=0+1", "leaves no time for the first move"),
    ("-games 2 stray", "belongs to no option"),
    ("-cutoff six", "-cutoff 'six' is not a cutoff"),
    ("-each st=0", "-each st is more than 0"),
    ("-each hang=0", "-each hang is more than 0"),
    ("-each timemargin=-5", "-each timemargin is at least 0"),
    ("-sprt elo0=nan", "-sprt elo0 is between -1000 and 1000, not nan"),
    ("-sprt elo1=9000", "-sprt elo1 is between -1000 and 1000, not 9000"),
    ("-sprt elo1=inf", "-sprt elo1 is between"),
    ("-resign movecount=3", "-resign needs score=N"),
    ("-each option.Ponder=true", "-each option.Ponder=true is not offered: engines do not think"),
    ("-each option.MultiPV=3", "-each option.MultiPV=3 is not offered: the evaluation"),
    ("-each option.UCI_Chess960=true", "is not offered: -variant chess960 sets it"),
    ("-each option.UCI_Variant=atomic", "is not offered: -variant sets it"),
    ("-each option.Hash", "-each option.Hash needs a value: -each option.Hash=VALUE"),
]


@pytest.mark.parametrize(
    ("text", "complaint", "engines"),
    [
        ("", "may think for ever", "-engine cmd=one tc=inf -engine cmd=two nodes=5"),
        ("", "two engines", ""),
        ("", "two engines", "-engine cmd=one depth=1"),
        *((text, complaint, TWO) for text, complaint in COMPLAINTS),
    ],
)
def test_what_makes_no_sense_is_named(text: str, complaint: str, engines: str) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)):
        settings(text, engines)


def test_an_option_that_the_referee_sets_anyway_is_accepted() -> None:
    plain = settings("-each option.Ponder=false option.multipv=1 option.Hash=16")
    assert [spec.options for spec in plain.engines] == [{"Hash": "16"}] * 2


def test_the_times_of_an_engine_without_a_clock_are_options() -> None:
    first, second = settings("-each startup=60", f"{TWO} hang=9").engines
    assert (first.startup, first.hang) == (60.0, 9.0)
    assert second == replace(first, program=second.program, name="Two")


def test_all_words_of_a_list_of_arguments_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    path.write_text(
        "[each]\ndepth = 1\n"
        '[[engine]]\ncmd = "one"\nargs = ["--a", "--b c"]\n'
        '[[engine]]\ncmd = "two"\narg = ["--a", "--b c"]\n'
    )
    commands = [spec.command for spec in settings_of(["-config", str(path)]).engines]
    assert commands == [("one", "--a", "--b", "c"), ("two", "--a", "--b c")]


def test_a_toml_file_may_begin_with_a_mark_of_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    path.write_text("games = 4\n", encoding="utf-8-sig")
    assert list(arguments_in(path)) == ["-games", "4"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("games = \n", r"match\.toml"),
        ("gmaes = 3\n", "did you mean -games"),
        ('engine = "stockfish"\n', "unknown option -engine stockfish"),
    ],
)
def test_a_broken_toml_file_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "match.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        settings_of(["-config", str(path)])


def test_comments_have_the_facts_that_pgnout_names() -> None:
    wanted = settings("-pgnout a.pgn nodes=true pv=on nps=false").comment_facts
    assert wanted == ("nodes", "pv")
    with pytest.raises(UsageError, match="-pgnout nps is one of"):
        settings("-pgnout a.pgn nps=7")


def test_every_option_sets_a_path_of_the_settings() -> None:
    whole = settings("-resign score=1 -sprt elo0=0 elo1=1")
    for option in [*OPTIONS.values(), *ALIASES.values()]:
        of_engine = option.name in ("engine", "each")
        for inner in option.keys.values() or [option]:
            for path in inner.sets.split():
                attrgetter(path)(whole.engines[0] if of_engine else whole)
