from __future__ import annotations

import json
import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.errors import MoveError, UsageError
from tbgen.rules.fen import parse_fen
from tbgen.rules.game import End, FiftyMoves, FiftyMoveSetting, Game
from tbgen.rules.points import Scheme, Scoring
from tbgen.rules.position import accrued_of, own_score
from tbgen.score import Score
from tests.strategies import boards, scores

KINGS_FAR_APART = "8/8/2k5/8/8/5K2/8/8 w - - 0 1"


def game_from(fen: str, *moves: str, setting: str = "reset", cutoff: str = "G6.0") -> Game:
    board, accrued = parse_fen(fen)
    fifty_moves = FiftyMoves(FiftyMoveSetting(setting), Score(cutoff).code)
    game = Game(board, accrued=accrued, fifty_moves=fifty_moves)
    for move in moves:
        game.push_text(move)
    return game


@given(boards(20), scores)
def test_a_carried_score_gives_the_same_in_a_game_and_on_a_move_stack(board: chess.Board, carried: Score) -> None:
    game = Game(board, accrued=carried, fifty_moves=FiftyMoves(FiftyMoveSetting.NONE))
    assert game.accrued == accrued_of(board, carried)


def test_the_first_position_counts() -> None:
    game = Game()
    assert str(game.accrued) == "-G20.5"
    assert game.last.since == 0
    assert game.ended is None


def test_published_games_reach_their_published_scores() -> None:
    game = game_from(chess.STARTING_FEN, "e4", "c5", "Nf3", "d6", "c4")
    assert str(game.last.own) == str(game.accrued) == "G28.5"
    for move in ("a6", "Nc3"):
        game.push_text(move)
    assert (str(game.last.own), str(game.accrued), game.last.since) == ("G27.5", "-G26.5", 6)


def test_a_reset_wipes_out_what_has_accrued() -> None:
    game = game_from("7k/8/8/4p3/8/8/8/B1K5 w - - 9 30 G1.0", "Bxe5")
    assert game.last.since == 1
    assert game.accrued == game.last.own
    assert game.last.counter == 0


def test_on_a_tie_the_first_holder_keeps_the_score() -> None:
    game = game_from("8/8/8/2K3k1/8/8/8/8 w - - 5 30", "Kc4", "Kf5")
    assert [str(ply.own) for ply in game.plies] == ["-G8.5", "G8.5", "-G8.5"]
    assert (str(game.accrued), game.last.since) == ("-G8.5", 0)


def test_mate_and_stalemate_end_a_game_for_the_side_that_moved_last() -> None:
    mate = game_from(chess.STARTING_FEN, "f3", "e5", "g4", "Qh4#")
    assert (mate.last.end, str(mate.accrued)) == (End.CHECKMATE, "-G0.0")
    stalemate = game_from("7k/8/5KQ1/8/8/8/8/8 b - - 0 1")
    assert (stalemate.last.end, str(stalemate.accrued)) == (End.STALEMATE, "G0.5")
    with pytest.raises(MoveError):
        stalemate.push_text("Kg8")


def test_bare_kings_end_a_game_after_two_positions_with_eight_moves_each() -> None:
    game = game_from(KINGS_FAR_APART, "Kf2", "Kd5")
    assert (game.last.end, str(game.accrued)) == (End.BARE_KINGS, "-G8.5")
    assert game.ended is game.last
    edge = game_from("8/8/2k5/8/8/8/8/5K2 w - - 0 1", "Ke2", "Kd5", "Kf2")
    assert [ply.end for ply in edge.plies] == [None, None, End.BARE_KINGS, End.BARE_KINGS]
    assert edge.ended is not None
    assert edge.ended.number == 2
    assert str(edge.accrued) == "-G5.5"


@pytest.mark.parametrize(
    ("fen", "moves", "codes"),
    [
        pytest.param("8/8/8/2K3k1/8/8/8/8 w - - 0 1", "Kd5 Kf5", [17, 17, 11], id="one king has fewer moves"),
        pytest.param(KINGS_FAR_APART, "Kf2", [17, 17], id="the first position is no ply"),
        pytest.param("8/8/2k5/8/7p/5K2/8/8 w - - 5 9", "Ke3 Kd5", None, id="a man is on the board"),
        pytest.param("8/8/2k5/8/8/5K2/8/7B w - - 0 1", "", None, id="material is insufficient"),
    ],
)
def test_other_positions_of_few_men_end_nothing(fen: str, moves: str, codes: list[int] | None) -> None:
    game = game_from(fen, *moves.split())
    assert game.ended is None
    assert codes is None or [ply.own.code for ply in game.plies] == codes


def test_eight_moves_before_the_last_man_is_captured_do_not_count() -> None:
    game = game_from("8/8/2k5/8/8/6K1/7p/8 w - - 0 1", "Kxh2", "Kd5", "Kg3", "Kd4")
    assert [ply.own.code for ply in game.plies][2:] == [11, 17, 17]
    assert [ply.end for ply in game.plies] == [None, None, None, None, End.BARE_KINGS]


def waiting(plies: int) -> list[str]:
    """Quiet moves of two rooks and kings that never repeat a position three times."""
    board = chess.Board(SHUFFLE)
    seen = {board.board_fen() + str(board.turn)}
    moves: list[str] = []
    while len(moves) < plies:
        for move in board.legal_moves:
            board.push(move)
            key = board.board_fen() + str(board.turn)
            quiet = board.halfmove_clock and not board.is_check() and key not in seen
            if quiet and board.legal_moves.count() > 15:
                seen.add(key)
                moves.append(move.uci())
                break
            board.pop()
        else:
            raise AssertionError("no waiting move")
    return moves


SHUFFLE = "r6k/5ppp/8/8/8/8/PPP5/K6R w - - 0 1"


@pytest.mark.parametrize("setting", ["fide", "legacy", "reset"])
def test_fifty_moves_end_a_game_after_a_hundred_plies(setting: str) -> None:
    game = game_from(SHUFFLE, *waiting(100), setting=setting)
    assert game.ended is game.last
    assert game.last.end is End.FIFTY_MOVES
    assert game.last.counter == 100


def test_without_the_rule_a_game_goes_on() -> None:
    game = game_from(SHUFFLE, *waiting(110), setting="none")
    assert game.ended is None
    assert game.last.counter == 110


HELD = "7k/8/8/8/8/8/6R1/K7 w - - {clock} 80 G7.5"


def test_under_fide_the_position_that_triggers_the_rule_does_not_count() -> None:
    for setting in ("fide", "legacy"):
        game = game_from(HELD.format(clock=99), "Rg1", setting=setting)
        assert game.last.end is End.FIFTY_MOVES
        assert (str(game.last.own), str(game.accrued), game.last.since) == ("G1.5", "G7.5", 0)


def test_one_ply_earlier_it_does_count() -> None:
    game = game_from(HELD.format(clock=98), "Rg1", setting="fide")
    assert (game.last.end, str(game.accrued), game.last.since) == (None, "G1.5", 1)


@pytest.mark.parametrize("setting", ["fide", "legacy", "reset", "none"])
@pytest.mark.parametrize(
    ("fen", "move", "end", "score"),
    [
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80 G7.5", "Ra8", End.CHECKMATE, "G0.0"),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 99 80 G7.5", "Qg6", End.STALEMATE, "G0.5"),
    ],
)
def test_mate_and_stalemate_count_at_the_hundredth_ply(fen: str, move: str, end: End, score: str, setting: str) -> None:
    game = game_from(fen, move, setting=setting)
    assert (game.last.end, str(game.accrued)) == (end, score)


def test_under_reset_an_improvement_below_the_cutoff_restarts_the_count() -> None:
    game = game_from(HELD.format(clock=99), "Rg1")
    assert (game.last.end, str(game.accrued), game.last.counter) == (None, "G1.5", 0)
    game.push_text("Kh7")
    assert game.last.counter == 1


def test_under_reset_an_improvement_at_or_above_the_cutoff_is_recorded_without_a_restart() -> None:
    game = game_from(HELD.format(clock=99), "Rg1", cutoff="G1.5")
    assert (game.last.end, str(game.accrued), game.last.counter) == (End.FIFTY_MOVES, "G1.5", 100)
    game = game_from(HELD.format(clock=98), "Rg1", cutoff="G1.5")
    assert (game.last.end, str(game.accrued), game.last.counter) == (None, "G1.5", 99)


def test_under_reset_an_equal_score_is_no_improvement() -> None:
    game = game_from("7k/8/8/8/8/8/6R1/K7 w - - 50 80 G1.5", "Rg1")
    assert game.last.counter == 51


def test_a_reset_restarts_the_count_under_every_setting() -> None:
    for setting in FiftyMoveSetting:
        game = game_from("7k/8/8/8/8/8/5pR1/K7 w - - 99 80", "Rxf2", setting=setting.value)
        assert (game.last.end, game.last.counter) == (None, 0)


BACK_AND_FORTH = ("Nf3", "Nf6", "Ng1", "Ng8")


def test_the_third_time_a_position_arises_ends_a_game() -> None:
    game = game_from(chess.STARTING_FEN, *BACK_AND_FORTH, *BACK_AND_FORTH)
    assert game.ended is game.last
    assert (game.last.end, game.last.number) == (End.THREEFOLD_REPETITION, 8)


def test_after_an_end_moves_may_go_on_and_the_end_is_remembered() -> None:
    game = game_from(chess.STARTING_FEN, *BACK_AND_FORTH, *BACK_AND_FORTH, "e4")
    assert game.last.end is None
    assert game.ended is not None
    assert game.ended.number == 8


def test_the_accrued_score_is_no_part_of_a_repetition() -> None:
    rooks = ("Rg1", "Kh7", "Rg2", "Kh8")
    game = game_from(HELD.format(clock=0).replace("G7.5", ""), *rooks, *rooks)
    assert game.plies[0].accrued != game.last.accrued
    assert game.last.end is End.THREEFOLD_REPETITION


def test_castling_rights_make_positions_different() -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    shuffle = ("Ke2", "Ke7", "Ke1", "Ke8")
    assert game_from(fen, *shuffle, *shuffle).ended is None
    assert game_from(fen, *shuffle, *shuffle, *shuffle).ended is not None


def test_bare_kings_come_before_fifty_moves_and_those_before_repetition() -> None:
    bare = game_from("8/8/2k5/8/8/5K2/8/8 w - - 98 80", "Kf2", "Kd5", setting="fide")
    assert bare.last.end is End.BARE_KINGS
    back_and_forth = game_from(
        chess.STARTING_FEN.replace("0 1", "92 80"), *BACK_AND_FORTH, *BACK_AND_FORTH, setting="fide"
    )
    assert back_and_forth.last.end is End.FIFTY_MOVES


def test_under_whole_game_mobility_no_position_is_forgotten() -> None:
    game = game_from("7k/8/8/4p3/8/8/8/B1K5 w - - 9 30 G1.0", "Bxe5")
    assert (str(game.last.lowest), game.last.lowest_since) == ("G1.0", 0)
    assert game.last.lowest != game.last.accrued


@pytest.mark.parametrize("text", ["e5", "e7e5", "Ke2", "hello", "", "--", "0000", "O-O"])
def test_a_move_that_cannot_be_played_is_named_with_its_ply(text: str) -> None:
    game = game_from(chess.STARTING_FEN, "e4", "e5")
    game.push_text("Nf3")
    with pytest.raises(MoveError) as caught:
        game.push_text(text)
    assert caught.value.ply == 4
    assert game.last.number == 3


def test_an_illegal_move_object_is_refused_too() -> None:
    with pytest.raises(MoveError, match="e2e5"):
        Game().push(chess.Move.from_uci("e2e5"))


def test_a_board_that_is_handed_over_is_left_alone() -> None:
    board = chess.Board()
    Game(board).push_text("e4")
    assert board == chess.Board()


def state_of(game: Game) -> tuple[object, ...]:
    seen = {key: count for key, count in game._seen.items() if count}
    return game.fen(), game.plies, game.ended, list(game.board.move_stack), seen


@given(st.integers(0, 2**32), st.sampled_from(FiftyMoveSetting))
def test_a_move_taken_back_leaves_no_trace(seed: int, setting: FiftyMoveSetting) -> None:
    draw = random.Random(seed)
    start = draw.choice([chess.STARTING_FEN, "8/8/8/4KBk1/8/8/8/8 b - - 97 50", "8/8/8/3nK2k/8/8/8/8 w - - 0 1"])
    game = Game(chess.Board(start), fifty_moves=FiftyMoves(setting))
    states = [state_of(game)]
    for _ in range(60):
        moves = list(game.board.legal_moves)
        if len(states) > 1 and (not moves or draw.random() < 0.4):
            states.pop()
            last = game.last
            assert game.pop() is last
            assert state_of(game) == states[-1]
        elif moves:
            game.push(draw.choice(moves))
            states.append(state_of(game))


def test_there_is_nothing_to_take_back_at_the_start() -> None:
    with pytest.raises(UsageError, match="no move to take back"):
        Game().pop()


def test_a_line_is_played_whole_or_not_at_all() -> None:
    game = Game()
    assert [ply.number for ply in game.push_line("1. e4 e5 2. Nf3")] == [1, 2, 3]
    before = state_of(game)
    with pytest.raises(MoveError, match="ply 6: illegal move 'Ke4'"):
        game.push_line(["Nc6", "Bb5", "Ke4", "O-O"])
    assert state_of(game) == before
    assert [ply.san for ply in game.push_line(["2... Nc6 3. Bb5", "a6"])] == ["Nc6", "Bb5", "a6"]


@pytest.mark.parametrize("text", ["", "1.", "e4 e5", "*", "{e4}"])
def test_one_move_is_asked_for_and_not_none_or_two(text: str) -> None:
    with pytest.raises(MoveError, match="not one move"):
        Game().push_text(text)


def test_the_facts_of_a_game_are_those_of_its_plies_and_its_score() -> None:
    game = Game(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"), accrued=Score("G4.0"))
    game.push_line("Bh3 Kh4")
    facts = game.facts(Scoring(Scheme.WINNER))
    assert facts["fen"] == "8/8/4K3/8/7k/7B/8/8 w - - 35 31"
    assert (facts["own"], facts["accrued"], facts["reached_at_ply"]) == (str(own_score(game.board)), "G4.0", 0)
    assert (facts["points"], facts["scoring"]) == ({"white": 1.0, "black": 0.0}, "winner")
    assert facts["plies"][1] == {
        "ply": 1,
        "san": "Bh3",
        "uci": "f5h3",
        "own": str(game.plies[1].own),
        "accrued": "G4.0",
        "reached_at_ply": 0,
        "end": None,
    }
    assert facts["plies"][0]["san"] is facts["plies"][0]["uci"] is None
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["end"], facts["ended_at_ply"]) == (None, None)
    over = game_from(chess.STARTING_FEN, "f3", "e5", "g4", "Qh4#").facts()
    assert (over["end"], over["ended_at_ply"]) == ("checkmate", 4)


def test_a_double_step_that_allows_no_capture_does_not_make_a_position_another() -> None:
    """After 1... e5 no pawn can take on e6: the position stands for the third time after ply 10."""
    game = Game()
    game.push_line("e4 e5 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1")
    assert game.ended is None
    assert game.push_text("Ng8").end is End.THREEFOLD_REPETITION


def test_a_double_step_that_allows_a_capture_makes_a_position_another() -> None:
    """After 3... d5 White may take on d6, once."""
    game = Game()
    game.push_line("e4 a6 e5 a5 Nf3 d5 Ng1 Nf6 Nf3 Ng8 Ng1 Nf6 Nf3 Ng8")
    assert game.ended is None
    game.push_line("Ng1 Nf6 Nf3")
    assert game.last.end is End.THREEFOLD_REPETITION


def test_no_plies_are_left_once_the_fifty_move_rule_could_have_struck() -> None:
    assert [FiftyMoves().plies_left(counter) for counter in (0, 99, 100, 101, 150)] == [100, 1, 0, 0, 0]
