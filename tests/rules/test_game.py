from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator

import chess
import chess.variant
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tbgen.errors import AccruedError, MoveError
from tbgen.rules.game import End, FiftyMoves, FiftyMoveSetting, Game
from tbgen.rules.notation import parse_fen, position_of, with_score
from tbgen.rules.points import Scheme, Scoring
from tbgen.rules.position import bare_sides, key_of, own_score, why_not_accrued
from tbgen.score import Mobility, Score
from tests.strategies import boards, scores


def game_from(fen: str, *moves: str, setting: str = "reset", cutoff: str = "G6.0") -> Game:
    board, accrued = parse_fen(fen)
    fifty_moves = FiftyMoves(FiftyMoveSetting(setting), Score(cutoff).code)
    game = Game(board, accrued=accrued, fifty_moves=fifty_moves)
    for move in moves:
        game.push_text(move)
    return game


@given(boards(20), scores, st.integers(0, 120), st.sampled_from(FiftyMoveSetting))
def test_a_game_reads_its_own_fen_back_beyond_a_clock_of_a_hundred_too(
    board: chess.Board, carried: Score, clock: int, setting: FiftyMoveSetting
) -> None:
    rule = FiftyMoves(setting)
    first = board.root()
    first.halfmove_clock = clock
    assume(clock == 0 or why_not_accrued(carried, bare_sides(first)) is None)
    game = Game(first, accrued=carried, fifty_moves=rule)
    for move in board.move_stack:
        game.push(move)
        again, accrued = parse_fen(game.fen())
        assert Game(again, accrued=accrued, fifty_moves=rule).accrued == game.accrued


def test_the_position_at_which_the_fifty_move_rule_applies_is_read_back_with_what_had_accrued() -> (
    None
):
    fen = "8/k7/8/5p2/8/8/8/3K4 w - - 104 78 G9.5"
    assert game_from(fen, setting="fide").fen() == fen
    assert game_from(fen, setting="legacy").fen() == fen
    assert game_from(fen, setting="none").fen().endswith("104 78 -G5.5")


BARE = "8/6k1/2B5/5K2/8/8/7B/8 b - - 1 1"


@pytest.mark.parametrize(
    "route",
    [
        lambda: parse_fen(f"{BARE} -G8.0"),
        lambda: position_of(f"{BARE} -G8.0"),
        lambda: Game(chess.Board(BARE), accrued="-G8.0"),
        lambda: with_score(chess.Board(BARE), Score("-G8.0")),
    ],
)
def test_a_score_that_no_game_can_carry_into_a_position_is_refused_by_every_route(
    route: Callable[[], object],
) -> None:
    with pytest.raises(AccruedError, match="Black's king alone gives no check"):
        route()


def test_what_no_game_can_carry_in_may_stand_under_whole_game_mobility() -> None:
    assert str(Game(chess.Board(BARE), accrued="-G1.0", mobility="whole-game").accrued) == "-G1.0"
    assert str(with_score(chess.Board(BARE), Score("-G1.0"), Mobility.WHOLE_GAME)[1]) == "-G1.0"


KINGS_FAR_APART = "8/8/2k5/8/8/5K2/8/8 w - - 0 1"
START, HELD = chess.STARTING_FEN, "7k/8/8/8/8/8/6R1/K7 w - - {} 80 {}"
FORTH = "Nf3 Nf6 Ng1 Ng8 "
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
STEPS = "Ke2 Ke7 Ke1 Ke8 "
SETTINGS = "fide legacy reset none"
LAST = {
    "the first position counts": (START, "", SETTINGS, "-G20.5 since 0"),
    "a published score": (START, "e4 c5 Nf3 d6 c4", SETTINGS, "G28.5 since 5"),
    "it is kept when the next is higher": (
        START,
        "e4 c5 Nf3 d6 c4 a6 Nc3",
        SETTINGS,
        "-G26.5 since 6",
    ),
    "a reset wipes out what has accrued": (
        "7k/8/8/4p3/8/8/8/B1K5 w - - 9 30 G1.0",
        "Bxe5",
        SETTINGS,
        "since 1 counter 0",
    ),
    "on a tie the first holder keeps it": (
        "8/8/8/2K3k1/8/8/8/8 w - - 5 30",
        "Kc4 Kf5",
        SETTINGS,
        "-G8.5 since 0 bare kings at 2",
    ),
    "mate": (START, "f3 e5 g4 Qh4#", SETTINGS, "-G0.0 since 4 checkmate at 4"),
    "stalemate": ("7k/8/5KQ1/8/8/8/8/8 b - - 0 1", "", SETTINGS, "G0.5 since 0 stalemate at 0"),
    "bare kings": (KINGS_FAR_APART, "Kf2 Kd5", SETTINGS, "-G8.5 since 0 bare kings at 2"),
    "moves may go on behind bare kings": (
        "8/8/2k5/8/8/8/8/5K2 w - - 0 1",
        "Ke2 Kd5 Kf2",
        SETTINGS,
        "-G5.5 since 0 bare kings at 2",
    ),
    "one king has fewer moves": (
        "8/8/8/2K3k1/8/8/8/8 w - - 0 1",
        "Kd5 Kf5",
        SETTINGS,
        "-G5.5 since 2",
    ),
    "the first position is no ply": (KINGS_FAR_APART, "Kf2", SETTINGS, "-G8.5 since 0"),
    "a man is on the board": ("8/8/2k5/8/7p/5K2/8/8 w - - 5 9", "Ke3 Kd5", SETTINGS, "goes on"),
    "eight moves before the last capture do not count": (
        "8/8/2k5/8/8/6K1/7p/8 w - - 0 1",
        "Kxh2 Kd5 Kg3",
        SETTINGS,
        "goes on",
    ),
    "they count behind it": (
        "8/8/2k5/8/8/6K1/7p/8 w - - 0 1",
        "Kxh2 Kd5 Kg3 Kd4",
        SETTINGS,
        "bare kings at 4",
    ),
    "what triggers the rule does not count": (
        HELD.format(99, "G7.5"),
        "Rg1",
        "fide legacy",
        "G7.5 since 0 fifty moves at 1",
    ),
    "one ply earlier it does": (
        HELD.format(98, "G7.5"),
        "Rg1",
        "fide legacy none",
        "G1.5 since 1 counter 99",
    ),
    "an improvement below the cutoff starts the clock anew": (
        HELD.format(99, "G7.5"),
        "Rg1 Kh7",
        "reset",
        "G1.5 since 1 counter 1",
    ),
    "an equal score does not": (HELD.format(50, "G1.5"), "Rg1", "reset", "G1.5 since 0 counter 51"),
    "a reset always does": (
        "7k/8/8/8/8/8/5pR1/K7 w - - 99 80",
        "Rxf2",
        SETTINGS,
        "since 1 counter 0",
    ),
    "mate counts at the hundredth ply": (
        "7k/8/6K1/8/8/8/8/R7 w - - 99 80 G7.5",
        "Ra8",
        SETTINGS,
        "G0.0 since 1 checkmate at 1",
    ),
    "so does stalemate": (
        "7k/8/5K2/6Q1/8/8/8/8 w - - 99 80 G7.5",
        "Qg6",
        SETTINGS,
        "G0.5 since 1 stalemate at 1",
    ),
    "a position for the third time": (START, 2 * FORTH, SETTINGS, "threefold repetition at 8"),
    "what follows does not undo it": (
        START,
        2 * FORTH + "e4",
        SETTINGS,
        "threefold repetition at 8",
    ),
    "the accrued score is no part of a repetition": (
        HELD.format(0, ""),
        2 * "Rg1 Kh7 Rg2 Kh8 ",
        SETTINGS,
        "threefold repetition at 8",
    ),
    "castling rights are": (CASTLES, 2 * STEPS, SETTINGS, "goes on"),
    "without them": (CASTLES, 3 * STEPS, SETTINGS, "threefold repetition at 10"),
    "bare kings come before fifty moves": (
        "8/8/2k5/8/8/5K2/8/8 w - - 98 80",
        "Kf2 Kd5",
        "fide",
        "-G8.5 since 0 bare kings at 2",
    ),
    "and those before repetition": (
        START.replace("0 1", "92 80"),
        2 * FORTH,
        "fide",
        "fifty moves at 8",
    ),
    "a double step that allows no capture is no right": (
        START,
        "e4 e5 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8",
        SETTINGS,
        "threefold repetition at 10",
    ),
    "one that allows a capture is": (
        START,
        "e4 a6 e5 a5 Nf3 d5 Ng1 Nf6 Nf3 Ng8 Ng1 Nf6 Nf3 Ng8 Ng1 Nf6 Nf3",
        SETTINGS,
        "threefold repetition at 15",
    ),
}


def told(game: Game) -> str:
    """What has accrued since when, where the clock stands, and how the game has ended."""
    ended = "goes on"
    if game.ended is not None and game.ended.end is not None:
        ended = f"{game.ended.end.value} at {game.ended.number}"
    return f"{game.accrued} since {game.last.since} counter {game.last.counter} {ended}"


@pytest.mark.parametrize(("fen", "moves", "settings", "expected"), LAST.values(), ids=LAST)
def test_a_game_is_told_by_the_rules(fen: str, moves: str, settings: str, expected: str) -> None:
    """Words that are expected stand in what is told in that order.

    Where no end is expected, the game goes on.
    """
    expected += "" if " at " in expected or "goes on" in expected else " goes on"
    for setting in settings.split():
        found = told(game_from(fen, *moves.split(), setting=setting))
        if "counter" not in expected:
            found = re.sub(r" counter \d+", "", found)
        assert f" {found}".endswith(f" {expected}"), f"--fifty {setting} tells {found!r}"


@pytest.mark.parametrize(("clock", "counter", "end"), [(98, 99, None), (99, 100, End.FIFTY_MOVES)])
def test_an_improvement_at_the_cutoff_is_recorded_and_the_clock_goes_on(
    clock: int, counter: int, end: End | None
) -> None:
    game = game_from(HELD.format(clock, "G7.5"), "Rg1", cutoff="G1.5")
    assert game.last.end == end
    assert str(game.accrued) == "G1.5"
    assert game.last.counter == counter


def test_under_whole_game_mobility_no_position_is_forgotten() -> None:
    game = game_from("7k/8/8/4p3/8/8/8/B1K5 w - - 9 30 G1.0", "Bxe5")
    assert game.lowest == (Score("G1.0"), 0)
    assert game.lowest[0] != game.last.accrued


@pytest.mark.parametrize("text", ["e5", "e7e5", "Ke2", "hello", "", "--", "0000", "O-O"])
def test_a_move_that_cannot_be_played_is_named_with_its_ply(text: str) -> None:
    game = game_from(START, "e4", "e5")
    game.push_text("Nf3")
    with pytest.raises(MoveError) as caught:
        game.push_text(text)
    with pytest.raises(MoveError) as pushed:
        game.push(chess.Move(chess.E7, chess.E4))
    assert caught.value.ply == pushed.value.ply == 4
    assert game.last.number == 3


def state_of(game: Game) -> tuple[object, ...]:
    return game.fen(), game.plies, game.ended, list(game.board.move_stack)


@given(st.integers(0, 2**32), st.sampled_from(FiftyMoveSetting))
def test_a_move_taken_back_leaves_no_trace(seed: int, setting: FiftyMoveSetting) -> None:
    draw = random.Random(seed)
    start = draw.choice([START, "8/8/8/4KBk1/8/8/8/8 b - - 97 50", "8/8/8/3nK2k/8/8/8/8 w - - 0 1"])
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


def test_a_move_that_is_taken_back_again_and_again_repeats_nothing() -> None:
    game = Game()
    for _ in range(4):
        assert game.push_text("Nf3").end is None
        game.pop()


def shuffled(board: chess.Board, draw: random.Random) -> Iterator[None]:
    """Play a random game that takes most moves back."""
    for _ in range(80):
        moves = list(board.legal_moves)
        if not moves:
            return
        move = draw.choice(moves)
        if len(board.move_stack) > 1:
            last = board.move_stack[-2]
            back = chess.Move(last.to_square, last.from_square)
            if back in moves and draw.random() < 0.8:
                move = back
        board.push(move)
        yield


@pytest.mark.parametrize("kind", [chess.Board, *chess.variant.VARIANTS])
def test_a_position_is_repeated_where_python_chess_says_so(kind: type[chess.Board]) -> None:
    draw = random.Random(kind.uci_variant)
    repeated = 0
    for _ in range(5):
        board = kind()
        times = Counter([key_of(board)])
        for _ in shuffled(board, draw):
            times[key_of(board)] += 1
            is_third = times[key_of(board)] >= 3
            assert is_third == board.is_repetition(3), board.move_stack
            repeated += is_third
    assert repeated


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
    assert facts["own"] == str(own_score(game.board))
    assert facts["accrued"] == "G4.0"
    assert facts["reached_at_ply"] == 0
    assert facts["points"] == {"white": 1.0, "black": 0.0}
    assert facts["scoring"] == "winner"
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
    assert facts["end"] is None
    assert facts["ended_at_ply"] is None
    over = game_from(START, "f3", "e5", "g4", "Qh4#").facts()
    assert over["end"] == "checkmate"
    assert over["ended_at_ply"] == 4


def test_no_plies_are_left_once_the_fifty_move_rule_could_have_struck() -> None:
    assert [FiftyMoves().plies_left(counter) for counter in (0, 99, 100, 101, 150)] == [
        100,
        1,
        0,
        0,
        0,
    ]
