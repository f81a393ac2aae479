"""Build: from wanted materials to table files, children first.

A table that is sound is left alone; one that is missing, damaged or outdated is made. Each file appears
whole or not at all, so a build that ends at any moment is taken up again by the same call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tbgen import __version__
from tbgen.errors import BuildError, DamagedTableError, MissingTableError, NotEnoughMemoryError, OutdatedTableError
from tbgen.library.manifest import FileRecord, read_manifest, record
from tbgen.material import Material, build_order
from tbgen.score import Color
from tbgen.storage.files import build_lock, path_of, remove_partials
from tbgen.storage.reader import TableFile, digest_of_file
from tbgen.table import Table


class Condition(enum.Enum):
    """What is found where a table should be."""

    SOUND = "sound"
    MISSING = "missing"
    DAMAGED = "damaged"
    OUTDATED = "outdated"


@dataclass(frozen=True)
class Finding:
    """A material's condition, and why if its file cannot be used."""

    material: Material
    condition: Condition
    reason: str = ""


@dataclass(frozen=True)
class Built:
    """A table that was made, its size and what it took."""

    finding: Finding
    positions: int
    bytes: int
    seconds: float
    cpu_seconds: float


class Watcher(Protocol):
    """Who is told how a build goes on; `progress` may be called from any thread, and often."""

    def waiting(self) -> None:
        """Another build is at work in the folder."""

    def compiling(self) -> None:
        """The solver is used for the first time and will be compiled on the way."""

    def begins(self, finding: Finding, number: int, total: int) -> None:
        """The table is now made, as number (from 1) of total."""

    def progress(self, phase: str, level: int | None, done: float, decided: int) -> None:
        """The part of the table's work that is done (0 to 1), and how many positions are decided."""

    def built(self, built: Built) -> None:
        """The table is on the disk."""


def survey(folder: Path, wanted: Iterable[Material]) -> list[Finding]:
    """The condition of every wanted table and of all that it needs, in build order."""
    return [examine(folder, material) for material in build_order(wanted)]


def examine(folder: Path, material: Material) -> Finding:
    """The condition of one table; the file is read whole."""
    try:
        with TableFile(path_of(folder, material)) as file:
            file.check()
    except MissingTableError:
        return Finding(material, Condition.MISSING)
    except DamagedTableError as error:
        return Finding(material, Condition.DAMAGED, error.reason)
    except OutdatedTableError as error:
        return Finding(material, Condition.OUTDATED, f"{error.found} instead of {error.needed}")
    return Finding(material, Condition.SOUND)


def build(
    folder: Path, wanted: Iterable[Material], watcher: Watcher, *, threads: int = 1, memory: int | None = None
) -> list[Finding]:
    """Make what is not sound, and say what was found before; `memory` in bytes, else what the machine has free.

    BuildError if a table cannot be made or written, NotEnoughMemoryError before anything is begun.
    """
    targets = build_order(wanted)
    with _files_of(folder, targets[-1]):
        findings = survey(folder, targets)
    if all(finding.condition is Condition.SOUND for finding in findings):
        with contextlib.suppress(OSError):  # a folder that can only be read stays as it is
            if list(_gaps(folder, findings)):
                with build_lock(folder, watcher.waiting):
                    _complete_manifest(folder, findings)
        return findings
    with _files_of(folder, _to_make(findings)[0].material), build_lock(folder, watcher.waiting):
        remove_partials(folder)
        findings = survey(folder, targets)
        _make_all(folder, findings, watcher, threads, memory)
        _complete_manifest(folder, findings)
    return findings


def _to_make(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.condition is not Condition.SOUND]


def _make_all(folder: Path, findings: list[Finding], watcher: Watcher, threads: int, memory: int | None) -> None:
    work = _to_make(findings)
    if not work:
        return
    _check_memory(work, threads, available_memory() if memory is None else memory)
    for number, finding in enumerate(work, 1):
        watcher.begins(finding, number, len(work))
        try:
            watcher.built(_make(folder, finding, watcher, threads))
        except MemoryError as error:
            reason = "the system has no more memory; fewer threads need less"
            raise BuildError(str(finding.material), reason) from error


def _make(folder: Path, finding: Finding, watcher: Watcher, threads: int) -> Built:
    from tbgen import _jit, retro
    from tbgen.storage.writer import write_table

    material = finding.material
    wall, cpu = time.perf_counter(), time.process_time()
    children = {}
    for child in material.children():
        with TableFile(path_of(folder, child)) as file:
            children[child] = file.values()
    if retro.needs_compiling(material):
        watcher.compiling()
    table: Table = retro.solve(material, children, threads=threads, progress=watcher.progress)
    children.clear()
    watcher.progress("writing", None, 1.0, 0)
    begun = time.perf_counter()
    with _files_of(folder, material):
        path = write_table(folder, table, generator=__version__, source=_jit.source_digest(), threads=threads)
        spent, cpu_spent = time.perf_counter() - wall, time.process_time() - cpu
        phases = {**table.figures.phase_seconds, "writing": round(time.perf_counter() - begun, 3)}
        figures = dataclasses.replace(table.figures, phase_seconds=phases, wall_seconds=spent, cpu_seconds=cpu_spent)
        made = FileRecord.of_build(path.stat().st_size, digest_of_file(path), figures)
        record(folder, material, made)
    positions = sum(table.positions(side) for side in Color)
    return Built(finding, positions, made.bytes, figures.wall_seconds, figures.cpu_seconds)


def _gaps(folder: Path, findings: Iterable[Finding]) -> Iterator[tuple[Material, FileRecord]]:
    """The records that the manifest should have, for sound tables, and does not."""
    known = read_manifest(folder)
    for finding in findings:
        if finding.condition is Condition.SOUND:
            path = path_of(folder, finding.material)
            size, digest = path.stat().st_size, digest_of_file(path)
            found = known.get(str(finding.material))
            if found is None or (found.bytes, found.sha256) != (size, digest):
                yield finding.material, FileRecord(size, digest)


def _complete_manifest(folder: Path, findings: Iterable[Finding]) -> None:
    """Enter sound tables that were copied here, or whose build ended between the file and its record."""
    for material, found in list(_gaps(folder, findings)):
        record(folder, material, found)


@contextlib.contextmanager
def _files_of(folder: Path, material: Material) -> Iterator[None]:
    """Say which file could not be read or written, and why."""
    try:
        yield
    except OSError as error:
        raise BuildError(str(material), f"{error.filename or folder}: {error.strerror or error}") from error


def _check_memory(work: Iterable[Finding], threads: int, available: int | None) -> None:
    from tbgen.retro import memory_needed

    for finding in work:
        needed = memory_needed(finding.material, threads)
        if available is not None and needed > available:
            raise NotEnoughMemoryError(str(finding.material), needed, available)


def available_memory() -> int | None:
    """Bytes that programs can take without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            figures = dict(line.split(":", 1) for line in lines)
        return int(figures["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
