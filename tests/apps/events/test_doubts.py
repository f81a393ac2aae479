"""Games and pairings that stand twice in the files of an event are said."""

from __future__ import annotations

import contextlib

import pytest

from tbgen.apps.events.doubts import doubts_of
from tbgen.apps.events.standings import Standings
from tbgen.apps.games.batch import GamesDecider, GamesTask
from tbgen.apps.games.text import chunks_of

GAME = '[Event "Cup"]\n[Round "{number}"]\n[White "{white}"]\n[Black "{black}"]\n'
PLAYED = GAME + '[Result "1/2-1/2"]\n\n1. e4 {reply} 1/2-1/2\n\n'
TO_PLAY = GAME + '[Result "*"]\n\n*\n\n'
BYE = '[Event "Cup"]\n[Round "2"]\n[White "Ann"]\n[Black "bye"]\n[Result "1-0"]\n\n1-0\n\n'


def played(number: str, white: str = "Ann", black: str = "Bob", reply: str = "e5") -> str:
    return PLAYED.format(number=number, white=white, black=black, reply=reply)


def to_play(number: str, white: str = "Ann", black: str = "Bob") -> str:
    return TO_PLAY.format(number=number, white=white, black=black)


def said(*texts: str) -> list[str]:
    """What standings say of some files with these games."""
    games = []
    with contextlib.closing(GamesDecider(GamesTask(texts=False, results=True))) as decider:
        for number, text in enumerate(texts, 1):
            name = f"day{number}.pgn"
            for chunk in chunks_of([text.encode()], name):
                games += decider.decide(chunk, name).results
    return list(doubts_of(Standings(games)))


def test_a_game_that_stands_twice_is_named_with_its_places() -> None:
    text = played("1") + played("2", "Bob", "Ann") + played("1")
    assert said(text) == ['"Ann" - "Bob", round 1, games 1 and 3, stands twice and counts twice']


def test_files_with_the_same_games_are_named() -> None:
    text = played("1") + played("2", "Bob", "Ann")
    (sentence,) = said(text, text)
    assert sentence == (
        '2 games stand twice and count twice, such as "Ann" - "Bob", round 1, '
        "game 1 of day1.pgn and game 1 of day2.pgn"
    )


def test_a_pairing_beside_its_game_is_named() -> None:
    text = to_play("1.1") + played("1.1") + to_play("2.1", "Bob", "Ann")
    assert said(text) == ['"Ann" - "Bob", round 1.1, has a result, and stands without one, too']


@pytest.mark.parametrize(
    "text",
    [
        played("1") + played("2"),
        played("1") + played("1", "Bob", "Ann"),
        played("1") + played("1", reply="e6 2. d4"),
        played("1") + BYE + BYE,
        to_play("1") + to_play("2"),
    ],
)
def test_games_that_differ_are_not_held_for_one(text: str) -> None:
    assert said(text) == []
