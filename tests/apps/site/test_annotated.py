from __future__ import annotations

import re

import html5lib

from tbgen.apps.games.annotate import annotate
from tbgen.apps.games.game import PgnGame
from tbgen.apps.games.reader import games_in
from tbgen.apps.site.alone import annotated_page
from tbgen.probe import Tablebase

GAME = (
    '[White "Ann <b>"]\n[Black "Bob & Co"]\n[Event "Open"]\n[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]\n\n'
    "30. Bg4 Kf4 31. Kd5 *\n\n"
)


def page(tables: Tablebase, text: str) -> str:
    found = annotated_page(
        [annotate(tables, game) for game in games_in(text) if isinstance(game, PgnGame)], "games.pgn"
    )
    html5lib.HTMLParser(strict=True).parse(found)
    return found


def test_a_page_of_one_game_has_its_plies_its_board_and_what_was_given_away(tables: Tablebase) -> None:
    found = page(tables, GAME)
    assert "<h1>Ann &lt;b&gt; – Bob &amp; Co</h1>" in found
    assert "<b>" not in found.replace("<body>", "")
    assert len(re.findall("<tr.*?</tr>", found)) == 5
    assert len(re.findall("<rect[^>]*><title>", found)) == 4
    assert 'data-steps="f5g4 g5f4 e6d5" data-scores="0 G4.0' in found
    assert 'data-fen="8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"' in found
    assert "gives G1.5 away to Black; Ke5 kept it" in found
    assert not re.search(r'(?:src|href)="(?!#|data:)', found)


def test_a_page_of_several_games_lists_them_and_counts_those_that_no_table_knows(tables: Tablebase) -> None:
    found = page(tables, GAME + GAME + "1. e4 *\n\n")
    assert "<h1>games.pgn</h1>" in found
    assert found.count('<h2 id="game-') == 2
    assert "Of 1 other game no table knows a position." in found
