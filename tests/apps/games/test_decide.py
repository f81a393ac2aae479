from __future__ import annotations

from pathlib import Path

import chess
import pytest

from tbgen.apps.games.decide import Adjudicator
from tbgen.apps.games.read import PgnGame, games_in
from tbgen.apps.games.rules import Continue, Rules
from tbgen.apps.games.tags import Source
from tbgen.material import Material, table_named
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game
from tbgen.rules.notation import parse_fen
from tbgen.score import Color, Score
from tests.library.made_up import write_made_up
from tests.probe.tables_without import EN_PASSANT

HELD = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
"""Published: worth G1.5 with G4.0 accrued."""


def game_from(fen: str, *moves: str, setting: FiftyMoveSetting = FiftyMoveSetting.RESET) -> Game:
    """The game that begins on a FEN, with its seventh field, and goes on with some moves."""
    board, accrued = parse_fen(fen)
    game = Game(board, accrued=accrued, fifty_moves=FiftyMoves(setting))
    for move in moves:
        game.push_text(move)
    return game


def test_a_game_that_is_not_over_is_continued_by_best_play(tables: Tablebase) -> None:
    verdict = Adjudicator(tables).decide(game_from(HELD))
    assert verdict.why == "White holds Black to 1 legal move, in 5 plies, with best play from KBvK"
    assert verdict.facts() == {
        "final": "G1.5",
        "source": "tablebase",
        "material": "KBvK",
        "missing": None,
        "dtg": 5,
        "plies_left": 67,
        "within": "between",
        "points": {"white": 0.5625, "black": 0.4375},
        "bounds": None,
    }


@pytest.mark.parametrize(
    ("fen", "rules", "winner", "final", "source", "missing"),
    [
        (HELD, Rules(), None, "G1.5", Source.TABLEBASE, None),
        (HELD, Rules(continued=Continue.NEVER), None, "G4.0", Source.GAME, None),
        (HELD, Rules(), Color.BLACK, "-G0.0", Source.RESULT, None),
        (
            "8/8/4K3/5Bk1/8/8/8/R7 w - - 33 30 G4.0",
            Rules(),
            None,
            "G4.0",
            Source.PROVISIONAL,
            "KRBvK",
        ),
        ("4k3/8/8/8/8/8/8/4K2R w K - 33 30 G8.0", Rules(), None, "G8.0", Source.GAME, None),
        ("8/8/8/8/2k1b3/8/8/K7 w - - 0 1", Rules(), None, "-G1.5", Source.TABLEBASE, None),
        ("8/8/8/8/1kr5/8/P7/K7 w - - 0 1", Rules(), None, "-G4.5", Source.PROVISIONAL, "KRvKP"),
    ],
)
def test_a_result_goes_before_best_play_and_best_play_before_what_has_accrued(
    tables: Tablebase,
    fen: str,
    rules: Rules,
    winner: Color | None,
    final: str,
    source: Source,
    missing: str | None,
) -> None:
    verdict = Adjudicator(tables, rules).decide(game_from(fen), winner=winner)
    assert (str(verdict.final), verdict.source, verdict.facts()["missing"]) == (
        final,
        source,
        missing,
    )
    if missing is not None:
        assert verdict.why.endswith(f": no table {missing}"), "no folder, which strangers may read"


@pytest.mark.usefixtures("unbundled")
def test_the_table_that_is_missing_is_named_and_not_the_one_that_asks_for_it(
    tmp_path: Path,
) -> None:
    write_made_up(tmp_path, table_named("KPvKP"))
    with open_tablebase(tmp_path) as few:
        assert Adjudicator(few).decide(game_from(EN_PASSANT)).missing == (Material.parse("KPvK"),)


@pytest.mark.parametrize("winner", [None, *Color])
@pytest.mark.parametrize(
    ("fen", "move", "final"),
    [
        ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "Ra8", "G0.0"),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "Qg6", "G0.5"),
    ],
)
def test_mate_and_stalemate_on_the_board_stand_whatever_the_result_says(
    tables: Tablebase, fen: str, move: str, final: str, winner: Color | None
) -> None:
    verdict = Adjudicator(tables).decide(game_from(fen, move), winner=winner)
    assert (str(verdict.final), verdict.source) == (final, Source.GAME)


SHUFFLE = ("Ke7", "Kh6", "Ke6", "Kg5")


def test_a_game_that_the_rules_ended_keeps_what_had_accrued(tables: Tablebase) -> None:
    game = game_from(HELD, *SHUFFLE, *SHUFFLE)
    assert game.last.end is not None
    verdict = Adjudicator(tables).decide(game)
    assert (verdict.final, verdict.source) == (game.accrued, Source.GAME)
    assert verdict.why == "the game ended by threefold repetition, and its accrued score stands"
    always = Adjudicator(tables, Rules(continued=Continue.ALWAYS)).decide(game)
    assert (str(always.final), always.source) == ("G1.5", Source.TABLEBASE)


ENDS = "8/8/4K3/6k1/8/7B/8/8 b - - 97 30 G4.0"
"""G1.5 takes 30 plies here, and the fifty-move rule leaves three."""


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (FiftyMoveSetting.RESET, "between G4.0 and G1.5"),
        (FiftyMoveSetting.FIDE, "not known"),
        (FiftyMoveSetting.LEGACY, "not known"),
    ],
)
def test_a_verdict_says_where_the_fifty_move_rule_leaves_too_few_plies(
    tables: Tablebase, setting: FiftyMoveSetting, said: str
) -> None:
    verdict = Adjudicator(tables).decide(game_from(ENDS, setting=setting))
    assert (str(verdict.final), verdict.is_clocked) == ("G1.5", True)
    assert verdict.why.endswith(f", but under {setting.value}, with 3 plies left, {said}")
    assert verdict.facts()["plies_left"] == 3
    assert verdict.facts()["within"] == (
        "between" if setting is FiftyMoveSetting.RESET else "unknown"
    )


def test_a_game_that_the_fifty_move_rule_ended_has_its_accrued_score(tables: Tablebase) -> None:
    adjudicator = Adjudicator(tables)
    verdict = adjudicator.decide(game_from(ENDS.replace(" 97 ", " 100 ")))
    assert (str(verdict.final), verdict.source) == ("G4.0", Source.GAME)
    assert str(adjudicator.decide(game_from(ENDS)).final) == "G1.5"
    without = adjudicator.decide(game_from(ENDS, setting=FiftyMoveSetting.NONE))
    assert (str(without.final), without.is_clocked) == ("G1.5", False)


SIX_MEN = '[FEN "4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1"]\n'


@pytest.mark.parametrize(("tag", "is_asked"), [("", False), (SIX_MEN, True)])
def test_nobody_asks_what_was_solved_of_a_bye_or_a_draw_without_moves(
    tables: Tablebase, tag: str, is_asked: bool
) -> None:
    asked = list[chess.Board]()

    def solve(board: chess.Board, accrued: Score) -> None:
        asked.append(board)

    (game,) = games_in(f'{tag}[Black "bye"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n')
    assert isinstance(game, PgnGame)
    verdict = Adjudicator(tables, find_solved=solve).decide_read(game)
    assert verdict.source is (Source.GAME if is_asked else Source.SHEET)
    assert bool(asked) is is_asked
    assert verdict.is_solvable is is_asked
