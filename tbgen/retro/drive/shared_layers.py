"""Shared layers: a thick layer of a class, worked on by all threads together.

The words listed are cut into spans at multiples of 4,096 words, so that no item of a bitmap of words, or of its
summary, has words of two of them: threads then write to different items, and no locks are needed. With two threads each
takes every second span. Only marking predecessors writes anywhere in the block: for that each thread but the first has
a worklist of its own, which is merged into the forcer's afterwards. Which cells join does not depend on the cuts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from tbgen._jit import borrowing
from tbgen.arrays import Int
from tbgen.retro.drive.task import Task
from tbgen.retro.levels.classes import check_defender_cells, join_class, mark_before_members
from tbgen.retro.levels.forcer import LAYER, SWEEPS, Forcer
from tbgen.retro.levels.packing import label_from
from tbgen.retro.levels.stages import NO_LIMIT
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.worklist import TOP, Span, Worklist, add_bits, list_words, new_worklist, take_bits

THICK = 1 << 13
"""Layers of more words than this are shared: some milliseconds of work."""

MOST_THREADS = 8
"""More threads than this would only wait for memory, it is assumed; two were measured."""

SPANS_PER_THREAD = 16
"""A layer is cut into so many spans at most for each thread: neighbouring spans take about the same time."""

WORTH_A_SPAN = 1 << 12
"""Words of a span that take much longer than to hand it out."""


@borrowing
def list_all_words(worklist: Worklist) -> int:
    """`list_words` for Python."""
    return list_words(worklist)


@borrowing
def check_span(block: Block, forcer: Forcer, span: Span) -> None:
    """`check_defender_cells` for Python."""
    check_defender_cells(block, forcer, span)


@borrowing
def join_span(
    block: Block, forcer: Forcer, values: BlockValues, side: Int, worklist: Worklist, span: Span, label: Int
) -> None:
    """`join_class` for Python."""
    join_class(block, forcer, values, side, worklist, span, label)


@borrowing
def mark_before_span(block: Block, forcer: Forcer, side: Int, worklist: Worklist, span: Span, target: Worklist) -> None:
    """`mark_before_members` for Python."""
    mark_before_members(block, forcer, side, worklist, span, target)


@borrowing
def merge_span(source: Worklist, span: Span, target: Worklist) -> None:
    """Move the bits of some of the words listed in one worklist to another."""
    for n in range(span.first, span.end):
        word = np.int64(source.words[n])
        add_bits(target, word, take_bits(source, word))


def sharing_threads(threads: int) -> int:
    """How many threads share a layer."""
    return min(threads, MOST_THREADS)


def private_worklists(geometry: Geometry, threads: int) -> list[Worklist]:
    """A worklist for each thread but the first."""
    return [new_worklist(geometry.words) for _ in range(sharing_threads(threads) - 1)]


# An item of `summary` stands for 4,096 words. Two threads that add words of one item would each read it, set a bit and
# write it back, and one of the bits could be lost; so the cuts are at multiples of 4,096.
def cut_words(worklist: Worklist, size: int, spans: int) -> list[Span]:
    """Cut the listed words into so many spans of about the same size, at multiples of 4,096 words."""
    words = worklist.words[:size]
    firsts = words[np.arange(1, spans) * size // spans] >> int(TOP) << int(TOP)
    cuts = sorted({0, size, *np.searchsorted(words, firsts).tolist()})
    return [Span(*cut) for cut in itertools.pairwise(cuts)]


class SharedLayers:
    """The threads of a task that share the layers of its only block."""

    def __init__(self, task: Task, block: Block, values: BlockValues, private: Sequence[Worklist]) -> None:
        self.task, self.block, self.values, self.private = task, block, values, private
        self.most = THICK if task.threads > 1 else NO_LIMIT
        self.men = [np.zeros(task.layout.others, np.int64) for _ in range(sharing_threads(task.threads))]

    def finish_layer(self, forcer: Forcer, rank: int) -> None:
        """What `classes.finish_layer` does, by all threads."""
        side, label = forcer.side, int(label_from(rank, int(forcer.state[LAYER])))
        self._check(forcer)
        others, own = list_all_words(forcer.yielding), list_all_words(forcer.joining)
        self._join(forcer, 1 - side, forcer.yielding, others, label)
        self._join(forcer, side, forcer.joining, own, label)
        self._mark_before(forcer, side, forcer.joining, own, forcer.checked)
        self._mark_before(forcer, 1 - side, forcer.yielding, others, forcer.joining)
        forcer.state[LAYER] += 1
        forcer.state[SWEEPS] += 1

    def _check(self, forcer: Forcer) -> None:
        def job(thread: int, span: Span, own: Worklist) -> None:
            check_span(self.block, forcer._replace(men=self.men[thread], yielding=own), span)

        self._share(forcer.checked, list_all_words(forcer.checked), job, forcer.yielding)

    def _join(self, forcer: Forcer, side: int, worklist: Worklist, size: int, label: int) -> None:
        def job(thread: int, span: Span, own: Worklist) -> None:
            join_span(self.block, forcer, self.values, side, worklist, span, label)

        self._share(worklist, size, job, worklist)

    def _mark_before(self, forcer: Forcer, side: int, worklist: Worklist, size: int, target: Worklist) -> None:
        def job(thread: int, span: Span, own: Worklist) -> None:
            marks = self.private[thread - 1] if thread else own
            mark_before_span(self.block, forcer._replace(men=self.men[thread]), side, worklist, span, marks)

        self._share(worklist, size, job, target)
        for private in self.private:
            self._merge(private, target)

    def _merge(self, private: Worklist, target: Worklist) -> None:
        def job(thread: int, span: Span, own: Worklist) -> None:
            merge_span(private, span, own)

        self._share(private, list_all_words(private), job, target)

    def _share(
        self, worklist: Worklist, size: int, job: Callable[[int, Span, Worklist], None], target: Worklist
    ) -> None:
        """Have the threads do a job for all spans of the words listed.

        A thread gives it the target with a size of its own, which counts the words that it newly marks there, if any.
        """
        if size == 0:
            return
        threads = len(self.men)
        spans = cut_words(worklist, size, min(max(threads, size // WORTH_A_SPAN), SPANS_PER_THREAD * threads))

        def work(thread: int) -> int:
            own = target._replace(size=np.zeros(1, np.int64))
            for span in spans[thread::threads]:
                job(thread, span, own)
            return int(own.size[0])

        target.size[0] += sum(self.task.pool.map(work, range(min(len(spans), threads))))
