"""Hold: proofs that a side keeps a score for ever, with any number of men and without tables.

The *holder* is the side that keeps a goal. A search climbs a ladder of rungs until one holds:

| rung | the holder moves | the other side moves |
|---|---|---|
| frame | one man, no captures | one man, no captures; any other move is a way out |
| one man | one man, which may capture | any man; tables answer for resets that lead to them |
| pieces | any man but a pawn | any man |
| all men | any man | any man |

An *attempt* is a rung with the men that move. A *frame* is all positions that its two men can bring
about. `strategy` has goals and moves that keep them, `closed_sets` the search and ways out,
`ladder` the rungs in order, `check` the proof of a strategy, `answers` the results.
"""

from typing import Final

DEFAULT_NODES: Final = 100_000
"""The most positions of a search, unless the caller gives another number."""
MOST_NODES: Final = 5_000_000
"""The greatest number that a caller may give."""
