"""What a command prints on a terminal of some width."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping, Sequence


def shown_on_terminal(
    columns: int, *arguments: str, environment: Mapping[str, str] | None = None
) -> str:
    """The output of the program on a terminal, with `\\n` at the end of a line."""
    return run_on_terminal([sys.executable, "-m", "tbgen", *arguments], columns, environment)[0]


def run_on_terminal(
    command: Sequence[str],
    columns: int,
    environment: Mapping[str, str] | None = None,
    *,
    piped: bool = False,
) -> tuple[str, str]:
    """What a command writes on a terminal, and what to a pipe if its standard output is one."""
    ours, theirs = pty.openpty()
    settings = {"TERM": "xterm", "COLUMNS": str(columns), "LINES": "24", **(environment or {})}
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")
    }
    out = subprocess.PIPE if piped else theirs
    with subprocess.Popen(
        command, stdin=theirs, stdout=out, stderr=theirs, env={**inherited, **settings}
    ) as program:
        os.close(theirs)
        pieces = []
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:  # the other side is closed
                piece = b""
            if not piece:
                break
            pieces.append(piece)
        output = program.stdout.read().decode() if program.stdout is not None else ""
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n"), output
