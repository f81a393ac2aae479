"""What a command prints on a terminal of some width."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping


def shown_on_terminal(columns: int, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """The output of the program on a terminal, with `\\n` at the end of a line."""
    ours, theirs = pty.openpty()
    settings = {"TERM": "xterm", "COLUMNS": str(columns), "LINES": "24", **(environment or {})}
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    command = [sys.executable, "-m", "tbgen", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env={**inherited, **settings}):
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
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")
