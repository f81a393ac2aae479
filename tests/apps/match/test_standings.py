from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.apps.match.play import StoredGame
from tbgen.apps.match.schedule import Tournament, schedule
from tbgen.apps.match.standings import MatchStandings, Result
from tbgen.rules.points import Komi, Scheme, Scoring
from tbgen.score import Color, Score

OUTCOMES = st.builds(Score, st.integers(0, 30), st.sampled_from(list(Color)))


def stored(number: int, outcome: Score) -> StoredGame:
    return StoredGame(number, outcome, "normal", "checkmate", 10)


@settings(max_examples=40)
@given(st.integers(2, 4), st.integers(1, 4), st.integers(1, 2), st.booleans(), st.data())
def test_standings_equal_a_plain_recount(
    players: int, games: int, repeat: int, swap: bool, data: st.DataObject
) -> None:
    """Games arrive in any order, and not all of them."""
    pairings = data.draw(st.permutations(schedule(Tournament(players, games=games, repeat=repeat, swap=swap))))
    played = pairings[: data.draw(st.integers(0, len(pairings)))]
    scoring = Scoring(data.draw(st.sampled_from(list(Scheme))))
    standings = MatchStandings([f"P{player}" for player in range(players)], scoring)
    results = [(pairing, data.draw(OUTCOMES)) for pairing in played]
    for pairing, outcome in results:
        standings.add(Result(pairing, stored(pairing.number, outcome), None))
    for first in range(players):
        for second in range(players):
            if first == second:
                continue
            mine = [
                (pairing.pair, scoring.points(outcome)[0 if pairing.white == first else 1])
                for pairing, outcome in results
                if {pairing.white, pairing.black} == {first, second}
            ]
            record = standings.record(first, scoring, against=second)
            assert sorted(record.games.counts.elements()) == sorted(points for _, points in mine)  # type: ignore[attr-defined]
            pairs: dict[int, list[Fraction]] = {}
            for pair, points in mine:
                pairs.setdefault(pair, []).append(points)
            share_an_opening_with_colours_swapped = repeat == 2 and swap
            whole = [sum(each, Fraction(0)) / 2 for each in pairs.values() if len(each) == 2]
            whole = whole if share_an_opening_with_colours_swapped else []
            assert sorted(record.pairs.counts.elements()) == sorted(whole)  # type: ignore[attr-defined]
    ranked = [standings.record(player, scoring).games for player in standings.ranking()]
    shares = [games.total / games.units if games.units else Fraction(0) for games in ranked]
    assert shares == sorted(shares, reverse=True)
    assert sum(games.total for games in ranked) == len(played)


def test_the_komi_of_an_opening_goes_before_that_of_the_match() -> None:
    (first, second) = schedule(Tournament(2))
    standings = MatchStandings(["Ann", "Bob"], Scoring(Scheme.KOMI))
    outcome = Score(10, Color.WHITE)  # G5.0 beats G5.75 but not G4.25
    standings.add(Result(first, stored(1, outcome), None))
    standings.add(Result(second, stored(2, outcome), Komi(Color.WHITE, 17)))
    assert standings.record(0, standings.scoring).games.total == 2
    assert standings.record(1, standings.scoring).games.total == 0
