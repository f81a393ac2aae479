"""Sharing: a thick layer of a class, worked on by all threads together.

The words that are marked are cut into stretches at multiples of 4,096 words, so that no item of a set of words, or of
its summary, has words of two of them. With two threads each takes every second stretch. Only to mark what comes before
leads anywhere in the block: for that each thread but the first has marks of its own, a box, which are poured into the
forcer's afterwards. Who joins does not depend on the cuts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from tbgen._jit import borrowing
from tbgen.retro.drive.task import Task
from tbgen.retro.levels.classes import check, expand, join_class
from tbgen.retro.levels.forcer import LAYER, SWEEPS, Forcer
from tbgen.retro.levels.stages import NO_LIMIT
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.worklist import TOP, Marks, gather, new_marks, put, take

THICK = 1 << 13
"""Layers of more words than this are shared: some milliseconds of work."""

MOST_HANDS = 8
"""More threads than this are taken to wait for memory only; measured were two."""

TURNS = 16
"""Into so many stretches at most a layer is cut for each thread: neighbours take about the same time."""

WORTH_A_TURN = 1 << 12
"""Words of a stretch that take much longer than to hand it out."""

Stretch = tuple[int, int]
"""From which of the gathered words to which."""


@borrowing
def gather_all(marks):
    """Write down the marked words; how many they are."""
    return gather(marks)


@borrowing
def check_part(geometry, block, forcer, first, end):
    """Part of `search.check`."""
    check(geometry, block, forcer, first, end)


@borrowing
def join_part(block, forcer, values, side, marks, first, end, label):
    """Part of `search.join_class`."""
    join_class(block, forcer, values, side, marks, first, end, label)


@borrowing
def expand_part(geometry, block, forcer, side, marks, first, end, target):
    """Part of `search.expand`."""
    expand(geometry, block, forcer, side, marks, first, end, target)


@borrowing
def pour_part(source, first, end, target):
    """Mark what is marked elsewhere in some of the words gathered there, and unmark it there."""
    for n in range(first, end):
        word = np.int64(source.words[n])
        put(target, word, take(source, word))


def hands_of(threads: int) -> int:
    """How many threads share a layer."""
    return min(threads, MOST_HANDS)


def new_boxes(geometry: Geometry, threads: int) -> list[Marks]:
    """Marks for each thread but the first."""
    return [new_marks(geometry.words) for _ in range(hands_of(threads) - 1)]


def cut_words(marks: Marks, size: int, hands: int) -> list[Stretch]:
    """Cut the gathered words into stretches of about the same size, between multiples of 4,096 words."""
    words = marks.words[:size]
    firsts = words[np.arange(1, hands) * size // hands] >> int(TOP) << int(TOP)
    cuts = sorted({0, size, *np.searchsorted(words, firsts).tolist()})
    return list(itertools.pairwise(cuts))


class Sharing:
    """The threads of a task that share the layers of its only block."""

    def __init__(self, task: Task, block: Block, values: BlockValues) -> None:
        self.task, self.block, self.values = task, block, values
        self.most = THICK if task.threads > 1 else NO_LIMIT
        self.boxes = new_boxes(task.geometry, task.threads)
        self.men = [np.zeros(task.layout.others, np.int64) for _ in range(hands_of(task.threads))]

    def finish_layer(self, forcer: Forcer, rank: int) -> None:
        """What `search.finish_layer` does."""
        side, label = forcer.side, rank << 16 | int(forcer.state[LAYER])
        self._check(forcer)
        others, own = gather_all(forcer.yielding), gather_all(forcer.joining)
        self._join(forcer, 1 - side, forcer.yielding, others, label)
        self._join(forcer, side, forcer.joining, own, label)
        self._expand(forcer, side, forcer.joining, own, forcer.checked)
        self._expand(forcer, 1 - side, forcer.yielding, others, forcer.joining)
        forcer.state[LAYER] += 1
        forcer.state[SWEEPS] += 1

    def _check(self, forcer: Forcer) -> None:
        def job(hand: int, stretch: Stretch, own: Marks) -> None:
            check_part(self.task.geometry, self.block, forcer._replace(men=self.men[hand], yielding=own), *stretch)

        self._share(forcer.checked, gather_all(forcer.checked), job, forcer.yielding)

    def _join(self, forcer: Forcer, side: int, marks: Marks, size: int, label: int) -> None:
        def job(hand: int, stretch: Stretch, own: Marks) -> None:
            join_part(self.block, forcer, self.values, side, marks, *stretch, label)

        self._share(marks, size, job, marks)

    def _expand(self, forcer: Forcer, side: int, marks: Marks, size: int, target: Marks) -> None:
        def job(hand: int, stretch: Stretch, own: Marks) -> None:
            box = self.boxes[hand - 1] if hand else own
            expand_part(self.task.geometry, self.block, forcer._replace(men=self.men[hand]), side, marks, *stretch, box)

        self._share(marks, size, job, target)
        for box in self.boxes:
            self._pour(box, target)

    def _pour(self, box: Marks, target: Marks) -> None:
        def job(hand: int, stretch: Stretch, own: Marks) -> None:
            pour_part(box, *stretch, own)

        self._share(box, gather_all(box), job, target)

    def _share(self, marks: Marks, size: int, job: Callable[[int, Stretch, Marks], None], target: Marks) -> None:
        """Have the threads do a job for all stretches of the gathered words.

        A thread gives it the target with a size of its own, which counts the words that it newly marks there, if any.
        """
        if size == 0:
            return
        hands = len(self.men)
        stretches = cut_words(marks, size, min(max(hands, size // WORTH_A_TURN), TURNS * hands))

        def work(hand: int) -> int:
            own = target._replace(size=np.zeros(1, np.int64))
            for stretch in stretches[hand::hands]:
                job(hand, stretch, own)
            return int(own.size[0])

        target.size[0] += sum(self.task.pool.map(work, range(min(len(stretches), hands))))
