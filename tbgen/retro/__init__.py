"""The solver: from the rules to the values of a table. It knows no files.

Rooms import downwards only. docs/solving.md says what the steps are.

    drive
    distances | outcomes
    cells
    patterns  | resets
    words
    status

======================== =======================================================================
File                     Holds
======================== =======================================================================
status.py                what can go wrong in a kernel, as numbers
words/geometry.py        a word's number <-> the squares of its men; steps of the white king
words/block.py           the arrays of a block; legal positions and checks, a word at a time
words/moves.py           every legal move of a word, noted; codes by bit-sliced counting
words/quiet.py           quiet moves forwards and backwards: predecessors, neighbours, escapes
words/worklist.py        what is to be looked at next: masks by word, in ascending order
resets/destinations.py   which cell a reset leads to, and where its value lies
resets/promotions.py     which cells of children promotions lead to, and copies of these
resets/children.py       which values of children and of solved blocks a wave needs, in memory
resets/folding.py        each position's best capture, promotion or pawn move
patterns/packing.py      labels, events, rows: integers that hold several numbers
patterns/histories.py    how a cell's goal changed from code to code, as one number
patterns/dictionaries.py patterns of runs and of the table
cells/members.py         who has joined a class, and who still can
cells/freezing.py        cells with the accrued own code get their entry values
cells/worker.py          a thread's arrays, its mode, and how much room they have
outcomes/grower.py       outcomes alone: one side's sets, with their equations
outcomes/seeds.py        where a search begins: resets by goal, frozen cells
outcomes/growth.py       cells join, in any order, until none can
outcomes/middles.py      a middle, from the journal of the code before
outcomes/codes.py        the steps of one accrued code: freeze, class, middle
outcomes/en_passant.py   values with a right to take en passant, by one ply of search
outcomes/rights.py       rights to take en passant, where cells keep no histories
outcomes/threshold.py    where a side gets at least a score: two sets that grow
distances/queues.py      outcomes and plies: entries by label
distances/forcer.py      one side's arrays and sets, with their equations; its seeds
distances/one_code.py    the steps of one accrued code: freeze, class, middle
distances/labels.py      labels set, confirmed, expired, rechecked
distances/middles.py     a middle: the labels of the code before corrected, step by step
drive/solver.py          from a material and its children to its table
drive/methods.py         how accrued codes are solved: distances, or outcomes alone
drive/task.py            what is solved, from what, to where; progress, errors, room
drive/one_block.py       a table without pawns: one block, a thread for each forcer
drive/many_blocks.py     a table with pawns: waves of blocks, a run of blocks to a thread
drive/single.py          one block, outcomes alone, from one or two sources of values
drive/results.py         what solved cells hold, counted and named
drive/runs.py            solved cells on their way to a file; all runs as one table
======================== =======================================================================
"""

from tbgen.retro.drive.methods import DISTANCES, OUTCOMES, Method
from tbgen.retro.drive.runs import MemoryStore, Solved, TableStore
from tbgen.retro.drive.solver import solve_into

__all__ = ["DISTANCES", "OUTCOMES", "MemoryStore", "Method", "Solved", "TableStore", "solve_into"]
