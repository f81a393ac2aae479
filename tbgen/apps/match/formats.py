"""The format of a tournament makes the next games of a match of the results so far.

A format is a pure function. It gives the games of a stage, and is asked again when all of them have
been played. The stage of a round robin, gauntlet or pyramid is the whole match.
"""

from __future__ import annotations

from tbgen.apps.match.knockout import bracket_of
from tbgen.apps.match.schedule import (
    MatchStage,
    Results,
    everyone_with_everyone,
    everyone_with_those_before,
    seeds_with_others,
    whole_schedule,
)
from tbgen.apps.match.settings import Format, Tournament
from tbgen.apps.match.swiss import swiss_stage


def next_games(plan: Tournament, results: Results) -> MatchStage:
    """The stage that is being played; it is empty when the tournament is over."""
    match plan.format:
        case Format.ROUND_ROBIN:
            return whole_schedule(plan, results, everyone_with_everyone(plan.players))
        case Format.GAUNTLET:
            return whole_schedule(plan, results, seeds_with_others(plan.players, plan.seeds))
        case Format.PYRAMID:
            return whole_schedule(plan, results, everyone_with_those_before(plan.players))
        case Format.KNOCKOUT:
            _, stage = bracket_of(plan, results)
            return stage
        case Format.SWISS:
            return swiss_stage(plan, results)
