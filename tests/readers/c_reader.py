"""The reader in C (clients/c): built with the system's compiler, and asked."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from tests.project import ROOT

CLIENT = ROOT / "clients" / "c"
STRICT = ("-std=c11", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror")
SANITIZED = (*STRICT, "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
RACES = (*STRICT, "-O1", "-g", "-fsanitize=thread")
SHARED = (*STRICT, "-fPIC", "-shared")

VALUES = ()
"""The program answers with outcome and distance."""
SEARCH = ("--search",)
"""With the outcome alone, as a search asks."""
MOVES = ("--moves",)
"""With all legal moves."""


def compiler() -> str | None:
    """A C compiler that finds the header of libzstd, or None; the variable CC names another one."""
    found = shutil.which(os.environ.get("CC", "cc"))
    if found is None:
        return None
    tried = subprocess.run(
        [found, "-E", "-xc", "-"], input="#include <zstd.h>", capture_output=True, text=True
    )
    return found if tried.returncode == 0 else None


needs_compiler = pytest.mark.skipif(
    compiler() is None,
    reason="no C compiler with libzstd on this system (Debian's packages are gcc and libzstd-dev)",
)


_objects = tempfile.TemporaryDirectory()


@functools.cache
def reader_object(flags: tuple[str, ...]) -> Path:
    """The reader alone, compiled once for all programs of a module."""
    target = Path(tempfile.mkdtemp(dir=_objects.name)) / "reader.o"
    source = str(CLIENT / "tbgen_reader.c")
    subprocess.run([str(compiler()), *flags, "-c", "-o", str(target), source], check=True)
    return target


def build(target: Path, flags: tuple[str, ...], *sources: str) -> Path:
    """Link programs of clients/c with the reader, or the reader alone as a shared library."""
    compiled = [flag for flag in flags if flag != "-shared"]
    inputs = [str(CLIENT / name) for name in sources]
    inputs.append(str(reader_object(tuple(compiled))))
    words = [str(compiler()), *flags, "-o", str(target), *inputs, "-lzstd", "-lpthread"]
    subprocess.run(words, check=True)
    return target


class Reader:
    """The compiled program probe.c."""

    def __init__(self, folder: Path, flags: tuple[str, ...] = STRICT) -> None:
        self.program = build(folder / "probe", flags, "probe.c")

    def ask(self, tables: Path, lines: Iterable[str], options: Sequence[str] = VALUES) -> list[str]:
        """An answer for each line `FEN;accrued`, as the options say, or `error: ...`."""
        text = "".join(f"{line}\n" for line in lines)
        return self._said([*options, str(tables)], text)

    def verify(self, *files: Path) -> list[str]:
        """What it says of whole files."""
        return self._said(["--verify", *map(str, files)], "")

    def _said(self, words: list[str], text: str) -> list[str]:
        run = subprocess.run(
            [self.program, *words], input=text, capture_output=True, text=True, timeout=60
        )
        said = run.stdout.splitlines()
        assert (run.returncode, run.stderr) == (int(any(map(is_refusal, said))), "")
        return said


def is_refusal(answer: str) -> bool:
    return answer.startswith("error: ")
