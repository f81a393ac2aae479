"""Tasks of the solver: what they do where the memory that they reserved does not suffice."""

from __future__ import annotations

import weakref

import numpy as np

from tbgen.retro.cells.worker import FullError, Room
from tbgen.retro.drive.task import with_growing_room


def test_work_that_begins_anew_holds_nothing_of_what_it_had_before() -> None:
    """Else it would need the room of all its beginnings at once."""
    earlier = list[weakref.ref[np.ndarray]]()

    def work(room: Room) -> Room:
        assert [array() for array in earlier] == [None] * len(earlier)
        queue = np.zeros(room.nodes, np.int64)
        earlier.append(weakref.ref(queue))
        if room.doublings < 3:
            raise FullError("the number of positions to look at", "the solver's queues")
        return room

    assert with_growing_room(Room(1 << 10), work).doublings == 3
    assert len(earlier) == 4
