"""Endings of games, as openings for matches."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.openings import print_endings

MOVES = "1. e4 {book} d5 {book, mb=+0} 2. exd5 {d=9, wv=%s, R50=50} Qxd5 {d=9, wv=0.10} 3. Nc3 "


@pytest.mark.parametrize(("value", "is_even"), [("0.19", True), ("-0.31", False), ("-M7", False)])
def test_an_ending_is_the_first_position_of_few_men_that_both_players_call_even(
    value: str, is_even: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = ""
    for result, variant in (("1/2-1/2", "normal"), ("1-0", "normal"), ("1/2-1/2", "chess 960")):
        games += f'[Event "x"]\n[Result "{result}"]\n[Variant "{variant}"]\n\n'
        games += f"{MOVES % value}{result}\n\n"
    file = tmp_path / "games.pgn"
    file.write_text(games)
    print_endings(9, [file], men=30)
    ending = "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR w KQkq -\n"
    assert capsys.readouterr().out == (ending if is_even else "")
