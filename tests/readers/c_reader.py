"""The reader in C: built with the system's compiler, and asked."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

SOURCE = Path(__file__).with_name("reader.c")


def compiler() -> str | None:
    """A C compiler that finds the header of libzstd, or None."""
    found = shutil.which("cc")
    if found is None:
        return None
    tried = subprocess.run([found, "-E", "-xc", "-"], input="#include <zstd.h>", capture_output=True, text=True)
    return found if tried.returncode == 0 else None


class Reader:
    """The compiled program."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "reader"
        flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror"]
        subprocess.run([str(compiler()), *flags, "-o", str(self.program), str(SOURCE), "-lzstd"], check=True)

    def ask(self, tables: Path, lines: Iterable[str]) -> list[str]:
        """An answer for each line `FEN;accrued`: `outcome;plies`, or `error: ...`."""
        text = "".join(f"{line}\n" for line in lines)
        run = subprocess.run([self.program, tables], input=text, capture_output=True, text=True)
        answers = run.stdout.splitlines()
        assert (run.returncode, run.stderr) == (int(any(map(is_refusal, answers))), "")
        return answers

    def verify(self, *files: Path) -> list[str]:
        """What it says of whole files."""
        run = subprocess.run([self.program, "--verify", *files], capture_output=True, text=True)
        said = run.stdout.splitlines()
        assert (run.returncode, run.stderr) == (int(any(map(is_refusal, said))), "")
        return said


def is_refusal(answer: str) -> bool:
    return answer.startswith("error: ")
