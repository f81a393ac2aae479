#!/usr/bin/env python3
"""Measure the solver, the probe and the reading of games; --help says how. The parts are in scripts/bench/."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def with_dependencies() -> None:
    """Go on in the project's virtual environment if this Python lacks what tbgen needs."""
    if importlib.util.find_spec("numba") is None:
        python = ROOT / ".venv" / "bin" / "python"
        if not python.exists() or Path(sys.executable) == python:
            raise SystemExit("bench: run ./scripts/test once, which makes the virtual environment")
        os.execv(python, [str(python), __file__, *sys.argv[1:]])


if __name__ == "__main__":
    with_dependencies()
    sys.path.insert(0, str(ROOT))
    from bench.command import main

    main(sys.argv[1:])
