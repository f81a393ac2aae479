"""The files of games that a page is made from, and the rules by which it is, in words."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Final

from tbgen.apps.events.standings import Standings
from tbgen.apps.games.dates import Day
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import Source
from tbgen.rules.points import Scheme, Scoring
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.score import Color, Score
from tbgen.system.inputs import PACKED_SUFFIXES
from tbgen.text import counted, in_decimals

_EXAMPLES: Final = (0, 1, 2, 3, 7)
"""The codes of scores whose points a page names: mate, stalemate, G1.0, G1.5 and G3.5."""
_FIFTY: Final = {
    FiftyMoveSetting.NONE: "The fifty-move rule ends no game.",
    FiftyMoveSetting.FIDE: "The fifty-move rule is that of ordinary chess.",
    FiftyMoveSetting.RESET: "A better score restarts the count of the fifty-move rule.",
    FiftyMoveSetting.LEGACY: "The fifty-move rule is that of earlier events (legacy).",
}


@dataclass(frozen=True, eq=False)
class GamesFile:
    """A file of games that has been read once, for the table, the pages and the copy beside them.

    A running match may append games meanwhile.
    """

    path: str
    text: bytes
    """What was read, unpacked."""

    @property
    def name(self) -> str:
        """Its name without a folder and without the ending of a packed file."""
        path = Path(self.path)
        return path.stem if path.suffix in PACKED_SUFFIXES else path.name

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of what was read."""
        return hashlib.sha256(self.text).hexdigest()

    @cached_property
    def changed(self) -> str:
        """When the file was last changed, in words."""
        changed = datetime.fromtimestamp(os.stat(self.path).st_mtime, UTC)
        day = Day(changed.year, changed.month, changed.day)
        return f"{day}, {changed:%H:%M} UTC"


def rules_in_words(standings: Standings, rules: Rules) -> Iterator[str]:
    """The rules of an event, a sentence each."""
    scorings = dict.fromkeys(game.scoring for game in standings.finished)
    for scoring in scorings:
        yield _scoring_in_words(scoring)
    yield (
        "A won game is G0.0. A drawn game has the lowest score since the last capture or pawn "
        "move, and the side that holds it gets more than the other."
    )
    yield from _best_play_in_words(standings)
    if rules.fifty_moves is not None:
        yield _FIFTY[rules.fifty_moves]
    else:
        yield (
            "Unless the tags of a game name another rule, a better score restarts the count of "
            "the fifty-move rule."
        )
    rounds = {game.round_number for game in standings.finished}
    if 0 in rounds and len(rounds) > 1:
        yield "Games of rounds without a number have points, too, and nobody is absent from them."
    yield "Byes, forfeits and draws without moves have the points of the score sheet."
    if standings.by_sheet or standings.skipped:
        yield "A game whose moves cannot be read has the points of the score sheet."
    if standings.unfinished:
        yield "A game without a result does not count yet."


def _scoring_in_words(scoring: Scoring) -> str:
    """A scheme with the points of some scores."""
    scheme = scoring.scheme
    told = f"Points are {scheme.value}"
    if scheme is Scheme.KOMI:
        told += f", with a komi of {scoring.komi}"
    if scheme in (Scheme.KOMI, Scheme.WINNER):
        told += f", and scores from {Score(scoring.cutoff_code, Color.WHITE)} on are alike"
    examples = []
    for code in _EXAMPLES:
        score = Score(code, Color.WHITE)
        examples.append(f"{in_decimals(scoring.points(score)[Color.WHITE])} for {score}")
    return f"{told}: {', '.join(examples)}. The opponent gets the rest of the point."


def _best_play_in_words(standings: Standings) -> Iterator[str]:
    """How games that stopped were decided."""
    sources = Counter(game.source for game in standings.finished)
    yield (
        "Best play continues a game that stopped, if a table has its last position or a solve "
        "proves it. Otherwise the accrued score stands."
    )
    by_best_play = sources[Source.TABLEBASE] + sources[Source.SOLVED]
    if by_best_play:
        verb = "was" if by_best_play == 1 else "were"
        yield f"Best play decided {counted(by_best_play, 'game', 'games')} that {verb} stopped."


def files_in_words(files: Iterable[GamesFile]) -> list[str]:
    """Each file with its time and digest."""
    return [f"{file.name}, changed {file.changed}, SHA-256 {file.digest}" for file in files]
