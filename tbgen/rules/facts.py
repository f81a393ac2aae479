"""Facts as JSON: the one encoder of all that programs read. Each score comes with its parts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tbgen.score import with_scores

_PARTS = re.compile(r'\{\s+("holder": [^}]*"rank": -?[0-9]+)\s+\}')
"""The parts of a score, which have a line together."""


def to_json(facts: Any, indent: int | None = None) -> str:
    """Facts as JSON, with a legend of their scores as `scores`; of a list, each item so.

    >>> to_json({"outcome": "G0.5"})
    '{"outcome": "G0.5", "scores": {"G0.5": {"holder": "white", "moves": 0, "check": false, "rank": 1999}}}'
    """
    text = json.dumps(with_scores(facts), indent=indent)
    return text if indent is None else _PARTS.sub(lambda parts: f"{{{' '.join(parts[1].split())}}}", text)


@lru_cache(maxsize=1 << 12)
def parts_of(text: str) -> Mapping[str, Any]:
    """The parts of a score that facts write, nothing of another text.

    >>> parts_of("-G0.0")["rank"], parts_of("Kh4")
    (-2000, {})
    """
    return dict(with_scores({"": text}).get("scores", {}).get(text, {}))
