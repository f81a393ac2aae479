"""Statuses: what kernels say went wrong, as errors."""

from __future__ import annotations

from tbgen.errors import BuildError, RepresentationError
from tbgen.material import Material
from tbgen.retro.levels.forcer import FORCED_TWICE, INTERNER_FULL, QUEUE_FULL, STATUS, TOO_FAR, TOO_HIGH
from tbgen.retro.levels.histories import OVERFLOWED
from tbgen.retro.levels.worker import Worker


def check_status(material: Material, status: int) -> None:
    """Raise what a kernel's status means, if it means anything."""
    if status == TOO_FAR:
        raise RepresentationError(f"a distance of {material}", "the solver's lists of distances")
    if status == INTERNER_FULL:
        raise RepresentationError(f"the number of patterns of {material}", "the solver's dictionary")
    if status == QUEUE_FULL:
        raise RepresentationError(f"the number of positions of {material} to look at", "the solver's queues")
    if status == TOO_HIGH:
        raise RepresentationError(f"an outcome of {material}", "the signed byte of a stored table")
    if status == FORCED_TWICE:
        reason = "both sides force a position: the solver contradicts itself, please report it"
        raise BuildError(str(material), reason)
    if status:
        reason = "a child table has no value for a position that a capture or promotion leads to"
        raise BuildError(str(material), reason)


def check_worker(material: Material, worker: Worker) -> None:
    """Raise what went wrong in a worker."""
    interners = (worker.white.interner, worker.black.interner, worker.pairs)
    check_status(material, INTERNER_FULL if any(interner.state[OVERFLOWED] for interner in interners) else 0)
    check_status(material, int(worker.white.state[STATUS] or worker.black.state[STATUS]))
