"""The solver: from the rules to the values of a table. It knows no files.

The numbers are those of the steps in docs/solving.md, "What the solver does". Packages import downwards only: drive,
levels, resets, words.

======================== =========================================================================================
File                     Step
======================== =========================================================================================
words/geometry.py        a word's number <-> the squares of its men; steps of the white king through the triangle
words/block.py           3. the arrays in which one placement of the pawns is solved; places of undecided cells
words/legality.py        1. legal positions and checks, 64 black king squares at a time
words/moves.py           2. every legal move of 64 positions at a time
words/movelist.py        2. the moves noted for a word, and codes by bit-sliced counting
words/quiet.py           3. quiet moves forwards and backwards: predecessors, neighbours, escapes
words/worklist.py        3. what is to be looked at next: masks by word, in ascending order
words/primary.py         primary cells of a word; clearing the others
resets/destinations.py   2. which table, and which cell there, a capture, promotion or pawn move leads to
resets/family.py         2. values of children and of blocks solved before, as kernels read them
resets/children.py       2. which of those values a wave of blocks needs, read into memory
resets/promotions.py     2. what plain promotions lead to, copied from the child's cells
resets/folding.py        2. codes, and each position's best capture, promotion or pawn move; reads en passant values
levels/packing.py        3. labels, events, sites, rows: integers that hold several numbers
levels/bucket_queue.py   3. seeds of a search, and the agenda of a middle, by rank and plies
levels/forcer.py         3. one side's part: its arrays, its seeds from resets, labels written with their histories
levels/worker.py         all arrays of one thread
levels/stages.py         3. the steps of one accrued code: freeze, class, middle
levels/classes.py        3. a class: what a side forces whatever the accrued score
levels/middle_sets.py    3. the cells of a middle that have labels, and those that do not, by word
levels/labels.py         3. labels set, confirmed, expired; cells scheduled to be rechecked
levels/middles.py        3. a middle: the labels of the level before corrected, layer by layer
levels/recheck.py        3. whether a cell joins or keeps its label, by the labels of its successors
levels/histories.py      3. how a cell's label changed from level to level, as one number
levels/patterns.py       histories as rows, and the pattern dictionary of the whole table
levels/en_passant.py     4. values with a right to take en passant, by one ply of search in a solved block
drive/solver.py          from a material and its children to its table
drive/task.py            what is solved, from what, to where, with how many threads
drive/one_block.py       1-4 of a table without pawns: one block, all threads together
drive/shared_layers.py   a thick layer of a class or a middle, shared among threads
drive/many_blocks.py     a table with pawns: waves of blocks, a run of blocks to a thread
drive/run_solver.py      a run of blocks from values at hand to what its cells hold
drive/block_runs.py      1-4 of a run of blocks in one kernel; patterns named
drive/counts.py          positions by outcome, longest distances; cells that are not primary cleared
drive/runs.py            solved cells on their way to a file, and all runs as one table
drive/memory.py          how much memory all that takes, before it begins
drive/placement.py       which arrays lie in files where memory is short
drive/statuses.py        what kernels say went wrong, as errors
drive/timing.py          seconds by phase, progress
======================== =========================================================================================
"""

from tbgen.retro.drive.memory import (
    arrays_granted,
    least_memory,
    memory_needed,
    most_in_files,
    slots_granted,
)
from tbgen.retro.drive.placement import Grant
from tbgen.retro.drive.runs import BlockStore, MemoryStore, Solved
from tbgen.retro.drive.solver import solve, solve_into

__all__ = [
    "BlockStore",
    "Grant",
    "MemoryStore",
    "Solved",
    "arrays_granted",
    "least_memory",
    "memory_needed",
    "most_in_files",
    "slots_granted",
    "solve",
    "solve_into",
]
