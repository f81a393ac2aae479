"""Writing: the files of a site, made again only where what they are made of has changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import tbgen
from tbgen.storage.files import write_whole

NOTES: Final = ".written.json"
"""In a site, what each file was made of, and its digest."""

_MAKERS: Final = ("*.py", "apps/records/**/*", "apps/site/**/*", "board/*.py", "rules/*.py")
"""The files of the program that have a say in what pages look like."""
_SUFFIXES: Final = (".py", ".html", ".css", ".js", ".svg", ".csv")
"""Caches are left out: they come and go while other processes compile."""


@dataclass(frozen=True)
class Batch:
    """Files that are made together, of the same inputs."""

    names: tuple[str, ...]
    inputs: Any
    """What the files depend on beside the program, as JSON takes it."""
    texts: Callable[[], Iterable[str | bytes]]


class Tally(NamedTuple):
    """How many files a site has, and how many of them are new or have changed."""

    files: int
    written: int


Tell = Callable[[int, int], None]
"""Is told how many files are done, of how many."""


def unheard(done: int, total: int) -> None:
    """Nobody is told."""


def write_batches(batches: Iterable[Batch], folder: Path, tell: Tell = unheard) -> Tally:
    """Write what is not there as it would be written now."""
    notes, found, written = _read(folder / NOTES), dict[str, list[str]](), 0
    batches = list(batches)
    total = sum(len(batch.names) for batch in batches)
    for batch in batches:
        inputs = sha256(json.dumps([_program(), batch.inputs]).encode()).hexdigest()
        if all(_is_there(folder / name, notes.get(name), inputs) for name in batch.names):
            found.update((name, notes[name]) for name in batch.names)
        else:
            for name, text in zip(batch.names, batch.texts(), strict=True):
                found[name] = [inputs, _write(folder / name, text)]
                written += 1
        tell(len(found), total)
    if {**notes, **found} != notes:
        _write(folder / NOTES, json.dumps({**notes, **found}, indent=1, sort_keys=True) + "\n")
    return Tally(len(found), written)


def _write(path: Path, text: str | bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_whole(path, [text.encode() if isinstance(text, str) else text]).sha256


def _is_there(path: Path, note: Any, inputs: str) -> bool:
    """Whether a file is as it was written, of these inputs."""
    if not isinstance(note, list) or len(note) != 2 or note[0] != inputs:
        return False
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == note[1]


def _read(path: Path) -> dict[str, Any]:
    """The notes of the last time; none if there are none that can be read, and then all is written."""
    try:
        notes = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return notes if isinstance(notes, dict) else {}


@cache
def _program() -> str:
    """A digest of the program that makes pages: templates, styles, scripts, and the code that fills them."""
    package = Path(tbgen.__file__).parent
    digest = sha256(f"chess {version('chess')} jinja2 {version('jinja2')}".encode())
    files = {path for pattern in _MAKERS for path in package.glob(pattern) if path.suffix in _SUFFIXES}
    for path in sorted(files):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
