"""Integers that hold several numbers, the most significant first.

    label    goal (16 bits) | plies (16)
    event    code (32) | label (32)
    row      holder (8) | code (8) | outcome (8) | plies (16)

A *label* is an outcome's goal and the plies to it, so that of two labels the smaller is the better
one for the forcer. An *event* is a label of a middle, and the accrued code from which on it holds.
A *row* is a line of a pattern (see dictionaries.py), so that rows sort as their columns do.
"""

import numpy as np

from tbgen.compiled.arrays import Int
from tbgen.compiled.jit import small
from tbgen.index.kernels import WORST_GOAL, byte_of_goal

NO_LABEL = np.uint32(0xFFFFFFFF)
"""In place of a label, where there is none."""


@small
def label_from(goal: Int, plies: Int) -> Int:
    return (goal << 16) | plies


@small
def goal_of_label(label: Int) -> Int:
    return label >> 16


@small
def plies_of_label(label: Int) -> Int:
    return label & 0xFFFF


@small
def limit_of(code: Int) -> np.int64:
    """The first label that breaks no hold at this code: no cell has this or a greater one."""
    return np.int64(WORST_GOAL - code) << 16


@small
def event_from(code: Int, label: Int) -> np.int64:
    return np.int64((code << 32) | np.int64(label))


@small
def code_of_event(event: Int) -> Int:
    return event >> 32


@small
def label_of_event(event: Int) -> Int:
    return event & 0xFFFFFFFF


@small
def row_from(event: Int, forcer: Int) -> Int:
    """The row of an event of this forcer: the other side is the holder."""
    label = label_of_event(event)
    outcome = np.int64(byte_of_goal(goal_of_label(label), forcer)) & 0xFF
    return (
        ((1 - forcer) << 32)
        | (code_of_event(event) << 24)
        | (outcome << 16)
        | plies_of_label(label)
    )


@small
def columns_of_row(row: Int) -> tuple[Int, Int, Int, Int]:
    """Holder, code, outcome as an unsigned byte, plies."""
    return row >> 32, (row >> 24) & 0xFF, (row >> 16) & 0xFF, row & 0xFFFF
