"""The solver: from the rules to the values of a table. It knows no files.

The numbers are those of the steps in docs/solving.md, "What the solver does". Packages import downwards only: drive,
levels, resets, words.

======================== =========================================================================================
File                     Step
======================== =========================================================================================
words/geometry.py        a word's number <-> the squares of its men; steps of the white king through the triangle
words/block.py           1. the arrays of a block; legal positions and checks, 64 black king squares at a time
words/moves.py           2. every legal move of a word, noted; codes by bit-sliced counting
words/quiet.py           3. quiet moves forwards and backwards: predecessors, neighbours, escapes
words/worklist.py        3. what is to be looked at next: masks by word, in ascending order
resets/destinations.py   2. which table a capture, promotion or pawn move leads to, which cell, where its value lies
resets/children.py       2. which values of children and of solved blocks a wave needs, read into memory
resets/folding.py        2. codes, and each position's best capture, promotion or pawn move; reads en passant values
patterns/packing.py        3. labels, events, sites, rows: integers that hold several numbers; queues of cells by label
distances/forcer.py         3. one side's part: its arrays, its seeds from resets, labels written with their histories
distances/one_code.py       3. the steps of one accrued code: freeze, class, middle
distances/classes.py        3. a class: what a side forces whatever the accrued score
distances/labels.py         3. labels set, confirmed, expired, rechecked by the labels of their successors
distances/middles.py        3. a middle: the labels of the code before corrected, layer by layer
patterns/histories.py      3. how a cell's label changed, as one number; pattern dictionaries, of runs and of the table
patterns/en_passant.py     4. values with a right to take en passant, by one ply of search in a solved block
drive/solver.py          from a material and its children to its table
drive/task.py            what is solved, from what, to where, with how many threads; progress, errors
drive/one_block.py       1-4 of a table without pawns: one block, a thread for each forcer
drive/many_blocks.py     1-4 of a table with pawns: waves of blocks, a run of blocks to a thread, in one kernel
drive/runs.py            solved cells on their way to a file; all runs as one table; positions counted by outcome
======================== =========================================================================================
"""

from tbgen.retro.drive.methods import DistanceMethod, Method, OutcomeMethod
from tbgen.retro.drive.runs import BlockStore, MemoryStore, Solved
from tbgen.retro.drive.solver import solve, solve_into

__all__ = ["BlockStore", "DistanceMethod", "MemoryStore", "Method", "OutcomeMethod", "Solved", "solve", "solve_into"]
