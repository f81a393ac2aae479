from __future__ import annotations

import pytest

from tbgen.apps.games.contradictions import contradiction_in
from tbgen.apps.games.read import PgnGame, read_games
from tbgen.apps.games.rules import Rules
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import Scheme
from tests.apps.games.plain import only_game
from tests.project import S18

MATE = "1. f3 e5 2. g4 Qh4#"
SAID_OF_MATE = 'RMobilityResult says "G0.0", but the game is worth -G0.0'
REPETITION = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8"


AGREEING = (
    "1. e4 e5 1-0",
    "1. e4 e5 *",
    "1. e4 e5 1/2-1/2",
    f"{MATE} 0-1",
    f"{MATE} *",
    f"{REPETITION} 1/2-1/2",
    '[Result "0-1"]\n[RMobilityResult "-G0.0"]\n[Points "0.0000-1.0000"]\n\n1. e4 0-1',
    '[RMobilityResult "-G29.5"]\n[Points "0.5-0.5"]\n\n1. e4 e5 1/2-1/2',
    (
        '[RMobilityResult "-G29.5"]\n[RMobilityScoring "harmonic"]\n[Points "0.4917-0.5083"]\n\n'
        "1. e4 e5 1/2-1/2"
    ),
    (
        '[RMobilityResult "-G29.5"]\n[RMobilityScoring "komi"]\n[Komi "-G29.0"]\n'
        '[Points "0 - 1"]\n\n1. e4 e5 1/2-1/2'
    ),
    (
        '[RMobilityResult "G1.5"]\n[RMobilitySource "tablebase"]\n[Points "0.5625-0.4375"]\n\n'
        "1. e4 e5 1/2-1/2"
    ),
    (
        '[RMobilityResult "G1.5"]\n[RMobilitySource "solved"]\n[Points "0.5625-0.4375"]\n\n'
        "1. e4 e5 1/2-1/2"
    ),
    '[RMobilityResult "G0.0"]\n[RMobilitySource "tablebase"]\n\n1. e4 e5 1/2-1/2',
    '[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]\n[RMobilityAccrued "G4.0"]\n\n*',
)
CONTRADICTIONS = [
    (f"{MATE} 1-0", 'Result says "1-0", but the moves end in checkmate: 0-1'),
    (f"{MATE} 1/2-1/2", 'Result says "1/2-1/2", but the moves end in checkmate: 0-1'),
    (f"{REPETITION} 1-0", 'Result says "1-0", but the moves end in threefold repetition: 1/2-1/2'),
    (
        f"{REPETITION} 5. e4 *",
        "the game was over at ply 8 (threefold repetition); 1 more ply follows",
    ),
    (
        f"{REPETITION} 5. e4 e5 1-0",
        "the game was over at ply 8 (threefold repetition); 2 more plies follow",
    ),
    (f'[RMobilityResult "G0.0"]\n[RMobilitySource "tablebase"]\n\n{MATE} 0-1', SAID_OF_MATE),
    (f'[RMobilityResult "G0.0"]\n[RMobilitySource "result"]\n\n{MATE} 0-1', SAID_OF_MATE),
    ('[Result "1-0"]\n\n1. e4 0-1', 'the tag Result says "1-0", the end of the moves "0-1"'),
    (
        '[RMobilityResult "G2.5"]\n\n1. e4 *',
        'RMobilityResult says "G2.5", but the game is worth G20.5',
    ),
    (
        '[RMobilityResult "G20.5"]\n\n1. e4 1-0',
        'RMobilityResult says "G20.5", but the game is worth G0.0',
    ),
    (
        '[RMobilityResult "G1.5"]\n[RMobilitySource "tablebase"]\n\n1. e4 1-0',
        'RMobilityResult says "G1.5", but the game is worth G0.0',
    ),
    (
        '[RMobilityResult "G0.0"]\n[RMobilitySource "result"]\n\n1. e4 1/2-1/2',
        'RMobilityResult says "G0.0", but the game is worth G20.5',
    ),
    (
        '[Points "0.75-0.25"]\n\n1. e4 1-0',
        'Points say "0.75-0.25", but G0.0 is 1.0000-0.0000 (exponential)',
    ),
    (
        '[Points "1-0"]\n[RMobilityScoring "otb"]\n\n1. e4 *',
        'Points say "1-0", but G20.5 is 1/2-1/2 (otb)',
    ),
    (
        (
            '[RMobilityResult "G1.5"]\n[RMobilitySource "tablebase"]\n[Points "1-0"]\n\n'
            "1. e4 e5 1/2-1/2"
        ),
        'Points say "1-0", but G1.5 is 0.5625-0.4375 (exponential)',
    ),
    (
        '[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]\n[RMobilityAccrued "G3.0"]\n\n*',
        'FEN says that G4.0 has accrued, RMobilityAccrued says "G3.0"',
    ),
]
DRAWN = (
    '[Points "0.5625-0.4375"]\n[RMobilityResult "G1.5"]\n[RMobilitySource "tablebase"]\n\n1. e4 *'
)
FIFTY = '[FEN "7k/8/8/8/8/8/6R1/K7 w - - 99 80"]\n\n80. Rg1 Kh7 *'
UNDER_SETTINGS = [
    (
        DRAWN,
        Rules(scheme=Scheme.KOMI),
        (),
    ),  # held against the scheme of the game, not one that is asked for
    (FIFTY, Rules(fifty_moves=FiftyMoveSetting.NONE), ()),
    (
        FIFTY,
        Rules(fifty_moves=FiftyMoveSetting.FIDE),
        ("the game was over at ply 1 (fifty moves); 1 more ply follows",),
    ),
]


@pytest.mark.parametrize(
    ("text", "settings", "warnings"),
    [
        *((text, None, ()) for text in AGREEING),
        *((text, None, (words,)) for text, words in CONTRADICTIONS),
        *UNDER_SETTINGS,
    ],
)
def test_what_contradicts_the_moves_is_told_and_nothing_else(
    text: str, settings: Rules | None, warnings: tuple[str, ...]
) -> None:
    assert only_game(text, settings).warnings == warnings


def test_points_that_are_not_those_of_the_score_in_the_tags_are_told() -> None:
    points = '[RMobilitySource "tablebase"]\n[Points "0.5625-0.4375"]\n\n1. e4 e5 1/2-1/2'
    told = []
    for score in ("G1.5", "G1.0"):
        text = f'[RMobilityResult "{score}"]\n{points}'
        told.append(contradiction_in(only_game(text), None))
    assert told == [
        None,
        'Points say "0.5625-0.4375", but G1.0 is 0.6250-0.3750 (exponential); adjudicate it again',
    ]


def test_published_games_agree_with_their_tags() -> None:
    games = [game for game in read_games(str(S18)) if isinstance(game, PgnGame)]
    assert [game.warnings for game in games] == [()] * 20
