from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from hypothesis import given

from tbgen.apps.games import text as texts
from tbgen.apps.games.read import PgnGame, games_in, read_games
from tbgen.apps.games.rules import Rules
from tbgen.errors import InputFileError, PgnError, UnreadableFileError
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting
from tbgen.rules.points import Komi, Scheme, Scoring
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.apps.games.plain import assert_same, compiled, plain
from tests.strategies import boards


def games_of(text: str, settings: Rules | None = None) -> list[PgnGame | PgnError]:
    """The games of a text, which the witness must find as well."""
    games = list(games_in(io.StringIO(text, newline=None), "test.pgn", settings))
    for found in (plain(text.encode(), settings), compiled(text.encode(), settings)):
        assert_same(found, games, text)
    return games


def only_game(text: str, settings: Rules | None = None) -> PgnGame:
    (game,) = games_of(text, settings)
    assert isinstance(game, PgnGame), game
    return game


def moves_of(game: PgnGame) -> list[str]:
    return [ply.san for ply in game.replayed.plies[1:]]


@pytest.mark.parametrize(
    ("text", "result", "final", "end"),
    [
        ("1. e4 e5 1-0", "1-0", "G0.0", "normal"),
        ("1. e4 e5 0-1", "0-1", "-G0.0", "normal"),
        ("1. e4 e5 1/2-1/2", "1/2-1/2", "-G29.5", "normal"),
        ("1. e4 e5 *", "*", "-G29.5", "unterminated"),
        ('[Result "0-1"]\n\n1. e4 *', "0-1", "-G0.0", "normal"),
        ('[Termination "time forfeit"]\n\n1. e4 1-0', "1-0", "G0.0", "time forfeit"),
        ('[Termination "normal"]\n\n1. f3 e5 2. g4 Qh4# 1-0', "1-0", "-G0.0", "checkmate"),
    ],
)
def test_a_decisive_result_counts_as_mate_and_any_other_as_accrued(
    text: str, result: str, final: str, end: str
) -> None:
    game = only_game(text)
    assert (game.result, str(game.final), game.end) == (result, final, end)


@given(boards(40))
def test_a_written_game_is_read_back(board: chess.Board) -> None:
    game = only_game(str(chess.pgn.Game.from_board(board)))
    assert game.replayed.board.move_stack == board.move_stack
    assert game.replayed.board.fen() == board.fen()


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Nf3 Nc6 *",
        "1.e4 e5 2.Nf3 Nc6 *",
        "1. e4 1... e5 2. Nf3 2... Nc6 *",
        "e4 e5 Nf3 Nc6 *",
        "1. e4! e5?! 2. Nf3!! $1 Nc6 $14 +/- *",
        "1. e4 {best (by test) [%clk 1:00]} e5 {a; b} 2. Nf3 Nc6 *",
        "1. e4 {a comment\nover [two]\n\nlines} e5 2. Nf3 Nc6 *",
        "1. e4 (1. d4 d5 (1... Nf6 {Indian} 2. c4)) e5 2. Nf3 (2. Ke2?? 1-0) Nc6 *",
        "1. e4 ; 1... c5\ne5 2. Nf3 Nc6 *",
        "%escaped e9\n1. e4 e5\n\n2. Nf3 Nc6 *",
        '[Event "a"]\n[Site "b"]\n1. e2e4 e7e5 2. g1f3 b8c6 *',
        '[Event "with \\"quotes\\" and [brackets]"]\n\n1. e4 e5 2. Nf3 Nc6\n*',
    ],
)
def test_the_main_line_is_read_in_all_its_spellings(text: str) -> None:
    assert moves_of(only_game(text)) == ["e4", "e5", "Nf3", "Nc6"]


@pytest.mark.parametrize(
    ("text", "ply", "reason"),
    [
        ("1. e4 e5 2. Ke3 Nc6 *", 3, "illegal move 'Ke3'"),
        ("1. e4 e5 2. Qxz9 Nc6 *", 3, "illegal move 'Qxz9': there is no square z9"),
        ("1. Nf3 Nf6 2. -- e5 *", 3, "illegal move '--'"),
        ("1. e4 hello *", 2, "illegal move 'hello'"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *', None, "the board is empty"),
        ('[FEN "x"]\n\n1. e4 *', None, "malformed FEN 'x'"),
        ('[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 H4"]\n\n*', None, "'H4' is not a score"),
        ('[Variant "Shogi"]\n\n1. e4 *', None, "no rules for the variant 'Shogi'"),
        ('[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"]\n[RMobilityAccrued "H4"]\n\n*', None, "score"),
        ('[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"]\n[RMobilityAccrued "G0.0"]\n\n*', None, "score"),
        ('[Komi "G5.8"]\n\n1. e4 *', None, "'G5.8' is not a komi"),
        ("1. e4 {never closed", None, "a comment is not closed"),
        ("1. e4 (1. d4", None, "a variation is not closed"),
    ],
)
def test_what_is_wrong_with_a_game_is_named(text: str, ply: int | None, reason: str) -> None:
    (error,) = games_of(text)
    assert isinstance(error, PgnError)
    assert (error.number, error.ply) == (1, ply)
    assert reason in str(error)
    assert "test.pgn, game 1" in str(error)


@pytest.mark.parametrize("broken", ["1. e5 d5 *", "1. d4 {oops *", "1. d4 (1. c4 *"])
def test_games_beside_a_broken_one_are_still_scored(broken: str) -> None:
    first, error, last = games_of(
        f'[Event "a"]\n\n1. e4 *\n\n[Event "b"]\n\n{broken}\n\n[Event "c"]\n\n1. d4 *\n'
    )
    assert (first.number, type(error), error.number, last.number) == (1, PgnError, 2, 3)
    assert isinstance(last, PgnGame)
    assert last.tags["Event"] == "c"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        *(
            (text, "it holds no games")
            for text in (b"", b"\n\n", b"% only an escape\n", b"{only a comment}")
        ),
        *(
            (data, "binary")
            for data in (bytes(range(256)), b"\x7fELF\x02\x01\x01\x00", "1. e4 *".encode("utf-16"))
        ),
    ],
)
def test_a_file_without_games_or_of_binary_data_is_an_error(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "game.pgn"
    path.write_bytes(content)
    with pytest.raises(InputFileError, match=told):
        list(read_games(str(path)))


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-8-sig"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_names_are_read_in_latin_1_and_utf_8(tmp_path: Path, encoding: str, newline: str) -> None:
    path = tmp_path / "game.pgn"
    text = '[White "Müller, Jörg"]\n[Black "Ström, Åsa"]\n\n1. e4 {schön} e5 *\n'
    path.write_bytes(text.replace("\n", newline).encode(encoding))
    (game,) = read_games(str(path))
    assert isinstance(game, PgnGame)
    assert (game.tags["White"], game.tags["Black"]) == ("Müller, Jörg", "Ström, Åsa")


def test_chess960_is_understood() -> None:
    fen = "4k3/pppppppp/8/8/8/8/PPPPPPPP/1RK2R2 w KQ - 0 1"
    game = only_game(f'[Variant "Chess960"]\n[FEN "{fen}"]\n\n1. O-O *')
    assert moves_of(game) == ["O-O"]
    assert game.replayed.board.king(chess.WHITE) == chess.G1
    assert game.replayed.board.chess960


def test_tags_choose_the_scoring_unless_something_else_is_asked_for() -> None:
    tags = '[RMobilityScoring "komi"]\n[Komi "-G3.5"]\n[RMobilityCutoff "G4.0"]\n[Legacy "1"]\n'
    text = f"{tags}\n1. e4 *"
    game = only_game(text)
    assert game.scoring == Scoring(Scheme.KOMI, 8, Komi(Color.BLACK, 14))
    assert game.replayed.fifty_moves == FiftyMoves(FiftyMoveSetting.LEGACY, 8)
    other = only_game(
        text, Rules(scheme=Scheme.OTB, cutoff_code=10, fifty_moves=FiftyMoveSetting.FIDE)
    )
    assert (other.scoring.scheme, other.scoring.cutoff_code) == (Scheme.OTB, 10)
    assert other.replayed.fifty_moves.setting is FiftyMoveSetting.FIDE
    assert only_game("1. e4 *").scoring == Scoring()


def test_a_game_of_a_stream_is_told_when_the_line_after_it_is_empty() -> None:
    asked = list[int]()

    def lines() -> Iterator[str]:
        for number in range(10):
            asked.append(number)
            yield from ("1. e4 e5 *", "")

    next(games_in(lines()))
    assert asked == [0]


@pytest.mark.parametrize(
    ("clock", "tag", "accrued"),
    [
        ("33 30 G4.0", "", "G4.0"),
        ("33 30", '[RMobilityAccrued "G4.0"]', "G4.0"),
        ("33 30", '[RMobilityAccrued "-G4.5"]', "-G4.5"),
        ("33 30", '[RMobilityAccrued "-G15.5"]', None),
        ("33 30", "", None),
        ("0 30", '[RMobilityAccrued "G4.0"]', None),
    ],
)
def test_a_score_may_stand_in_a_tag_of_its_own_and_counts_where_it_can_have_accrued(
    clock: str, tag: str, accrued: str | None
) -> None:
    """Else the own score counts, which is worse here."""
    game = only_game(
        f'[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - {clock}"]\n[SetUp "1"]\n{tag}\n\n30. Bh3 Kh4 *'
    ).replayed
    assert game.plies[0].accrued == (
        own_score(game.board.root()) if accrued is None else Score(accrued)
    )


def test_a_game_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_GAME_BYTES", 100_000)

    def endless() -> Iterator[str]:
        yield from ("1. e4 *", "")
        while True:
            yield "{ " + "a" * 1000

    games = games_in(endless(), "endless")
    assert isinstance(next(games), PgnGame)
    with pytest.raises(PgnError, match=r"endless, game 2: it is longer than"):
        next(games)


def test_a_file_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match=r"nope\.pgn: No such file or directory"):
        next(read_games(tmp_path / "nope.pgn"))


@pytest.mark.parametrize(
    "text",
    [
        '[Event "a"]\n1. e4\n[Event "b"]\n1. d4',
        "1. e4 1-0\n1. d4 0-1\n",
        '[Event "a"]\n\n[Event "b"]\n\n1. d4 *',
        "1. e4 1-0 1. d4 0-1",
    ],
)
def test_games_are_told_apart_without_blank_lines_tags_or_results(text: str) -> None:
    assert len(games_of(text)) == 2


def bytes_scanned(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many bytes are scanned to find the games of some lines."""
    scanned = 0
    chunk = texts.Chunk

    def counting(text: bytes, *more: Any, **others: Any) -> texts.Chunk:
        nonlocal scanned
        scanned += len(text)
        return chunk(text, *more, **others)

    with monkeypatch.context() as patched:
        patched.setattr(texts, "Chunk", counting)
        assert len(list(games_in(lines))) == 2
    return scanned


def test_scanning_the_lines_of_a_game_costs_what_its_bytes_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lines(moves: int) -> list[str]:
        """A commented game of so many moves, and a short one."""
        pairs = ("Nf3 Nf6", "Ng1 Ng8")
        told = [f"{{ {'x' * 60} [%clk 0:03] }} {n + 1}. {pairs[n % 2]}" for n in range(moves)]
        return ['[Event "a"]', "", *told, "*", "", '[Event "b"]', "", "1. e4 *"]

    for moves in (50, 400, 1600):
        length = sum(len(line) + 1 for line in lines(moves))
        assert bytes_scanned(lines(moves), monkeypatch) < 4 * length
