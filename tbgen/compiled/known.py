"""What kernels there are for which purpose (`kernels.json`, written by `scripts/kernels.py`), and how to compile them.

The compiler works under one lock, so that compiling kernels side by side takes processes. A process is told a kernel at
a time, compiles it into the user's folder, and says so. One that dies, or a kernel that cannot be compiled here, does
no harm: it is compiled when it is called, or fails there.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from tbgen.compiled.folders import compiled_kernels, package_of
from tbgen.system.process import processors

PATH = Path(__file__).parent / "kernels.json"

MOST_PROCESSES = 4
"""More than this wait for the last kernel."""

_OBJECTS = 200_000
"""After how many new objects a process that compiles looks for cycles. Most of what the compiler makes stays until a
kernel is done; looking through it after every 700 took a twelfth of the time."""

Tell = Callable[[int, int], None]
"""Is told how many kernels are compiled, of how many."""


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


def compile_for(purposes: Sequence[Purpose], tell: Tell) -> None:
    """Compile what is missing for some purposes."""
    wanted = missing(purposes)
    if wanted:
        compile_all(wanted, tell)


def compile_all(wanted: Sequence[Known], tell: Tell) -> None:
    """Compile some kernels."""
    processes = min(processors(), MOST_PROCESSES, len(wanted))
    queue = _Queue(wanted, tell)
    threads = [threading.Thread(target=_feed, args=(queue,), daemon=True) for _ in range(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class _Queue:
    """Kernels to be compiled, handed out to whoever is free, and each after those that are compiled into it.

    Kernels of a module share helpers, which a process types and lowers once: it is given those of a module that it has
    had before, else those of one that nobody else has had.
    """

    def __init__(self, wanted: Sequence[Known], tell: Tell) -> None:
        self._waiting, self._done, self._total = list(wanted), 0, len(wanted)
        self._at_work: list[Known] = []
        self._hands: dict[str, object] = {}
        self._changed = threading.Condition()
        self._tell = tell
        tell(0, self._total)

    def take(self, hand: object) -> Known | None:
        """A kernel for a process to compile now; None when there is none left."""
        with self._changed:
            while self._waiting:
                ahead = {f"{each.module}:{each.name}" for each in (*self._waiting, *self._at_work)}
                free = [each for each in self._waiting if not ahead.intersection(each.calls)]
                if free or not self._at_work:
                    kernel = min(free or self._waiting, key=lambda each: self._strangeness(each, hand))
                    self._hands.setdefault(kernel.module, hand)
                    self._waiting.remove(kernel)
                    self._at_work.append(kernel)
                    return kernel
                self._changed.wait()
            return None

    def _strangeness(self, kernel: Known, hand: object) -> int:
        known_to = self._hands.get(kernel.module)
        return 0 if known_to is hand else 1 if known_to is None else 2

    def done(self, kernel: Known) -> None:
        """Nobody is at work on a kernel any more."""
        with self._changed:
            self._at_work.remove(kernel)
            self._done += 1
            self._tell(self._done, self._total)
            self._changed.notify_all()


def _feed(queue: _Queue) -> None:
    """Have a process compile one kernel after the other."""
    import subprocess  # commands that find their kernels compiled do without

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-P", "-m", "tbgen.compiled.known"]  # -P: not the sources of the folder we are in
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        while kernel := queue.take(process):
            try:
                process.stdin.write(json.dumps(asdict(kernel)) + "\n")
                process.stdin.flush()
                process.stdout.readline()
            except OSError:
                pass  # the process is gone; what is left is compiled when it is called
            finally:
                queue.done(kernel)


def compile_one(kernel: Known) -> None:
    """Compile a kernel, or find it compiled."""
    from tbgen.compiled.groups import read

    dispatcher: Any = getattr(importlib.import_module(kernel.module), kernel.name)
    dispatcher.compile(tuple(read(text, groups()) for text in kernel.takes))


def load_for(purpose: Purpose) -> None:
    """Have the kernels of a purpose at hand in this process, compiled if they must be."""
    for kernel in known(purpose):
        compile_one(kernel)


def _serve() -> None:
    """What a process does: compile what it is told to, until there is nothing more."""
    import gc

    gc.set_threshold(_OBJECTS)
    for line in sys.stdin:
        with contextlib.suppress(Exception):  # whoever calls the kernel will see
            compile_one(Known(**json.loads(line)))
        print(flush=True)


if __name__ == "__main__":
    _serve()
