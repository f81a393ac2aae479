"""Facts as JSON: the one encoder of all that programs read. Each score comes with its parts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tbgen.score import Score

_WRITTEN = re.compile(r'"(-?G(?:0|[1-9][0-9]{0,2})\.[05])"')
"""A score as JSON writes it."""
_PARTS = re.compile(r'\{\s+("holder": [^}]*"rank": -?[0-9]+)\s+\}')
"""The parts of a score, which stay on one line."""


def to_json(facts: Any, indent: int | None = None) -> str:
    """Facts as JSON, with a legend of their scores as `scores`.

    Each item of a list has its own legend.

    >>> print(to_json({"outcome": "G0.5"}, indent=1))
    {
     "outcome": "G0.5",
     "scores": {
      "G0.5": {"holder": "white", "moves": 0, "check": false, "rank": 1999}
     }
    }
    """
    if indent is None:
        return _to_line(facts)
    return _PARTS.sub(_on_one_line, json.dumps(with_scores(facts), indent=indent))


def _to_line(facts: Any) -> str:
    """The same on one line, for servers and long lists: facts are encoded once, and not again with
    their scores.

    >>> _to_line([{"own": "G0.5"}]) == json.dumps(with_scores([{"own": "G0.5"}]))
    True
    """
    if isinstance(facts, list):
        items = ", ".join(_to_line(item) for item in facts)
        return f"[{items}]"
    text = json.dumps(facts)
    scores = _scores_in(text)
    if not scores:
        return text
    legend = ", ".join(_entry_of(score) for score in scores)
    return f'{text[:-1]}, "scores": {{{legend}}}}}'


@lru_cache(maxsize=1 << 12)
def _entry_of(score: str) -> str:
    """A score and its parts, as a legend in JSON has them."""
    return f'"{score}": {json.dumps(parts_of(score))}'


def _on_one_line(parts: re.Match[str]) -> str:
    words = " ".join(parts[1].split())
    return f"{{{words}}}"


def with_scores(facts: Any) -> Any:
    """Facts as JSON has them, with the parts of each score in them as `scores`.

    Each item of a list has its own.

    >>> with_scores({"outcome": "-G0.5"})["scores"]
    {'-G0.5': {'holder': 'black', 'moves': 0, 'check': False, 'rank': -1999}}
    """
    if isinstance(facts, list):
        return [with_scores(item) for item in facts]
    scores = _scores_in(json.dumps(facts))
    if not scores:
        return facts
    return {**facts, "scores": {score: {**parts_of(score)} for score in scores}}


def _scores_in(text: str) -> list[str]:
    """The scores in a text of JSON, the best for White first."""
    return sorted(
        set(_WRITTEN.findall(text)), key=lambda score: parts_of(score)["rank"], reverse=True
    )


@lru_cache(maxsize=1 << 12)
def parts_of(text: str) -> Mapping[str, Any]:
    """The parts of a score by its text in JSON; empty for any other text.

    >>> parts_of("-G0.0")["rank"], parts_of("Kh4")
    (-2000, {})
    """
    if _WRITTEN.fullmatch(f'"{text}"') is None:
        return {}
    score = Score(text)
    return {
        "holder": str(score.holder).lower(),
        "moves": score.moves,
        "check": score.check,
        "rank": score.rank,
    }
