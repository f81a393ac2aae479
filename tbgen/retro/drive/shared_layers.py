"""Shared layers: each forcer has a thread, and a thick layer of one is worked on by all threads together.

With two threads a layer is shared once the other forcer is done with the accrued code; until then both are busy. Which
cells join does not depend on who works on which words: a step reads what it does not write, or what its own words hold.

The words listed are cut into spans at multiples of 4,096 words, so that no item of a bitmap of words, or of its
summary, has words of two of them: threads then write to different items. With two threads each takes every second
span. Marks go anywhere in the block: for them each thread but the first has a worklist of its own, which is merged into
the forcer's afterwards. Only what is neither needs a lock: the histories and the agenda of a middle.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints
from tbgen.compiled.jit import borrowing
from tbgen.retro.drive.task import Task
from tbgen.retro.levels.classes import check_defender_cells, join_class, mark_before_members
from tbgen.retro.levels.forcer import (
    LAYER,
    MEMO_LABEL,
    MOST,
    NO_LIMIT,
    NO_MEMO,
    RANK,
    SHARED,
    STATUS,
    SWEEPS,
    TURN,
    Forcer,
)
from tbgen.retro.levels.middles import check_cells, join_cells, recheck_cells
from tbgen.retro.levels.one_code import advance_middle, spread_class
from tbgen.retro.levels.packing import label_from
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.quiet import Neighbours, new_neighbours
from tbgen.retro.words.worklist import TOP, Span, Worklist, add_bits, list_words, new_worklist, take_bits

THICK = 1 << 13
"""Layers of more words than this are shared: some milliseconds of work."""

MOST_THREADS = 8
"""More threads than this would only wait for memory, it is assumed; two were measured."""

SPANS_PER_THREAD = 16
"""A layer is cut into so many spans at most for each thread: neighbouring spans take about the same time."""

WORTH_A_SPAN = 1 << 12
"""Words of a span that take much longer than to hand it out."""

RECHECK_STEP, CHECK_STEP, JOIN_STEP = range(3)
"""The steps of a middle's layer, one after the other. One kernel has them all: apart they would compile twice."""

Job = Callable[[int, Span, Worklist], None]
"""What a thread does with some of the words listed, and where it marks."""


class OwnScratch(NamedTuple):
    """Scratch space of a forcer that each thread has for itself."""

    men: Ints
    latest: Ints
    neighbours: Neighbours


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
def share_middle(block: Block, forcer: Forcer, step: Int, span: Span, code: Int) -> None:
    """A step of a middle's layer for Python; `joining` and `joining_next` are in their places."""
    label = label_from(forcer.state[RANK], forcer.state[LAYER])
    if step == RECHECK_STEP:
        recheck_cells(block, forcer, forcer.joining_next, span, forcer.joining, label, code)
    elif step == CHECK_STEP:
        check_cells(block, forcer, span, forcer.joining_next, label, code)
    else:
        join_cells(block, forcer, forcer.joining, span, label, code)


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


def _new_own_scratch(task: Task) -> OwnScratch:
    return OwnScratch(np.zeros(task.layout.others, np.int64), np.zeros(64, np.int64), new_neighbours())


def _own_forcer(forcer: Forcer, own: OwnScratch) -> Forcer:
    """The forcer as one of the threads has it that share a layer."""
    state = forcer.state.copy()
    state[SHARED], state[MEMO_LABEL] = 1, NO_MEMO
    return forcer._replace(**own._asdict(), state=state)


class SharedLayers:
    """The threads of a task that share the layers of its only block."""

    def __init__(self, task: Task, block: Block, values: BlockValues, private: Sequence[Worklist]) -> None:
        self.task, self.block, self.values, self.private = task, block, values, private
        self.most = THICK if task.threads > 1 else NO_LIMIT
        self.most_at_first = THICK if task.threads > 2 else NO_LIMIT
        self.own = [_new_own_scratch(task) for _ in range(sharing_threads(task.threads))]

    def advance(self, forcers: Sequence[Forcer], code: int) -> None:
        """Each forcer's class at an accrued code, and the middle after it; each on a thread, but for thick layers."""
        for forcer in forcers:
            forcer.state[MOST] = self.most_at_first
        steps = [self._advance(forcer, forcers[1 - forcer.side], code) for forcer in forcers]
        while steps:
            left = list(self.task.pool.map(lambda step: next(step, None), steps))
            steps = [step for step, finish in zip(steps, left, strict=True) if finish]
            for finish in filter(None, left):
                finish()

    def _advance(self, forcer: Forcer, other: Forcer, code: int) -> Iterator[Callable[[], None]]:
        """An accrued code of one forcer, and what finishes the layers that it leaves to all threads."""
        while not spread_class(self.block, forcer, self.values, code):
            yield partial(self.finish_class_layer, forcer, code)
        if self.task.game.forgets and code:  # else nothing breaks a hold: the largest kernel is not even loaded
            while not advance_middle(self.block, forcer, code):
                yield partial(self.finish_middle_layer, forcer, code + 1)
        other.state[MOST] = self.most  # the other may be at work just now: it looks at this before each layer

    def finish_class_layer(self, forcer: Forcer, rank: int) -> None:
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

    def finish_middle_layer(self, forcer: Forcer, code: int) -> None:
        """What `middles.finish_layer` does, by all threads."""
        joining, joining_next = forcer.joining, forcer.joining_next
        if forcer.state[TURN]:
            joining, joining_next = joining_next, joining
        turned = forcer._replace(joining=joining, joining_next=joining_next)
        threads = [_own_forcer(turned, own) for own in self.own]

        def recheck(thread: int, span: Span, own: Worklist) -> None:
            share_middle(self.block, threads[thread]._replace(joining=own), RECHECK_STEP, span, code)

        def check(thread: int, span: Span, own: Worklist) -> None:
            share_middle(self.block, threads[thread]._replace(joining_next=own), CHECK_STEP, span, code)

        def join(thread: int, span: Span, own: Worklist) -> None:
            share_middle(self.block, threads[thread]._replace(checked=own), JOIN_STEP, span, code)

        self._share(joining_next, list_all_words(joining_next), recheck, joining)
        self._mark(forcer.checked, list_all_words(forcer.checked), check, joining_next)
        self._mark(joining, list_all_words(joining), join, forcer.checked)
        forcer.state[STATUS] = max(int(each.state[STATUS]) for each in threads)
        forcer.state[LAYER] += 1
        forcer.state[TURN] = 1 - forcer.state[TURN]
        forcer.state[SWEEPS] += 1

    def _check(self, forcer: Forcer) -> None:
        def job(thread: int, span: Span, own: Worklist) -> None:
            check_span(self.block, forcer._replace(men=self.own[thread].men, yielding=own), span)

        self._share(forcer.checked, list_all_words(forcer.checked), job, forcer.yielding)

    def _join(self, forcer: Forcer, side: int, worklist: Worklist, size: int, label: int) -> None:
        def job(thread: int, span: Span, own: Worklist) -> None:
            join_span(self.block, forcer, self.values, side, worklist, span, label)

        self._share(worklist, size, job, worklist)

    def _mark_before(self, forcer: Forcer, side: int, worklist: Worklist, size: int, target: Worklist) -> None:
        def job(thread: int, span: Span, own: Worklist) -> None:
            mark_before_span(self.block, forcer._replace(**self.own[thread]._asdict()), side, worklist, span, own)

        self._mark(worklist, size, job, target)

    def _mark(self, worklist: Worklist, size: int, job: Job, target: Worklist) -> None:
        """`_share` of a job that marks anywhere: each thread but the first does so in a worklist of its own."""

        def marking(thread: int, span: Span, own: Worklist) -> None:
            job(thread, span, self.private[thread - 1] if thread else own)

        self._share(worklist, size, marking, target)
        for private in self.private:
            self._merge(private, target)

    def _merge(self, private: Worklist, target: Worklist) -> None:
        def job(thread: int, span: Span, own: Worklist) -> None:
            merge_span(private, span, own)

        self._share(private, list_all_words(private), job, target)

    def _share(self, worklist: Worklist, size: int, job: Job, target: Worklist) -> None:
        """Have the threads do a job for all spans of the words listed.

        A thread gives it the target with a size of its own, which counts the words that it newly marks there, if any.
        """
        if size == 0:
            return
        threads = len(self.own)
        spans = cut_words(worklist, size, min(max(threads, size // WORTH_A_SPAN), SPANS_PER_THREAD * threads))

        def work(thread: int) -> int:
            own = target._replace(size=np.zeros(1, np.int64))
            for span in spans[thread::threads]:
                job(thread, span, own)
            return int(own.size[0])

        target.size[0] += sum(self.task.pool.map(work, range(min(len(spans), threads))))
