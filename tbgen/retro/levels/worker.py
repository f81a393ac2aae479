"""Worker: a thread's own arrays, whichever way it solves the accrued codes."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from tbgen.compiled.arrays import Ints, Ints32
from tbgen.compiled.jit import by_address, inlined
from tbgen.retro.levels.forcer import Members
from tbgen.retro.levels.histories import Interner
from tbgen.retro.words.block import Block
from tbgen.retro.words.moves import Scratch
from tbgen.retro.words.quiet import Neighbours


class Searcher(Protocol):
    """What a solved block asks of either side's part: a Forcer or a Grower."""

    @property
    def forced(self) -> Members: ...
    @property
    def history(self) -> Ints32: ...
    @property
    def interner(self) -> Interner: ...
    @property
    def neighbours(self) -> Neighbours: ...
    @property
    def state(self) -> Ints: ...


S = TypeVar("S", bound=Searcher)


@by_address
class Worker(NamedTuple, Generic[S]):
    """A thread's own arrays."""

    block: Block
    scratch: Scratch
    white: S
    black: S
    pairs: Interner
    """Pairs of histories, White's as the forcer and Black's, that a cell has."""


@inlined
def has_histories(searcher: Searcher) -> bool:
    """Whether a hold can be broken, for resets forget what has accrued; under whole-game mobility they do not."""
    return len(searcher.history) > 0


AnyWorker = Worker[Any]
