"""The events of some games, by the tag `Event`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from tbgen.apps.games.event_game import EventGame
from tbgen.errors import TbgenError, UsageError
from tbgen.text import counted

_MOST_EVENTS = 6
"""The most events that a sentence names."""


def names_of_events(games: Iterable[EventGame]) -> str:
    """The events of some games with their numbers of games, in words."""
    events = Counter(game.event for game in games)
    names = []
    for name, number in events.most_common(_MOST_EVENTS):
        names.append(f'"{name or "?"}" ({counted(number, "game", "games")})')
    if len(events) > _MOST_EVENTS:
        names.append(counted(len(events) - _MOST_EVENTS, "other", "others"))
    return ", ".join(names)


def by_event(games: Iterable[EventGame]) -> dict[str, list[EventGame]]:
    """Event -> its games, in the order of the file; names differ in more than case.

    Unreadable games without an event are with the first event, because the damage may have taken
    their tags.
    """
    names: dict[str, str] = {}
    events: dict[str, list[EventGame]] = {}
    nameless = list[EventGame]()
    for game in games:
        if game.fault is not None and not game.event:
            nameless.append(game)
            continue
        name = names.setdefault(game.event.casefold(), game.event)
        events.setdefault(name, []).append(game)
    if nameless:
        first = next(iter(events), "")
        events.setdefault(first, []).extend(nameless)
    return events


def faults_of_event(
    faults: Iterable[TbgenError], games: Iterable[EventGame], chosen: Iterable[EventGame]
) -> list[TbgenError]:
    """The faults without those of games in other events than the chosen ones.

    An unreadable game that has lost its event may be of any event.
    """
    elsewhere = {str(game.fault) for game in games if game.fault is not None and game.event}
    elsewhere -= {str(game.fault) for game in chosen}
    return [fault for fault in faults if str(fault) not in elsewhere]


def games_of_event(games: Sequence[EventGame], name: str) -> list[EventGame]:
    """The games whose tag Event has this name, in any case; `*` stands for any text.

    UsageError names the events if there are none.
    """
    wanted = " ".join(name.casefold().split())
    pattern = re.compile(".*".join(map(re.escape, wanted.split("*"))))
    chosen = [game for game in games if pattern.fullmatch(game.event.casefold())]
    if not chosen:
        raise UsageError(f'no game has the event "{name}"; there are {names_of_events(games)}')
    return chosen
