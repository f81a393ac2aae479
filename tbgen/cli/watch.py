"""How a build is shown: a piece of work for each table, and one for them all."""

from __future__ import annotations

from typing import Self

from tbgen.cli.reporter import Reporter, Work
from tbgen.errors import TbgenError
from tbgen.library.build import Built, Watcher
from tbgen.library.costs import seconds_left
from tbgen.library.survey import Condition, Finding
from tbgen.material import Material

_FORECAST_SECONDS = 60.0
_TABLES, _LOOKING, _COMPILING = "tables", "looking at what is there", "compiling kernels, once"


class BuildWatcher(Watcher):
    """Tells a reporter of a build, and keeps what was built; see tbgen.library.build.Watcher."""

    def __init__(self, reporter: Reporter | None = None) -> None:
        self.made: list[Built] = []
        self.has_lock = False
        self._reporter = Reporter() if reporter is None else reporter
        self._works: dict[Material | str, Work] = {}
        self._expected: dict[Material, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Say nothing any more, whatever the threads of a build still find out."""
        self._reporter.close()

    def examines(self, material: Material, number: int, total: int) -> None:
        self._work(_LOOKING, total).reach(number, detail=str(material))

    def waiting(self) -> None:
        self._reporter.say("another build is at work in this folder; waiting for it to end ...")

    def compiles(self, done: int, total: int) -> None:
        self._work(_COMPILING, total, at_once=True).reach(done)
        if done == total:
            self._end(_COMPILING)

    def begins(self, finding: Finding, number: int, total: int) -> None:
        material = finding.material
        self.has_lock = True
        if finding.condition in (Condition.DAMAGED, Condition.OUTDATED):
            self._reporter.say(f"{material} is {finding.condition.value} ({finding.reason}); building it again")
        self._end(_LOOKING)
        self._reporter.open()
        self._work(_TABLES, total).every = _FORECAST_SECONDS
        work = self._works[material] = self._reporter.work(f"{material} ({number} of {total})", 1, as_share=True)
        self._reporter.log(f"{work.title} ...")
        work.reach(0)

    def expects(self, material: Material, seconds: float) -> None:
        self._expected[material] = seconds

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        work, expected = self._works.get(material), self._expected.get(material)
        if work is None:
            return
        left = None
        if expected is not None:
            left = seconds_left(expected, work.elapsed, phase, done)
            done = work.elapsed / max(work.elapsed + left, 1e-9)
        work.reach(done, detail=describe(phase, level, decided), left=left)

    def built(self, built: Built) -> None:
        self.made.append(built)
        title = self._works[built.finding.material].title
        self._end(built.finding.material)
        self._reporter.log(f"{title}: {built.positions:,} positions in {built.seconds:.1f} s")

    def again(self, material: Material, reason: str) -> None:
        self._reporter.say(f"{material}: the process that made it was lost ({reason}); building it once more")

    def failed(self, error: TbgenError) -> None:
        self._reporter.say(f"{error}; going on with the tables that do not need it")

    def forecast(self, seconds: float) -> None:
        if _TABLES in self._works:
            tables = [work.left or 0 for key, work in list(self._works.items()) if key != _TABLES]
            self._works[_TABLES].reach(len(self.made), left=max(seconds, *tables, 0))  # never less than one of them

    def _work(self, title: str, total: int, *, at_once: bool = False) -> Work:
        """The piece of work with a title, which begins if it has not."""
        if title not in self._works:
            self._works[title] = self._reporter.work(title, total, at_once=at_once)
        return self._works[title]

    def _end(self, key: Material | str) -> None:
        if key in self._works:
            self._reporter.end(self._works.pop(key))


def describe(phase: str, level: int | None, decided: int) -> str:
    """The work in progress.

    >>> describe("levels", 7, 1234567)
    'levels G3.5, 1,234,567 positions decided'
    """
    where = phase if level is None else f"{phase} G{level // 2}.{5 * (level % 2)}"
    return f"{where}, {decided:,} positions decided" if decided else where
