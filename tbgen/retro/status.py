"""Status: what can go wrong in a kernel, as a number.

A kernel cannot raise. It writes one of these numbers into an array, goes on with any valid index,
and returns the number in the end. `check_status` (drive/task.py) raises the error that it means.
"""

CHILD_HAS_NO_VALUE = 1
"""A child table has no value for a position that a capture or promotion leads to."""

TOO_FAR = 2
"""A distance is longer than the lists of distances are."""

INTERNER_FULL = 3
"""There are more histories, or pairs of them, than there is room for."""

TOO_HIGH = 4
"""An outcome has a higher code than a signed byte can hold."""

FORCED_TWICE = 5
"""Both sides force a position, which cannot be."""

QUEUE_FULL = 6
"""There are more seeds, or cells to be looked at again, than there is room for."""
