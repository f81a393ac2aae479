"""How good the time is that a build says to be left: at a quarter and at half of each table's time.

    .venv/bin/python scripts/bench/estimates.py [--threads 2] [--slack 1.5] [MATERIAL]...
    .venv/bin/python scripts/bench/estimates.py --log FILE [--slack 1.5]

Builds tables, by default all of two to four men, in a folder of its own; or reads what a build has said in a pipe
(2>FILE), where minutes are whole. Prints what was said against what was left: a line for each table that took a second
or more and of which something had been said by then, and shares by class.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tbgen.cli.watch import QuietWatcher  # noqa: E402
from tbgen.library.build import Built, Settings, build  # noqa: E402
from tbgen.library.costs import class_of  # noqa: E402
from tbgen.library.estimate import Estimate  # noqa: E402
from tbgen.library.survey import Finding  # noqa: E402
from tbgen.material import Material, materials  # noqa: E402

SHARES = (0.25, 0.5)

SAID = re.compile(r"(\w+) \(\d+ of \d+\): .*?, (\d+) s, about (?:(\d+) h )?(?:(\d+) min|(\d+) s) to go$")
TOOK = re.compile(r"(\w+) \(\d+ of \d+\): [\d,]+ positions in ([\d.]+) s$")


@dataclass
class Course:
    """What was said of a table while it was made."""

    said: list[tuple[float, float]] = field(default_factory=list)
    """Seconds from the beginning, and seconds that were said to be left."""
    took: float | None = None

    def factors(self) -> list[float]:
        """What was said to be left at a quarter and at half of the time, against what was left; or nothing."""
        if self.took is None or self.took < 1:
            return []
        return [each for share in SHARES if (each := self._factor(share, self.took)) is not None]

    def _factor(self, share: float, took: float) -> float | None:
        now = share * took
        past = [each for each in self.said if each[0] <= now]
        if not past:
            return None
        when, left = past[-1]
        return (left - (now - when)) / (took - now)


class Listener(QuietWatcher):
    """Notes what is said of a table, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: dict[Material, float] = {}
        self.courses: dict[Material, Course] = {}

    def begins(self, finding: Finding, number: int, total: int) -> None:
        super().begins(finding, number, total)
        self.begun[finding.material], self.courses[finding.material] = time.monotonic(), Course()

    def expects(self, material: Material, estimate: Estimate) -> None:
        super().expects(material, estimate)
        self.courses[material].said.append((0.0, estimate.seconds))

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        elapsed = time.monotonic() - self.begun[material]
        self.courses[material].said.append((elapsed, self._estimates[material].left(elapsed, phase, done)))

    def built(self, built: Built) -> None:
        material = built.finding.material
        self.courses[material].took = time.monotonic() - self.begun[material]


def built_now(wanted: Sequence[Material], threads: int) -> dict[Material, Course]:
    """What is said while some tables are built."""
    listener = Listener()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), wanted, listener, Settings(threads=threads, jobs=1))
    return listener.courses


def read_log(lines: Iterable[str]) -> dict[Material, Course]:
    """What was said in a pipe."""
    courses: dict[Material, Course] = defaultdict(Course)
    for line in map(str.rstrip, lines):
        if match := SAID.match(line):
            name, elapsed, hours, minutes, seconds = match.groups()
            left = 3600 * int(hours or 0) + 60 * int(minutes or 0) + int(seconds or 0)
            courses[Material.parse(name)].said.append((float(elapsed), float(left)))
        elif match := TOOK.match(line):
            courses[Material.parse(match[1])].took = float(match[2])
    return dict(courses)


def print_all(courses: dict[Material, Course], slack: float) -> None:
    """A line for each table, and what of it is within the slack, class by class."""
    by_class: dict[str, list[float]] = defaultdict(list)
    print(f"{'table':10} {'seconds':>8}  said / left at a quarter and at half")
    for material, course in courses.items():
        if factors := course.factors():
            balance, has_pawns = class_of(material)
            by_class[f"{balance.value}{', pawns' if has_pawns else ''}"] += factors
            marks = " ".join(f"{each:6.2f}{' ' if fits(each, slack) else '!'}" for each in factors)
            print(f"{material!s:10} {course.took:8.1f}  {marks}")
    by_class = dict(sorted(by_class.items()))
    for name, factors in {**by_class, "all": [each for group in by_class.values() for each in group]}.items():
        good = sum(fits(each, slack) for each in factors)
        spread = f", {min(factors):.2f} to {max(factors):.2f}" if factors else ""
        print(f"{name}: {good} of {len(factors)} within a factor of {slack}{spread}")


def fits(factor: float, slack: float) -> bool:
    return 1 / slack <= factor <= slack


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="MATERIAL")
    parser.add_argument("--log", type=Path, metavar="FILE", help="what a build has said, instead of building")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--slack", type=float, default=1.5)
    options = parser.parse_args()
    if options.log is not None:
        with options.log.open(encoding="utf-8") as log:
            courses = read_log(log)
    else:
        wanted = [Material.parse(name).canonical() for name in options.names] or materials(4)
        courses = built_now(wanted, options.threads)
    print_all(courses, options.slack)


if __name__ == "__main__":
    main()
