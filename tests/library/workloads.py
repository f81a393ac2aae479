"""Workers that go wrong; in a module of its own, so that other processes can import it."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from tbgen.library.workers import BuiltTable, make_table

VICTIM = "KNvK"


def dies(folder: Path, name: str, *rest: Any, once: bool) -> BuiltTable:
    """As make_table, but whoever is to make the victim is killed, or the first one alone."""
    mark = folder / "killed"
    if name == VICTIM and not (once and mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return make_table(folder, name, *rest)


def writes_elsewhere(folder: Path, *rest: Any) -> BuiltTable:
    """As make_table, in a folder of the same name on another machine."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    return make_table(elsewhere, *rest)
