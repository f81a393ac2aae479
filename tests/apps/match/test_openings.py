from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.match.schedule import Book, Opening, OpeningOrder, fen_of, ordered
from tbgen.errors import UsageError

HELD = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"


def read_openings(path: Path, *, pgn: bool, most_plies: int | None = None, chess960: bool = False) -> list[Opening]:
    book = Book(path, pgn=pgn, most_plies=most_plies, chess960=chess960)
    return [book[place] for place in range(len(book))]


def written(folder: Path, text: str, name: str = "openings") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "fen", "accrued"),
    [
        (SICILIAN, f"{SICILIAN} 0 1", None),
        (f"{SICILIAN} hmvc 0; fmvn 2;", f"{SICILIAN} 0 2", None),
        (f'{SICILIAN} id "Sicilian"; hmvc 3;', f"{SICILIAN} 3 1", None),
        (f"{SICILIAN} 0 2", f"{SICILIAN} 0 2", None),
        (HELD, HELD.removesuffix(" G4.0"), "G4.0"),
    ],
)
def test_positions_come_from_epd_and_fen(tmp_path: Path, line: str, fen: str, accrued: str | None) -> None:
    (opening,) = read_openings(written(tmp_path, f"# a comment\n\n{line}\n"), pgn=False)
    assert (opening.fen, None if opening.accrued is None else str(opening.accrued)) == (fen, accrued)


@pytest.mark.parametrize(
    ("text", "plies", "moves", "accrued"),
    [
        ('[Event "x"]\n[Komi "G4.25"]\n\n1. e4 c5 2. Nf3 *\n', None, ("e2e4", "c7c5", "g1f3"), None),
        ('[Event "x"]\n[Komi "G4.25"]\n\n1. e4 c5 2. Nf3 *\n', 2, ("e2e4", "c7c5"), None),
        ('[Event "x"]\n[Komi "G4.25"]\n\n1. e4 c5 2. Nf3 *\n', 0, (), None),
        (f'[FEN "{HELD}"]\n[Komi "G4.25"]\n\n30. Bh3 *\n', None, ("f5h3",), "G4.0"),
    ],
)
def test_games_are_openings_with_their_moves_their_komi_and_what_has_accrued(
    tmp_path: Path, text: str, plies: int | None, moves: tuple[str, ...], accrued: str | None
) -> None:
    (opening,) = read_openings(written(tmp_path, text), pgn=True, most_plies=plies)
    assert (opening.moves, str(opening.komi)) == (moves, "G4.25")
    assert [move.uci() for move in opening.game().board.move_stack] == list(moves)
    if accrued is not None:
        assert str(opening.game().accrued) == accrued
        assert fen_of(opening.game()).endswith(f"33 30 {accrued}")


@pytest.mark.parametrize(
    ("text", "pgn", "complaint"),
    [
        ("", False, "no openings"),
        ("", True, "no openings"),
        ("not a position", False, "line 1"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", False, r"line 1: the game is over \(checkmate\)"),
        ('[Event "x"]\n\n1. e4 *\n\n[Event "y"]\n\n1. e5 *\n', True, "game 2: ply 1: illegal move"),
        ('[Event "x"]\n[Variant "Atomic"]\n\n1. e4 *\n', True, "no rules for the variant"),
    ],
)
def test_an_opening_that_cannot_be_played_is_named(tmp_path: Path, text: str, pgn: bool, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        read_openings(written(tmp_path, text), pgn=pgn, chess960="Variant" in text)


@given(st.integers(1, 30), st.integers(0, 90), st.integers(0, 5))
def test_random_order_takes_every_opening_before_any_comes_again(count: int, needed: int, seed: int) -> None:
    places = ordered(count, needed, order=OpeningOrder.RANDOM, start=1, seed=seed)
    assert len(places) == needed
    for first in range(0, needed - count + 1, count):
        assert sorted(places[first : first + count]) == list(range(count))
    assert places == ordered(count, needed, order=OpeningOrder.RANDOM, start=1, seed=seed)
    assert len({tuple(ordered(10, 10, order=OpeningOrder.RANDOM, start=1, seed=each)) for each in range(5)}) == 5
