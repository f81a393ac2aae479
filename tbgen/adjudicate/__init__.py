"""Adjudication: what a game is scored with, by its own rules, by best play or by its result."""

from tbgen.adjudicate.decide import AdjudicationRules, Adjudicator, Continue
from tbgen.adjudicate.verdict import Source, Verdict

__all__ = ["AdjudicationRules", "Adjudicator", "Continue", "Source", "Verdict"]
