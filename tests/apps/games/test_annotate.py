"""Annotated games: every ply against what a probe of its position and of all moves says."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from tbgen.apps.games.annotate import Annotation, annotate
from tbgen.apps.games.read import PgnGame, games_in
from tbgen.apps.pages.standalone import annotated_page
from tbgen.material import Material
from tbgen.probe import Grade, Tablebase, open_tablebase
from tbgen.score import Color
from tests.apps.games.endings import written_games
from tests.apps.games.plain import only_game

HELD = '[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]\n\n'


def annotated(tables: Tablebase, text: str) -> Annotation:
    return annotate(tables, only_game(text))


def test_a_game_says_who_gave_what_away_and_what_would_have_kept_it(tables: Tablebase) -> None:
    found = annotated(tables, HELD + "30. Bg4 Kf4 1/2-1/2\n")
    first, white, black = found.plies
    assert (first.move, first.worth, first.remark, first.grade) == ("", "G1.5 in 5 plies", "", None)
    assert (white.move, white.grade) == ("30. Bg4", Grade.LOSES)
    assert white.remark == "gives G1.5 away to Black; Ke5 kept it"
    assert white.lost == Fraction(9, 16) - (Fraction(1, 2) - Fraction(1, 2) ** 12)
    assert black.move.startswith("30... ")
    assert found.lost == {Color.WHITE: white.lost, Color.BLACK: black.lost}
    facts = found.facts()
    assert (facts["points_lost"]["black"], facts["missing"]) == (float(black.lost), {})
    expected = {
        "san": "Bg4",
        "outcome": "-G5.5",
        "before": "G1.5",
        "grade": "loses",
        "better": ["Ke5"],
    }
    assert expected.items() <= facts["plies"][1].items()


def test_every_ply_of_many_games_has_the_value_and_the_grade_that_probes_give_it(
    tables: Tablebase,
) -> None:
    plies = turns = 0
    for game in games_in(written_games(7, 60, 3)):
        assert isinstance(game, PgnGame)
        found = annotate(tables, game)
        known = {each.ply.number: each for each in found.plies}
        board = game.replayed.board.root()
        for before, after in zip(game.replayed.plies, game.replayed.plies[1:], strict=False):
            here = tables.get(board, before.accrued)
            moves = [] if here is None else tables.probe_moves(board, before.accrued)
            assert after.move is not None
            board.push(after.move)
            there = tables.get(board.copy(stack=False), after.accrued)
            each = known[after.number]
            assert (each.value is None) == (there is None)
            assert (each.ply.own, each.ply.accrued) == (after.own, after.accrued)
            if here is not None:
                plies, turns = plies + 1, turns + each.gives_away
                played = next(move for move in moves if move.move == after.move)
                assert each.value is not None
                assert (each.value.outcome, each.before) == (played.outcome, here.outcome)
                assert each.gives_away == (not played.keeps)
                assert each.lost >= 0
                better = {move.san for move in moves if move.best and each.gives_away}
                assert {move.san for move in each.better} == better
    assert plies > 400
    assert turns > 40


def test_only_what_tables_may_know_is_annotated_and_what_is_missing_counted(
    tables: Tablebase,
) -> None:
    found = annotated(tables, '[FEN "8/8/4K3/5Bk1/8/8/8/R7 w - - 0 30"]\n\n30. Ra5 Kf4 *\n')
    assert ([each.value for each in found.plies], found.missing) == (
        [None] * 3,
        {Material.parse("KRBvK"): 3},
    )
    assert found.known_from == "no table knows a position of this game"
    right = annotated(tables, '[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n\n1. Rh2 *\n')
    assert [each.ply.number for each in right.plies if each.value] == [1]


def test_a_game_that_no_table_knows_has_its_scores_ply_by_ply(tables: Tablebase) -> None:
    found = annotated(tables, "1. e4 e5 2. Qh5 *\n")
    assert [str(each.ply.accrued) for each in found.plies] == ["-G20.5", "G20.5", "-G29.5", "G26.5"]
    page = annotated_page([found], "x")
    assert page.count('<th scope="row">') == 4
    assert found.facts()["plies"][2]["accrued"] == "-G29.5"


def test_without_distances_all_moves_that_keep_the_value_are_named(table_folder: Path) -> None:
    with open_tablebase(table_folder, outcomes_only=True) as outcomes:
        found = annotated(outcomes, HELD + "30. Bg4 *\n")
    assert annotated_page([found], "x").count('<td class="n">–</td>') == 2
    assert (len(found.plies[1].better), found.plies[1].remark.count(" or ")) == (7, 3)
    assert "None" not in annotated_page([found], "x")
