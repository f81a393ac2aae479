from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.match.formats import next_games
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.settings import Format, Tournament
from tbgen.errors import UsageError

PLANS = st.builds(
    Tournament,
    players=st.integers(2, 9),
    games=st.integers(1, 6),
    rounds=st.integers(1, 4),
    repeat=st.integers(1, 4),
    format=st.sampled_from([Format.ROUND_ROBIN, Format.GAUNTLET, Format.PYRAMID]),
)


def schedule(plan: Tournament) -> list[Pairing]:
    """All games of a tournament whose schedule is known at once."""
    return list(next_games(plan, {}).values())


def players_of(pairing: Pairing) -> frozenset[int]:
    assert pairing.black is not None
    return frozenset((pairing.white, pairing.black))


def meetings(plan: Tournament) -> Counter[frozenset[int]]:
    return Counter(map(players_of, schedule(plan)))


@given(PLANS)
def test_everyone_meets_everyone_equally_often_with_alternating_colours_in_pairs(
    plan: Tournament,
) -> None:
    everyone = range(plan.players)
    pairings = schedule(plan)
    expected = {
        frozenset((first, second))
        for first in everyone
        for second in everyone
        if first < second and (plan.format is not Format.GAUNTLET or first < plan.seeds)
    }
    assert meetings(plan) == dict.fromkeys(expected, plan.games * plan.rounds)
    assert [pairing.number for pairing in pairings] == list(range(1, len(pairings) + 1))
    firsts = list(dict.fromkeys(pairing.opening for pairing in pairings))
    assert firsts == list(range(len(firsts)))
    encounters: dict[object, list[tuple[int, int | None]]] = {}
    for pairing in pairings:
        for key in (players_of(pairing), pairing.pair):
            encounters.setdefault(key, []).append((pairing.white, pairing.black))
    assert all(
        first == second[::-1] for games in encounters.values() for first, second in pairwise(games)
    )
    assert all(len(games) <= 2 for key, games in encounters.items() if isinstance(key, int))


@given(PLANS)
def test_an_opening_is_repeated_as_often_as_was_asked(plan: Tournament) -> None:
    times = Counter(pairing.opening for pairing in schedule(plan))
    games = plan.games * plan.rounds
    full, rest = divmod(games, plan.repeat)
    expected = Counter([plan.repeat] * full)
    if rest:
        expected[rest] += 1
    assert Counter(times.values()) == {
        size: count * len(meetings(plan)) for size, count in expected.items()
    }


@pytest.mark.parametrize(
    "plan", [Tournament(2, games=10**9), Tournament(2, rounds=10**9), Tournament(3000)]
)
def test_a_match_that_nobody_can_play_is_refused_at_once(plan: Tournament) -> None:
    with pytest.raises(UsageError, match="1,000,000 is the most"):
        schedule(plan)
