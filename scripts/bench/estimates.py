"""How good the time is that a build says to be left: at a quarter and at half of each table's time.

    .venv/bin/python scripts/bench/estimates.py [--threads 2] [--slack 1.5] [MATERIAL]...

Builds tables, by default all of two to four men, in a folder of its own, and prints what was said against what was
left, a line for each table that took a second or more.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tbgen.cli.watch import QuietWatcher  # noqa: E402
from tbgen.library.build import Built, Settings, build  # noqa: E402
from tbgen.library.estimate import Estimate  # noqa: E402
from tbgen.library.survey import Finding  # noqa: E402
from tbgen.material import Material, materials  # noqa: E402

SHARES = (0.25, 0.5)


class Listener(QuietWatcher):
    """Notes what is said of a table, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: dict[Material, float] = {}
        self.said: dict[Material, list[tuple[float, float]]] = {}
        self.took: dict[Material, float] = {}

    def begins(self, finding: Finding, number: int, total: int) -> None:
        super().begins(finding, number, total)
        self.begun[finding.material], self.said[finding.material] = time.monotonic(), []

    def expects(self, material: Material, estimate: Estimate) -> None:
        super().expects(material, estimate)
        self.said[material].append((0.0, estimate.seconds))

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        elapsed = time.monotonic() - self.begun[material]
        self.said[material].append((elapsed, self._estimates[material].left(elapsed, phase, done)))

    def built(self, built: Built) -> None:
        self.took[built.finding.material] = time.monotonic() - self.begun[built.finding.material]

    def factor(self, material: Material, share: float) -> float:
        """What was said to be left at a share of the time, against what was left."""
        now = share * self.took[material]
        when, left = [each for each in self.said[material] if each[0] <= now][-1]
        return (left - (now - when)) / (self.took[material] - now)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="MATERIAL")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--slack", type=float, default=1.5)
    options = parser.parse_args()
    wanted = [Material.parse(name).canonical() for name in options.names] or materials(4)
    listener = Listener()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), wanted, listener, Settings(threads=options.threads, jobs=1))
    good = total = 0
    print(f"{'table':8} {'seconds':>8}  said / left at a quarter and at half")
    for material, took in listener.took.items():
        if took >= 1:
            factors = [listener.factor(material, share) for share in SHARES]
            within = [1 / options.slack <= each <= options.slack for each in factors]
            good, total = good + sum(within), total + len(within)
            marks = " ".join(f"{each:6.2f}{' ' if fits else '!'}" for each, fits in zip(factors, within, strict=True))
            print(f"{material!s:8} {took:8.1f}  {marks}")
    print(f"{good} of {total} within a factor of {options.slack}")


if __name__ == "__main__":
    main()
