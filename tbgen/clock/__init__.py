"""What a position is worth when the fifty-move rule leaves few plies. Tables ignore the rule; here it counts."""

from tbgen.clock.within import ClockedValue, Within, is_searched, value_if_asked, value_within

__all__ = ["ClockedValue", "Within", "is_searched", "value_if_asked", "value_within"]
