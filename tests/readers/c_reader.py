"""The reader in C (clients/c): built with the system's compiler, and asked."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.project import ROOT

CLIENT = ROOT / "clients" / "c"
STRICT = ("-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror")
SANITIZED = (*STRICT, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
RACES = (*STRICT, "-g", "-fsanitize=thread")


def compiler() -> str | None:
    """A C compiler that finds the header of libzstd, or None."""
    found = shutil.which("cc")
    if found is None:
        return None
    tried = subprocess.run(
        [found, "-E", "-xc", "-"], input="#include <zstd.h>", capture_output=True, text=True
    )
    return found if tried.returncode == 0 else None


def build(program: Path, source: Path, flags: Iterable[str]) -> Path:
    """Compile a program together with the reader."""
    sources = (str(source), str(CLIENT / "tbgen_reader.c"))
    words = [
        str(compiler()),
        *flags,
        f"-I{CLIENT}",
        "-o",
        str(program),
        *sources,
        "-lzstd",
        "-lpthread",
    ]
    subprocess.run(words, check=True)
    return program


class Reader:
    """The compiled program."""

    def __init__(self, folder: Path, flags: Iterable[str] = STRICT) -> None:
        self.program = build(folder / "probe", CLIENT / "probe.c", flags)

    def ask(self, tables: Path, lines: Iterable[str]) -> list[str]:
        """An answer for each line `FEN;accrued`: `outcome;plies`, or `error: ...`."""
        text = "".join(f"{line}\n" for line in lines)
        return self._said([str(tables)], text)

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
