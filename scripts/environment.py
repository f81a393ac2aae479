"""Make or refresh the virtual environment `.venv`; needs nothing but Python.

    environment.py runtime|dev

A stamp, a copy of pyproject.toml, is written last, after a copy of constraints.txt: an environment
without its stamp was interrupted and is made again. A lock lets a second call wait for the first,
and for whatever an interrupted one left running: every process that works on the environment
inherits the locked file as its standard input.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PROJECT = ROOT / "pyproject.toml"
LOG = ROOT / ".venv.log"
LOCK = ROOT / ".venv.lock"
LOCKED = ROOT / "constraints.txt"
"""The versions that the suite was run with; `pip freeze --exclude-editable` wrote them."""
PARTS = {"runtime": ".[report,serve]", "dev": ".[docs,report,serve,study,swiss]"}
BEGINS = {
    "runtime": "setting up {} (once; about half a minute) ...",
    "dev": "setting up {} for development (once; about a minute) ...",
}
OLDEST = (3, 11)


def say(text: str) -> None:
    print(f"tbgen: {text}", file=sys.stderr, flush=True)


def stamp(part: str) -> Path:
    return ENVIRONMENT / f"{part}.stamp"


def stamped_versions(part: str) -> Path:
    return ENVIRONMENT / f"{part}.constraints"


def is_ready(part: str) -> bool:
    """Whether the environment was finished, for these very pyproject.toml and constraints.txt."""
    if not os.access(ENVIRONMENT / "bin" / "python", os.X_OK) or not stamp(part).is_file():
        return False
    if not stamped_versions(part).is_file():
        return False
    if stamped_versions(part).read_bytes() != LOCKED.read_bytes():
        return False
    return stamp(part).read_bytes() == PROJECT.read_bytes()


def was_finished() -> bool:
    """Whether the environment can be brought up to date and need not be made again."""
    python = ENVIRONMENT / "bin" / "python"
    return os.access(python, os.X_OK) and any(stamp(part).is_file() for part in PARTS)


def make(part: str, lock: IO[str]) -> None:
    say(BEGINS[part].format(ENVIRONMENT))
    fresh = not was_finished()
    for name in PARTS:
        stamp(name).unlink(missing_ok=True)
    with LOG.open("w") as log:
        if fresh:
            if ENVIRONMENT.exists():
                shutil.rmtree(ENVIRONMENT)
            run([sys.executable, "-m", "venv", str(ENVIRONMENT)], lock, log)
        pip = [
            str(ENVIRONMENT / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
        ]
        more = (
            tomllib.loads(PROJECT.read_text())["dependency-groups"]["dev"] if part == "dev" else []
        )
        run(
            [*pip, "--no-input", "--constraint", str(LOCKED), *more, "--editable", PARTS[part]],
            lock,
            log,
        )
    for name in ("runtime", part):
        shutil.copyfile(LOCKED, stamped_versions(name))
        unfinished = stamp(name).with_suffix(".partial")
        shutil.copyfile(PROJECT, unfinished)
        unfinished.replace(stamp(name))


def compile_kernels() -> None:
    """Compile the solver, and the slow one of the tests, so that not each process has to."""
    python = str(ENVIRONMENT / "bin" / "python")
    with tempfile.TemporaryDirectory() as folder:
        solve = "from tests.reference.solver import solve; solve('KvK')"
        build = ["-m", "tbgen", "build", "--men", "3", "--jobs", "1", "--data", folder, "--quiet"]
        solvers = [subprocess.Popen([python, *words], cwd=ROOT) for words in (build, ["-c", solve])]
        for process in solvers:
            process.wait()


def run(command: list[str], lock: IO[str], log: IO[str]) -> None:
    subprocess.run(command, cwd=ROOT, stdin=lock, stdout=log, stderr=log, check=True)


def main(part: str) -> int:
    if sys.version_info < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        say(f"Python {oldest} or newer is needed, this is {sys.version.split()[0]}")
        return 1
    try:
        with LOCK.open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_ready(part):
                make(part, lock)
                if part == "dev":
                    compile_kernels()
    except subprocess.CalledProcessError as error:
        sys.stderr.write("".join(LOG.read_text(errors="replace").splitlines(keepends=True)[-10:]))
        say(f"setting up failed at: {' '.join(error.cmd)}")
        say(f"the whole output is in {LOG}; the next call tries again")
        return 1
    except OSError as error:
        say(f"setting up failed: {error}")
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next call starts again")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
