"""The rules by which games are scored and decided."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tbgen.apps.games.tags import NO_TAGS, GameTags
from tbgen.errors import expect, expect_number
from tbgen.rules.points import Komi, Scheme, Scoring, expect_komi, expect_scheme
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting, expect_setting
from tbgen.score import MOST_CODE, Mobility


class Continue(enum.Enum):
    """Which games are continued by best play."""

    NEVER = "never"
    UNLESS_OVER = "unless-over"
    ALWAYS = "always"
    """Also games that a repetition, the fifty-move rule or bare kings have ended."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by which games are scored and decided. For None the tags of a game decide, then the
    default.

    A scheme and the fifty-move rule may be given by their names, and a komi as it is written.
    """

    scheme: Scheme | None = None
    cutoff_code: int | None = None
    komi: Komi | None = None
    fifty_moves: FiftyMoveSetting | None = None
    mobility: Mobility = Mobility.RESET
    """Whether resets replace the accrued score; no tag names it."""
    continued: Continue = Continue.UNLESS_OVER

    def __post_init__(self) -> None:
        if self.scheme is not None:
            self._set("scheme", expect_scheme(self.scheme, "scheme"))
        if self.komi is not None:
            self._set("komi", expect_komi(self.komi, "komi"))
        if self.fifty_moves is not None:
            self._set("fifty_moves", expect_setting(self.fifty_moves, "fifty_moves"))
        if self.cutoff_code is not None:
            expect_number(self.cutoff_code, "cutoff_code", 0, MOST_CODE)
        expect(self.continued, Continue, "continued", "a Continue such as Continue.ALWAYS")

    def _set(self, name: str, value: object) -> None:
        """Replace a name by its value in this frozen object, while it is made."""
        object.__setattr__(self, name, value)

    def scoring(self, tags: GameTags = NO_TAGS) -> Scoring:
        """The scheme of the points of a game."""
        default = Scoring()
        cutoff_code = self.cutoff_code
        if cutoff_code is None:
            cutoff_code = tags.cutoff_code
        if cutoff_code is None:
            cutoff_code = default.cutoff_code
        return Scoring(
            self.scheme or tags.scheme or default.scheme,
            cutoff_code,
            self.komi or tags.komi or default.komi,
        )

    def fifty(self, tags: GameTags = NO_TAGS) -> FiftyMoves:
        """The fifty-move rule of a game."""
        setting = self.fifty_moves or tags.fifty_moves or FiftyMoveSetting.RESET
        return FiftyMoves(setting, self.scoring(tags).cutoff_code)
