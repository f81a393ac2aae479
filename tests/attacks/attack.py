"""What an attack is, and what the program may say when it is attacked."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from tbgen.errors import TbgenError
from tbgen.text import printable

Attempt = Callable[[random.Random], None]
"""One attempt, as its draw has it.

AssertionError, or whatever else is raised, where the program fails.
"""


def _exit_codes(kind: type[TbgenError]) -> set[int]:
    return {kind.exit_code}.union(*(_exit_codes(each) for each in kind.__subclasses__()))


SAID = {0, *_exit_codes(TbgenError)}
"""Exit codes that say what is wrong; others are those of a crash."""


@dataclass(frozen=True)
class Attack:
    """A way to attack the program."""

    title: str
    sample: int
    """How often the ordinary suite tries it."""
    begin: Callable[[Path, Path, ExitStack], Attempt]
    """Lay out in a folder what all attempts share; another one has the tables of two and three men.
    What is to be closed at the end goes on the stack.
    """
    needs_root: bool = False
    is_load: bool = False
    """It takes half a minute of all cores, so only the slow suite tries it."""

    def draw(self, seed: int, number: int) -> random.Random:
        """What decides everything about one attempt."""
        return random.Random(f"{self.title} {seed} {number}")


def assert_civil(done: CompletedProcess[str]) -> None:
    """A run has said what is wrong in a line for each fault, without a traceback and without
    control characters.
    """
    assert done.returncode in SAID, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr, done.stderr
    for line in (done.stdout + done.stderr).splitlines():
        assert printable(line) == line, ascii(line)


def assert_one_line(error: Exception) -> None:
    """An error of ours says in one line what is wrong."""
    assert len(str(error).splitlines()) == 1, str(error)


def cut_up(data: bytes, draw: random.Random, most: int = 3) -> bytes:
    """Bytes of which a few are others, missing, there again, or in another place."""
    for _ in range(draw.randint(1, most)):
        start, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
        end = min(end, start + draw.choice([1, 1, 1, 8, 100, 10_000]))
        part = data[start:end]
        other = draw.choice(
            [
                b"",
                part * 2,
                bytes(draw.randrange(256) for _ in part[:64]),
                bytes(len(part)),
                part[::-1],
                b"\xff" * len(part),
            ]
        )
        data = data[:start] + other + data[end:]
    return data
