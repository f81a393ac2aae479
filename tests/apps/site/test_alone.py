"""Annotated games on a page that stands alone."""

from __future__ import annotations

import re

import pytest

from tbgen.apps.games.annotate import annotate
from tbgen.apps.games.read import PgnGame, games_in
from tbgen.apps.pages.standalone import annotated_page
from tbgen.errors import PgnError
from tbgen.probe import Tablebase
from tests.apps.site.faults import parsed

GAME = """[White "Ann <b>"]
[Black "Bob & Co"]
[Event "Open"]
[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]

30. Bg4 Kf4 31. Kd5 *

"""


def annotated(tables: Tablebase, text: str) -> str:
    found = annotated_page(
        [annotate(tables, game) for game in games_in(text) if isinstance(game, PgnGame)],
        "games.pgn",
    )
    parsed(found)
    return found


def test_a_page_of_one_game_has_its_plies_its_board_and_what_was_given_away(
    tables: Tablebase,
) -> None:
    found = annotated(tables, GAME)
    assert "<h1>Ann &lt;b&gt; – Bob &amp; Co</h1>" in found
    assert "<b>" not in found.replace("<body>", "")
    assert len(re.findall("<tr.*?</tr>", found)) == 5
    assert len(re.findall("<rect[^>]*><title>", found)) == 4
    assert 'data-steps="f5g4 g5f4 e6d5" data-scores="0 G4.0' in found
    assert 'data-fen="8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"' in found
    assert "gives G1.5 away to Black; Ke5 kept it" in found
    assert not re.search(r'(?:src|href)="(?!#|data:)', found)


def test_a_step_of_castling_moves_the_rook_too(tables: Tablebase) -> None:
    short = "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O O-O *\n\n"
    assert "h1f1,e1g1 h8f8,e8g8" in annotated(tables, short)
    tags = '[Variant "Chess960"]\n[FEN "4k3/8/8/8/8/8/8/1RK3R1 w GB - 0 1"]\n\n'
    assert 'data-steps="b1d1,c1c1"' in annotated(tables, f"{tags}1. O-O-O *\n\n")
    assert 'data-steps="g1f1,c1g1"' in annotated(tables, f"{tags}1. O-O *\n\n")


@pytest.mark.parametrize(
    ("variant", "moves"),
    [
        ("Crazyhouse", "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. @d6"),
        ("Three-check", "1. e4 d5 2. Bb5+"),
    ],
)
def test_a_game_of_a_variant_has_its_moves_and_its_last_board(
    tables: Tablebase, variant: str, moves: str
) -> None:
    found = annotated(tables, f'[Variant "{variant}"]\n\n{moves} *\n\n')
    assert moves in found
    assert found.count('<svg class="board"') == 1
    assert 'data-steps="' not in found


def test_a_page_of_several_games_lists_them_also_those_that_no_table_knows(
    tables: Tablebase,
) -> None:
    found = annotated(tables, GAME + GAME + "1. e4 *\n\n")
    assert "<h1>games.pgn</h1>" in found
    assert found.count('<h2 id="game-') == 3
    assert "no table knows a position of this game" in found


def test_a_page_of_games_names_those_that_were_left_out() -> None:
    fault = PgnError("games.pgn", "illegal move 'Ke3'", number=7, ply=3)
    assert "games.pgn, game 7, ply 3" in annotated_page([], "games.pgn", [fault])
