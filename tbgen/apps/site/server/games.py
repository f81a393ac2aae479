"""Games: PGN that somebody sends, decided game by game, with the tags that say it."""

from __future__ import annotations

import time
from typing import Any

from tbgen.apps.site.server.answers import error_facts
from tbgen.errors import InputError, PgnError
from tbgen.probe import Tablebase


class OutOfTimeError(Exception):
    """Games that take longer than one request may."""


def decided(tables: Tablebase, text: str, seconds: float) -> dict[str, Any]:
    """Every game with its final score, why it has that, and the tags that say so; or OutOfTimeError."""
    from tbgen.apps.games.archive import GameVerdict, tags_of_verdict
    from tbgen.apps.games.decide import Adjudicator
    from tbgen.apps.games.game import GameSettings
    from tbgen.apps.games.reader import games_in

    adjudicator, settings = Adjudicator(tables), GameSettings()
    games, skipped, end = list[dict[str, Any]](), list[dict[str, Any]](), time.monotonic() + seconds
    for game in games_in(text):
        if time.monotonic() > end:
            raise OutOfTimeError
        if isinstance(game, PgnError):
            skipped.append(error_facts(game))
            continue
        try:
            found = GameVerdict(game, adjudicator.decide_read(game))
        except InputError as error:  # a score that its tags say has accrued, but cannot have
            skipped.append({**error_facts(error), "game": game.number})
            continue
        tags = tags_of_verdict(found, settings)
        games.append({"game": game.number, **found.facts(), "why": found.verdict.why, "tags": tags})
    return {"games": games, "skipped": skipped}
