from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.apps.match.openings import Opening, Openings
from tbgen.apps.match.settings import MatchSettings, OpeningSettings, Tournament
from tbgen.errors import UsageError

HELD = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"


def read_openings(
    path: Path, *, pgn: bool, most_plies: int | None = None, chess960: bool = False
) -> list[Opening]:
    wanted = OpeningSettings(path, pgn=pgn, plies=most_plies)
    openings = Openings(
        MatchSettings(
            (), Tournament(2), openings=wanted, variant="chess960" if chess960 else "chess"
        )
    )
    return [openings.read(number) for number in range(len(openings))]


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
def test_positions_come_from_epd_and_fen(
    tmp_path: Path, line: str, fen: str, accrued: str | None
) -> None:
    (opening,) = read_openings(written(tmp_path, f"# a comment\n\n{line}\n"), pgn=False)
    assert (opening.board.fen(en_passant="fen"), opening.accrued and str(opening.accrued)) == (
        fen,
        accrued,
    )


@pytest.mark.parametrize(
    ("text", "plies", "moves", "accrued"),
    [
        (
            '[Event "x"]\n[Komi "G4.25"]\n\n1. e4 c5 2. Nf3 *\n',
            None,
            ("e2e4", "c7c5", "g1f3"),
            None,
        ),
        ('[Event "x"]\n[Komi "G4.25"]\n\n1. e4 c5 2. Nf3 *\n', 2, ("e2e4", "c7c5"), None),
        ('[Event "x"]\n[Komi "G4.25"]\n\n1. e4 c5 2. Nf3 *\n', 0, (), None),
        (f'[FEN "{HELD}"]\n[Komi "G4.25"]\n\n30. Bh3 *\n', None, ("f5h3",), "G4.0"),
    ],
)
def test_games_are_openings_with_their_moves_their_komi_and_what_has_accrued(
    tmp_path: Path, text: str, plies: int | None, moves: tuple[str, ...], accrued: str | None
) -> None:
    (opening,) = read_openings(written(tmp_path, text), pgn=True, most_plies=plies)
    assert (tuple(move.uci() for move in opening.board.move_stack), str(opening.komi)) == (
        moves,
        "G4.25",
    )
    assert (opening.accrued and str(opening.accrued)) == accrued


@pytest.mark.parametrize(
    ("text", "pgn", "complaint"),
    [
        ("", False, "no openings"),
        ("", True, "no openings"),
        ("not a position", False, "line 1"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", False, r"line 1: the game is over \(checkmate\)"),
        ('[Event "x"]\n\n1. e4 *\n\n[Event "y"]\n\n1. e5 *\n', True, "game 2: ply 1: illegal move"),
        ('[Event "x"]\n[Variant "Shogi"]\n\n1. e4 *\n', True, "no rules for the variant"),
        (
            '[Event "x"]\n[Variant "Atomic"]\n\n1. e4 *\n',
            True,
            "it is of atomic: give -variant atomic",
        ),
    ],
)
def test_an_opening_that_cannot_be_played_is_named(
    tmp_path: Path, text: str, pgn: bool, complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        read_openings(written(tmp_path, text), pgn=pgn, chess960="Variant" in text)


def taken(
    book: Path, needed: int, *, random: bool = True, start: int = 1, seed: int = 0
) -> list[int]:
    """The move numbers of the positions of a book, in the order in which they are played."""
    wanted = OpeningSettings(book, random=random, start=start)
    openings = Openings(MatchSettings((), Tournament(2), openings=wanted), seed)
    return [openings.read(number).board.fullmove_number for number in range(needed)]


def book_of(folder: Path, count: int) -> Path:
    return written(
        folder,
        "".join(f"{SICILIAN} 0 {number}\n" for number in range(1, count + 1)),
        f"{count}.epd",
    )


@pytest.mark.parametrize(
    ("count", "needed", "seed"), [(1, 3, 0), (3, 8, 1), (7, 7, 2), (30, 90, 3)]
)
def test_random_order_takes_every_opening_before_any_comes_again(
    tmp_path: Path, count: int, needed: int, seed: int
) -> None:
    book = book_of(tmp_path, count)
    places = taken(book, needed, seed=seed)
    for first in range(0, needed - count + 1, count):
        assert sorted(places[first : first + count]) == list(range(1, count + 1))
    assert places == taken(book, needed, seed=seed)


def test_seeds_give_other_orders_and_a_book_that_is_used_up_begins_anew(tmp_path: Path) -> None:
    book = book_of(tmp_path, 10)
    assert len({tuple(taken(book, 10, seed=each)) for each in range(5)}) == 5
    assert taken(book_of(tmp_path, 3), 5, random=False, start=2) == [2, 3, 1, 2, 3]


def test_a_random_order_begins_where_start_says(tmp_path: Path) -> None:
    """Machines that share a seed share a book without playing an opening twice."""
    book = book_of(tmp_path, 10)
    order = taken(book, 20, seed=3)
    later = taken(book, 20, seed=3, start=4)
    assert later[:10] == order[3:10] + order[:3]
    assert later[10:] == order[13:] + order[10:13]
