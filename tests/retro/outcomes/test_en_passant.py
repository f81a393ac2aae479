"""What an accrued score is worth beside a reset that does not forget it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tbgen.retro.outcomes.en_passant import fold_hold
from tbgen.retro.words.block import new_best
from tbgen.score import Color, Score

CODES = st.integers(0, 60)
SIDES = st.sampled_from(Color)


@given(SIDES, CODES, SIDES, CODES)
def test_a_score_stays_where_the_best_reset_has_no_lower_code(
    mover: Color, own: int, winner: Color, code: int
) -> None:
    """The side to move has been held to `own`; its best reset leads to a score of either side."""
    best = new_best(1)
    best.outcome[0] = Score(code, winner).signed
    fold_hold.py_func(best, int(mover), 0, own)  # type: ignore[attr-defined]
    assert Score.from_signed(int(best.outcome[0])) == (
        Score(code, winner) if code < own else Score(own, mover.other)
    )
