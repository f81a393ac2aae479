from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.apps.games.tags import Source
from tbgen.apps.match.results import MatchStandings
from tbgen.apps.match.settings import Tournament
from tbgen.apps.match.sheet import Ending
from tbgen.rules.points import Komi, Scheme, Scoring
from tbgen.score import Color, Score
from tests.apps.match.test_schedule import schedule

OUTCOMES = st.builds(Score, st.integers(0, 30), st.sampled_from(list(Color)))


@settings(max_examples=40)
@given(st.integers(2, 4), st.integers(1, 4), st.integers(1, 2), st.booleans(), st.data())
def test_standings_equal_a_plain_recount(
    players: int, games: int, repeat: int, swap: bool, data: st.DataObject
) -> None:
    """Games arrive in any order, and not all of them."""
    pairings = data.draw(
        st.permutations(schedule(Tournament(players, games=games, repeat=repeat, swap=swap)))
    )
    played = pairings[: data.draw(st.integers(0, len(pairings)))]
    scoring = Scoring(data.draw(st.sampled_from(list(Scheme))))
    standings = MatchStandings([f"P{player}" for player in range(players)], scoring)
    results = [(pairing, data.draw(OUTCOMES)) for pairing in played]
    for pairing, outcome in results:
        standings.add(pairing, Ending(outcome, Source.GAME, "normal", "checkmate"))
    for first, second in permutations(range(players), 2):
        mine = [
            (pairing.pair, scoring.points(outcome)[0 if pairing.white == first else 1])
            for pairing, outcome in results
            if {pairing.white, pairing.black} == {first, second}
        ]
        record = standings.record(first, scoring, against=second)
        assert record.games.counts == Counter(points for _, points in mine)
        pairs = [
            [points for each, points in mine if each == pair] for pair in {pair for pair, _ in mine}
        ]
        share_an_opening_with_colours_swapped = repeat == 2 and swap
        whole = [
            sum(each) / 2
            for each in pairs
            if len(each) == 2 and share_an_opening_with_colours_swapped
        ]
        assert record.pairs.counts == Counter(whole)
    ranked = [standings.record(player, scoring).games for player in standings.ranking()]
    shares = [games.points / games.units if games.units else Fraction(0) for games in ranked]
    assert shares == sorted(shares, reverse=True)
    assert sum(games.points for games in ranked) == len(played)


def test_the_komi_of_an_opening_goes_before_that_of_the_match() -> None:
    """G5.0 beats G5.75 but not G4.25."""
    openings = [None, Komi(Color.WHITE, 17)]
    standings = MatchStandings(["Ann", "Bob"], Scoring(Scheme.KOMI), openings.__getitem__)
    for pairing in schedule(Tournament(2, repeat=1)):
        standings.add(pairing, Ending(Score("G5.0"), Source.GAME, "normal", "bare kings"))
    assert [standings.record(player, standings.scoring).games.points for player in range(2)] == [
        2,
        0,
    ]
