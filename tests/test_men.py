"""Men of chess, and men of your own."""

from __future__ import annotations

import itertools
import pickle

import chess
import pytest

from tbgen.betza import LEAPS, moves_of, rays_in, walks_from
from tbgen.errors import UsageError
from tbgen.men import Man, Role, name_of_men, number_of, own_men


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (["M"], "he never moves"),
        (["M="], "he never moves"),
        (["M=X"], "no move is called 'X'"),
        (["M=wF"], "no move is called 'w'"),
        (["MM=W"], "a letter, =, and his moves"),
        (["m=W"], "a letter, =, and his moves"),
        (["Q=W"], "the letter is one of"),
        (["M=WFNL"], "24 directions, and tables take at most 16"),
        (["M=RD"], "one square in two ways"),
        (["M=DFAAB"], "one square in two ways"),
        (["M=FFWW"], "Q is Q already"),
        (["M=WF", "M=W"], "M is WF already"),
        (["M=WF", "C=FW"], "M is WF already"),
    ],
)
def test_what_defines_no_man_is_refused_with_the_reason(texts: list[str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        own_men(texts)
    assert repr(texts[-1]) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("M=FW", "WF"),
        ("G=NNW", "WNN"),
        ("S=NB", "BN"),
        ("D=DDBB", "BDD"),
        ("L=CZ", "LJ"),
        ("M=KF", "WF"),
        ("M=WK", "WF"),
        ("C=CC", "LL"),
        ("X=KB", "WB"),
        ("F=KB", "WB"),
        ("H=GHAD", "DAHG"),
    ],
)
def test_a_man_of_ones_own_is_his_letter_and_his_rays(text: str, moves: str) -> None:
    man = Man.parse(text)
    assert man.letter == text[0]
    assert man.moves == moves
    assert man.name == f"{text[0]}={moves}"
    assert man == Man(text[0], rays_in(moves)) == Man.parse(man.name)
    assert pickle.loads(pickle.dumps(man)) == man
    assert hash(man) == hash(Man.parse(man.name))
    assert man != Man.parse(f"{text[0]}=H")
    with pytest.raises(ValueError, match="is no man of chess"):
        number_of(man)


def test_every_choice_of_leaps_and_riders_has_one_text() -> None:
    for letters in itertools.combinations(LEAPS, 3):
        for moves in ("".join(letters), "".join(2 * letter for letter in letters)):
            text = moves_of(rays_in(moves))
            assert rays_in(text) == rays_in(moves)
            assert moves_of(reversed(rays_in(moves))) == text


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.PAWN])
def test_men_of_chess_go_where_python_chess_has_them_go(role: Role) -> None:
    for square in chess.SQUARES:
        board = chess.Board(None)
        board.set_piece_at(square, chess.Piece(number_of(role), chess.WHITE))
        reached = [to for walk in walks_from(square, role.rays) for to in walk]
        assert sorted(reached) == list(board.attacks(square))


def test_men_stand_in_the_order_of_names() -> None:
    men = own_men(["Z=W", "A=F", "M=D"])
    assert name_of_men(men) == "A=F,M=D,Z=W"
    assert sorted([*men, *Role], reverse=True) == [*reversed(Role), *men]
    assert men[0] <= Role.PAWN
    assert men[0] > men[1]
    with pytest.raises(TypeError):
        assert men[0] < "M=D"
