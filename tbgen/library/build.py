"""Build: from wanted materials to table files, children first.

A table that is sound is left alone; one that is missing, damaged or outdated is made. Each file appears
whole or not at all, so a build that ends at any moment is taken up again by the same call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tbgen import __version__
from tbgen.errors import BuildError, NotEnoughMemoryError
from tbgen.library.limits import available_memory, forget_peak, peak_bytes
from tbgen.library.manifest import FileRecord, read_manifest, record
from tbgen.library.survey import Finding, examine, survey
from tbgen.material import Material, build_order
from tbgen.score import Color
from tbgen.storage.files import build_lock, path_of, remove_partials
from tbgen.storage.reader import TableFile
from tbgen.table import Table


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


def build(
    folder: Path, wanted: Iterable[Material], watcher: Watcher, *, threads: int = 1, memory: int | None = None
) -> list[Finding]:
    """Make what is not sound, and say what was found before; `memory` in bytes, else what the machine has free.

    BuildError if a table cannot be made or written, NotEnoughMemoryError before anything is begun.
    """
    targets = build_order(wanted)
    with _files_of(folder, targets[-1]):
        findings = survey(folder, targets)
    work = _to_make(findings)
    if not work:
        with contextlib.suppress(OSError):  # a folder that can only be read stays as it is
            if _gaps(folder, findings):
                with build_lock(folder, watcher.waiting):
                    _complete_manifest(folder, findings)
        return findings
    with _files_of(folder, work[0].material), build_lock(folder, watcher.waiting):
        remove_partials(folder)
        findings = [finding if finding.is_sound else examine(folder, finding.material) for finding in findings]
        _make_all(folder, findings, watcher, threads, memory)
        _complete_manifest(folder, findings)
    return findings


def _to_make(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if not finding.is_sound]


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
    forget_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    if retro.needs_compiling(material):
        watcher.compiling()
    with contextlib.ExitStack() as opened:
        children = {child: opened.enter_context(TableFile(path_of(folder, child))) for child in material.children()}
        table: Table = retro.solve(material, children, threads=threads, progress=watcher.progress)
    watcher.progress("writing", None, 1.0, 0)
    begun = time.perf_counter()
    with _files_of(folder, material):
        written = write_table(folder, table, generator=__version__, source=_jit.source_digest(), threads=threads)
        spent, cpu_spent = time.perf_counter() - wall, time.process_time() - cpu
        phases = {**table.figures.phase_seconds, "writing": round(time.perf_counter() - begun, 3)}
        figures = dataclasses.replace(
            table.figures,
            phase_seconds=phases,
            wall_seconds=spent,
            cpu_seconds=cpu_spent,
            peak_bytes=peak_bytes(),
        )
        made = FileRecord.of_build(written.bytes, written.sha256, figures)
        record(folder, material, made)
    positions = sum(table.positions(side) for side in Color)
    return Built(finding, positions, made.bytes, figures.wall_seconds, figures.cpu_seconds)


def _gaps(folder: Path, findings: Iterable[Finding]) -> list[tuple[Material, FileRecord]]:
    """The records that the manifest should have, for sound tables, and does not."""
    known, gaps = read_manifest(folder), list[tuple[Material, FileRecord]]()
    for finding in findings:
        found, noted = finding.file, known.get(str(finding.material))
        if found and (noted is None or (noted.bytes, noted.sha256) != (found.bytes, found.sha256)):
            gaps.append((finding.material, found))
    return gaps


def _complete_manifest(folder: Path, findings: Iterable[Finding]) -> None:
    """Enter sound tables that were copied here, or whose build ended between the file and its record."""
    for material, found in _gaps(folder, findings):
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
