"""Arguments of a wrong kind are refused by name, and boards of other variants everywhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import chess
import chess.variant
import pytest

import tbgen
from tbgen import errors
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import read_tags, write_tags
from tbgen.errors import IllegalPositionError, ScoreFormatError, TbgenError, UsageError
from tbgen.material import all_materials
from tbgen.rules import points
from tbgen.rules.game import FiftyMoveSetting, final_outcome
from tbgen.rules.notation import moves_in
from tbgen.rules.points import Komi, Scheme, parse_komi
from tbgen.rules.position import accrued_of, is_reset, material_of
from tbgen.score import Color, Score

BOARD = chess.Board()
WON = Score(0, Color.WHITE)
FIDE = FiftyMoveSetting.FIDE
MOVE = chess.Move.from_uci("e2e4")
WHOLE_POINT = (Fraction(1), Fraction(0))
QUARTERS = (Fraction(3, 4), Fraction(1, 4))

WRONG: list[tuple[str, Callable[[], object]]] = [
    ("code", lambda: Score(1.5, Color.WHITE)),
    ("code", lambda: Score(True, Color.WHITE)),
    ("code", lambda: Score(2000, Color.WHITE)),
    ("code", lambda: Score(-1, Color.WHITE)),
    ("holder", lambda: Score(3, chess.WHITE)),
    ("holder", lambda: Score(Color.WHITE, 3)),
    ("code", lambda: Score(3.5)),
    ("fen", lambda: tbgen.parse_fen(BOARD)),
    ("board", lambda: tbgen.own_score(chess.STARTING_FEN)),
    ("board", lambda: is_reset(None, chess.Move.null())),
    ("board", lambda: tbgen.Game(chess.STARTING_FEN)),
    ("board", lambda: accrued_of(3)),
    ("board", lambda: material_of("KBvK")),
    ("board", lambda: tbgen.format_fen(chess.STARTING_FEN)),
    ("accrued", lambda: tbgen.Game(accrued=3.5)),
    ("accrued", lambda: tbgen.format_fen(BOARD, 3.5)),
    ("accrued", lambda: final_outcome(3.5)),
    ("fifty_moves", lambda: tbgen.Game(fifty_moves=FIDE)),
    ("setting", lambda: tbgen.FiftyMoves(50)),
    ("cutoff_code", lambda: tbgen.FiftyMoves(cutoff_code=6.0)),
    ("cutoff_code", lambda: tbgen.Scoring(cutoff_code=Score("G6.0"))),
    ("cutoff_code", lambda: tbgen.Scoring(cutoff_code=-1)),
    ("scheme", lambda: tbgen.Scoring(3)),
    ("komi", lambda: tbgen.Scoring(komi=5.75)),
    ("komi", lambda: parse_komi(5.75)),
    ("side", lambda: Komi(chess.WHITE, 23)),
    ("quarters", lambda: Komi(Color.WHITE, 5.75)),
    ("outcome", lambda: tbgen.Scoring().points(3.5)),
    ("side", lambda: points.lexicographic_key([(chess.WHITE, WON)])),  # type: ignore[list-item]
    ("outcome", lambda: points.lexicographic_key([(Color.WHITE, 0.5)])),  # type: ignore[list-item]
    ("points", lambda: points.parse_points(WHOLE_POINT)),
    ("winner", lambda: final_outcome(WON, chess.BLACK)),
    ("move", lambda: tbgen.Game().push("e4")),
    ("move", lambda: tbgen.Game().push_text(MOVE)),
    ("move", lambda: moves_in([MOVE])),  # type: ignore[list-item]
    ("white", lambda: tbgen.Material("K", "K")),
    ("white", lambda: tbgen.Material(("K",), ("K",))),
    ("move", lambda: is_reset(BOARD, "e4")),
    ("move", lambda: tbgen.play_move(BOARD.copy(), "e4", WON)),
    ("accrued", lambda: tbgen.play_move(BOARD.copy(), MOVE, 3.5)),
    ("outcome", lambda: write_tags(3.5, tbgen.Scoring())),
    ("scoring", lambda: write_tags(WON, "komi")),
    ("tags", lambda: read_tags("Komi")),
    ("Komi", lambda: read_tags({"Komi": 5.75})),  # type: ignore[dict-item]
    ("scheme", lambda: Rules(scheme=3)),
    ("komi", lambda: Rules(komi=5.75)),
    ("fifty_moves", lambda: Rules(fifty_moves=True)),
    ("cutoff_code", lambda: Rules(cutoff_code=6.0)),
    ("rules", lambda: tbgen.read_games("a.pgn", "komi")),
    ("path", lambda: tbgen.read_games(0)),
    ("scheme", lambda: points.format_points(WHOLE_POINT, "komi")),
    ("points under winner", lambda: points.format_points(QUARTERS, Scheme.WINNER)),
    ("tables", lambda: tbgen.Adjudicator("data")),
    ("rules", lambda: tbgen.Adjudicator(None, tbgen.Scoring())),
    ("continued", lambda: Rules(continued="always")),
    ("sample", lambda: tbgen.verify_tables(["KvK"], "nowhere", sample=0)),
    ("material", lambda: tbgen.Material.parse(all_materials()[0])),
]


@pytest.mark.parametrize(("name", "call"), WRONG)
def test_an_argument_of_a_wrong_kind_is_refused_by_its_name(
    name: str, call: Callable[[], object]
) -> None:
    with pytest.raises(UsageError, match=f"^{name} must be "):
        call()


def test_a_game_begins_with_a_legal_position() -> None:
    for fen in ("8/8/8/8/8/8/8/8 w - - 0 1", "8/8/4R3/4k3/8/8/8/K7 w - - 0 1"):
        with pytest.raises(IllegalPositionError):
            tbgen.Game(chess.Board(fen))


def test_a_text_serves_where_it_can_mean_one_thing_alone() -> None:
    board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    score = Score("G4.0")
    assert tbgen.Game(board, accrued="G4.0").accrued == score
    assert tbgen.Game(board, accrued="4.0").accrued == score
    assert tbgen.Scoring("Harmonic") == tbgen.Scoring(Scheme.HARMONIC)
    assert tbgen.Scoring().points("G4") == tbgen.Scoring().points(score)
    for wrong in ("4", "G4.2", "G04", "m4.0", ""):
        with pytest.raises(ScoreFormatError):
            tbgen.Game(board, accrued=wrong)
    no_scheme = "'geometric' is not a scoring scheme; there are exponential"
    with pytest.raises(UsageError, match=no_scheme):
        tbgen.Scoring("geometric")
    no_setting = "'uscf' is not a setting of the fifty-move rule; there are none, "
    with pytest.raises(UsageError, match=no_setting):
        tbgen.FiftyMoves("uscf")
    komi = Komi(Color.BLACK, 14)
    assert tbgen.FiftyMoves("fide") == tbgen.FiftyMoves(FIDE)
    written = Rules(scheme="komi", komi="-3.5", fifty_moves="FIDE")
    assert written == Rules(scheme=Scheme.KOMI, komi=komi, fifty_moves=FIDE)
    by_texts = tbgen.Scoring("komi", komi="-G3.5")
    assert by_texts == tbgen.Scoring(Scheme.KOMI, komi=komi)
    for wrong in ("5", "G5.8", ""):
        with pytest.raises(ScoreFormatError, match="is not a komi such as"):
            tbgen.Scoring(komi=wrong)


VARIANTS = [variant for variant in chess.variant.VARIANTS if variant is not chess.Board]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.__name__)
def test_boards_of_other_variants_are_refused_wherever_tables_are_asked(
    variant: type[chess.Board],
) -> None:
    board = variant()
    with tbgen.Tablebase("nowhere", missing_ok=True) as tables:
        asked: list[Callable[[], object]] = [
            lambda: material_of(board),
            lambda: tables.probe(board),
            lambda: tables.get(board),
            lambda: tables.probe_moves(board),
            lambda: tables.line(board),
        ]
        for ask in asked:
            with pytest.raises(UsageError, match="tables and solvers know nothing of"):
                ask()


def test_every_error_can_be_caught_from_the_public_face() -> None:
    def subclasses(kind: type[Any]) -> set[type[Any]]:
        kinds = {kind}
        for subclass in kind.__subclasses__():
            kinds |= subclasses(subclass)
        return kinds

    public = [*vars(errors).values(), *(getattr(tbgen, name) for name in tbgen.__all__)]
    for error in subclasses(TbgenError):
        # A module may have one of its own below one that everybody can catch.
        kinds = [error, error.__base__] if error.__base__ is not TbgenError else [error]
        assert any(kind in public for kind in kinds)
