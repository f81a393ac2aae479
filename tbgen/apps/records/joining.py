"""Joining: what several runs of `tbgen compare` have written of different tables, as one run would have written it.

And choosing the positions that are shown.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from tbgen.apps.records.two_games import gain_in_points
from tbgen.errors import UsageError
from tbgen.score import Mobility, Outcome, parse_score
from tbgen.storage.files import every_material

SHOWN: Final = 20

_PARTS: Final = ("tables", "longest", "positions")


def read_comparison(path: Path) -> dict[str, Any]:
    """What `tbgen compare -o` has written."""
    try:
        facts: Any = json.loads(path.read_bytes())
        joined([facts])
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{path} is not a file that `tbgen compare -o` has written") from error
    return {part: facts[part] for part in _PARTS}


def joined(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All of it, tables in build order; of a table that several have, the first."""
    order = {str(material): place for place, material in enumerate(every_material())}
    tables: dict[str, Mapping[str, Any]] = {}
    for table in (table for part in parts for table in part["tables"]):
        tables.setdefault(table["material"], table)
    positions = {each["fen"]: each for part in parts for each in part["positions"]}
    return {
        "tables": sorted(tables.values(), key=lambda table: order[table["material"]]),
        "longest": {
            str(game): _longest((way for part in parts for way in part["longest"][str(game)]), order)
            for game in Mobility
        },
        "positions": sorted(positions.values(), key=lambda each: order[each["material"]]),
    }


def _longest(ways: Iterable[Mapping[str, Any]], order: Mapping[str, int]) -> list[Mapping[str, Any]]:
    """The longest way to each outcome, best for White first; of equal ones that of the first table."""
    found: dict[Outcome, Mapping[str, Any]] = {}
    for way in sorted(ways, key=lambda way: (-way["dtg"], order[way["material"]])):
        found.setdefault(parse_score(way["outcome"]).outcome, way)
    return [found[outcome] for outcome in sorted(found, reverse=True)]


def shown(positions: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Positions of all kinds in turn, of each kind those where the games are farthest apart; at most one of a table.

    A kind is what the reset that matters is and does, and which side gains by it.
    """
    kinds = defaultdict[tuple[str, bool], list[Mapping[str, Any]]](list)
    for each in sorted(positions, key=_interest):
        kinds[(each["reset"] or "").partition(",")[0], _gain_of(each) > 0].append(each)
    chosen: dict[str, Mapping[str, Any]] = {}
    while kinds and len(chosen) < SHOWN:
        for kind, some in list(kinds.items()):
            new = next((each for each in some if each["material"] not in chosen), None)
            if new is None:
                del kinds[kind]
            elif len(chosen) < SHOWN:
                chosen[new["material"]] = new
    return list(chosen.values())


def _interest(example: Mapping[str, Any]) -> tuple[bool, Fraction, int, str]:
    """The smaller, the more there is to see: a reset that matters, far apart, short lines."""
    plies = example["r_mobility"]["dtg"] + example["whole_game"]["dtg"]
    return example["reset"] is None, -abs(_gain_of(example)), plies, example["fen"]


def _gain_of(example: Mapping[str, Any]) -> Fraction:
    one, other = (parse_score(example[game]["outcome"]).outcome for game in ("r_mobility", "whole_game"))
    return gain_in_points((one, other))
