"""Holds: proofs that a side keeps a score for ever, with any number of men and without tables.

Named for what it does, since `tbgen.hold` is the function (docs/adr/0130-holding-is-the-package.md).
"""

from __future__ import annotations

from tbgen.holding.answers import Bracket as Bracket
from tbgen.holding.answers import Holding as Holding
from tbgen.holding.answers import HoldVerdict as HoldVerdict
from tbgen.holding.answers import Proof as Proof
from tbgen.holding.goals import Goal as Goal
from tbgen.holding.ladder import bracket as bracket
from tbgen.holding.ladder import hold as hold
from tbgen.holding.proving import check_strategy as check_strategy
from tbgen.holding.strategy import Rung as Rung
from tbgen.holding.strategy import Strategy as Strategy
from tbgen.holding.strategy import parse_strategy as parse_strategy
