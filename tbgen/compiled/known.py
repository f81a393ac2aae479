"""What kernels there are for which purpose (`kernels.json`, written by `scripts/kernels.py`), and which are missing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from tbgen.compiled.folders import compiled_kernels, package_of

PATH = Path(__file__).parent / "kernels.json"


class Purpose(Enum):
    """What kernels are needed for."""

    TABLES = "tables without pawns"
    PAWNS = "tables with pawns"
    RECORDS = "records"
    PAWN_RECORDS = "records of tables with pawns"
    DIGESTS = "digests"
    PROOFS = "proofs"
    PAWN_PROOFS = "proofs of tables with pawns"
    SAMPLES = "proofs of samples"
    PAWN_SAMPLES = "proofs of samples of tables with pawns"
    HOLDS = "holds"
    POSITIONS = "positions with more men than tables have"
    GAMES = "games"
    SEARCH = "search"
    ANSWERS = "answers of a server"


@dataclass(frozen=True)
class Known:
    """A kernel, and what types it is called with."""

    module: str
    name: str
    takes: tuple[str, ...]
    calls: tuple[str, ...]
    """Kernels that are compiled into it; it is best compiled after them."""

    @property
    def package(self) -> str:
        return package_of(self.module)


@cache
def groups() -> dict[str, list[str]]:
    """The types of the fields of each group that kernels are called with."""
    found: dict[str, list[str]] = json.loads(PATH.read_text())["groups"]
    return found


@cache
def known(purpose: Purpose) -> tuple[Known, ...]:
    """The kernels of a purpose, those first that take longest to compile."""
    facts = json.loads(PATH.read_text())["kernels"].get(purpose.value, [])
    return tuple(Known(each["module"], each["name"], tuple(each["takes"]), tuple(each["calls"])) for each in facts)


def missing(purposes: Iterable[Purpose]) -> list[Known]:
    """What is not compiled yet of the kernels of some purposes."""
    wanted = list(dict.fromkeys(kernel for purpose in purposes for kernel in known(purpose)))
    there = {package: Counter(compiled_kernels(package)) for package in {kernel.package for kernel in wanted}}
    needed = Counter((kernel.package, kernel.name) for kernel in wanted)
    return [each for each in wanted if there[each.package][each.name] < needed[each.package, each.name]]
