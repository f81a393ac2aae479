"""The solver: from the rules to the values of a table. It knows no files.

Packages import downwards only: drive, distances and outcomes side by side, patterns, resets, words. docs/solving.md
says what the steps are.

======================== =========================================================================================
File                     Holds
======================== =========================================================================================
words/geometry.py        a word's number <-> the squares of its men; steps of the white king through the triangle
words/block.py           the arrays of a block; legal positions and checks, 64 black king squares at a time
words/moves.py           every legal move of a word, noted; codes by bit-sliced counting
words/quiet.py           quiet moves forwards and backwards: predecessors, neighbours, escapes
words/worklist.py        what is to be looked at next: masks by word, in ascending order
resets/destinations.py   which table a capture, promotion or pawn move leads to, which cell, where its value lies
resets/children.py       which values of children and of solved blocks a wave needs, read into memory
resets/folding.py        codes, and each position's best capture, promotion or pawn move; reads en passant values
patterns/worker.py       a thread's arrays; who has joined a class; which cells are frozen; what can go wrong
patterns/packing.py      labels, events, rows: integers that hold several numbers
patterns/histories.py    how a cell's goal changed, as one number; pattern dictionaries, of runs and of the table
patterns/en_passant.py   values with a right to take en passant, by one ply of search in a solved block
outcomes/grower.py       outcomes alone: one side's sets, journals, exits, resets by goal; cells join in any order
outcomes/codes.py        the steps of one accrued code: freeze, class, middle; what is asked on the way
outcomes/threshold.py    where a side gets at least a score: two sets that grow
distances/queues.py      outcomes and plies: entries by label
distances/forcer.py      one side's part: its arrays and sets, its seeds from resets
distances/one_code.py    the steps of one accrued code: freeze, class, middle
distances/labels.py      labels set, confirmed, expired, rechecked by the labels of their successors
distances/middles.py     a middle: the labels of the code before corrected, step by step
drive/solver.py          from a material and its children to its table
drive/methods.py         how accrued codes are solved: distances, or outcomes alone
drive/single.py          one block, outcomes alone, from one or two sources of values
drive/task.py            what is solved, from what, to where, with how many threads; progress, errors
drive/one_block.py       a table without pawns: one block, a thread for each forcer
drive/many_blocks.py     a table with pawns: waves of blocks, a run of blocks to a thread
drive/runs.py            solved cells on their way to a file; all runs as one table; positions counted by outcome
======================== =========================================================================================
"""

from tbgen.retro.drive.methods import DISTANCES, OUTCOMES, Method
from tbgen.retro.drive.runs import BlockStore, MemoryStore, Solved
from tbgen.retro.drive.solver import solve_into

__all__ = ["DISTANCES", "OUTCOMES", "BlockStore", "MemoryStore", "Method", "Solved", "solve_into"]
