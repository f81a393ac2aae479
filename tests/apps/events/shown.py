"""The page of an event, made from games that are in no file."""

from __future__ import annotations

from tbgen.apps.events.pages import EventSite
from tbgen.apps.events.standings import Standings
from tbgen.apps.games.rules import Rules
from tbgen.probe import Tablebase


def page_of(standings: Standings) -> str:
    """The first page of a folder with this event alone."""
    with Tablebase(missing_ok=True) as tables:
        return EventSite([standings], [], Rules(), tables).first_page()
