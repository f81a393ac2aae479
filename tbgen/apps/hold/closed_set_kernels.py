"""Kernels that search for a closed set: positions in which one side keeps its goal, whatever the
other one does.

A node is a position with a threshold. One successor supports a node with the holder to move; all
successors support a node with the other side to move. The search assumes that every node holds
until it is refuted. A node of the holder then looks for another successor; a node of the other side
is refuted in turn. A refuted node never holds again. So when no node is open, the remaining nodes
are a closed set: the part of the greatest fixpoint that the root needs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.board.board import (
    BOARD_WORDS,
    KIND,
    PAWN,
    TURN,
    copy_words,
    forget_idle_en_passant,
    origin_of,
    play,
    target_of,
)
from tbgen.board.moves import MOST_MOVES, code_on, legal_moves
from tbgen.compiled.arrays import Bytes, Int, Ints, SignedInts32, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inner
from tbgen.index.words import NOTHING, square_bit
from tbgen.probe.successors import has_table

THRESHOLD = BOARD_WORDS
"""The word of a node's key with its threshold, behind those of the board."""
MOVER = BOARD_WORDS + 1
"""The word with the square of the one man that the holder moves."""
KEY_WORDS = BOARD_WORDS + 2
ANY_MAN = 64
"""Instead of that square, if the holder moves all men."""

# The states of a node.
OPEN = 0
"""To be expanded."""
DONE = 1
"""Supported by successors."""
REFUTED = 2
ENDED = 3
"""The end of a game."""
ASKED = 4
"""To be looked up in tables."""
SURE = 5
"""Held by a table."""
EXIT = 6
"""Left by the other side while all nodes are wanted."""

# The indexes of the counters.
NODES = 0
EDGES = 1
STACK = 2
EXPANDED = 3
COUNTS = 4
"""The number of counters."""

# How a search ends.
FINISHED = 0
PAUSED = 1
FULL = 2

NONE = -1
"""No node, and no edge."""
BROKEN = -1
"""No threshold and no list of successors: the other side breaks the hold."""

# The moves of the holder's men.
QUIET = 0
"""Quiet moves of pieces."""
CAPTURES = 1
"""Captures, too."""
ALL = 2
"""All moves, with those of pawns and castling."""

FIRST_CODE_WITH_MOVES = 2
"""Codes below are mate and stalemate."""

# The costs of a successor: the holder prefers less.
COST_OF_SURE = 1
COST_OF_DONE = 2
COST_OF_TABLE = 2
COST_OF_NO_MOVES = 4
"""The cost of a node to be expanded, and its code on top: the fewer moves, the fewer successors."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@by_address
class Space(NamedTuple):
    """The nodes of a search and their edges."""

    table: SignedInts32
    """Open addressing by key; -1 where there is none."""
    keys: Words
    """[node, word]"""
    state: Bytes
    parents: SignedInts32
    """[node] the first edge to a parent."""
    move: Ints
    """[node] the holder's move to the successor that supports its node."""
    edge_parent: SignedInts32
    edge_child: SignedInts32
    edge_next: SignedInts32
    """[edge] the next edge to a parent of the same node."""
    stack: SignedInts32
    """Open nodes. An edge adds one when it is made, and another when it breaks."""
    counts: Ints


@by_address
class HoldTask(NamedTuple):
    """The goal of a search, and the moves that it allows."""

    side: int
    code: int
    """The code of the goal."""
    is_own: bool
    """Whether the side itself holds the goal."""
    allowed: int
    """QUIET, CAPTURES or ALL; resets of the other side are breaks beside QUIET moves."""
    frozen: np.uint64
    """Men of the other side whose moves are breaks."""
    is_whole: bool = False
    """Whether all nodes that moves lead to are wanted; else only those that refute the root or
    support it.
    """


@by_address
class HoldBuffers(NamedTuple):
    """Scratch space of a search."""

    moves: Ints
    keys: Words
    """[move, word] those of successors."""
    states: Ints
    """[move]"""
    costs: Ints
    """[move]"""
    refuted: SignedInts32
    """[node]"""


@inner
def hash_slot(space: Space, key: Words) -> Int:
    """The slot of a key, or the free slot where it would go."""
    mixed: Word = NOTHING
    for word in range(KEY_WORDS):
        mixed = (mixed ^ key[word]) * _MULTIPLIER
        mixed ^= mixed >> np.uint64(29)
    slot: Int = np.int64(mixed & np.uint64(len(space.table) - 1))
    while space.table[slot] >= 0:
        node = np.int64(space.table[slot])
        same = True
        for word in range(KEY_WORDS):
            same &= space.keys[node, word] == key[word]
        if same:
            break
        slot = (slot + 1) & (len(space.table) - 1)
    return slot


@inner
def push(space: Space, node: Int) -> None:
    """Push a node on the stack of open nodes."""
    space.stack[space.counts[STACK]] = node
    space.counts[STACK] += 1


@inner
def node_of(space: Space, key: Words, state: Int) -> Int:
    """The node of a key; makes it if it is new."""
    slot = hash_slot(space, key)
    if space.table[slot] >= 0:
        return np.int64(space.table[slot])
    node = np.int64(space.counts[NODES])
    space.counts[NODES] += 1
    space.table[slot] = node
    copy_words(key, space.keys[node])
    space.state[node] = state
    space.parents[node] = NONE
    return node


@inner
def link(space: Space, parent: Int, child: Int) -> None:
    """Note that a node supports another."""
    edge = space.counts[EDGES]
    space.counts[EDGES] += 1
    space.edge_parent[edge] = parent
    space.edge_child[edge] = child
    space.edge_next[edge] = space.parents[child]
    space.parents[child] = edge
    if space.state[child] == OPEN:
        push(space, child)


@borrowing
def refute(space: Space, task: HoldTask, first: Int, todo: SignedInts32) -> None:
    """Refute a node and all that it supports. `todo` has an entry for each node."""
    todo[0] = first
    left = 1
    space.state[first] = REFUTED
    while left:
        left -= 1
        edge = space.parents[todo[left]]
        while edge >= 0:
            parent = space.edge_parent[edge]
            if space.state[parent] == DONE:
                if space.keys[parent, TURN] != task.side:
                    space.state[parent] = REFUTED
                    todo[left] = parent
                    left += 1
                else:
                    space.state[parent] = OPEN
                    push(space, parent)
            edge = space.edge_next[edge]


@inner
def threshold_after(task: HoldTask, threshold: Int, code: Int, by_holder: bool, reset: bool) -> Int:
    """The threshold after a move to a position with an own code.

    BROKEN if the other side breaks the hold.
    """
    if by_holder:
        if reset:
            return BROKEN if task.is_own and code > task.code else min(code, task.code)
        return min(threshold, code)
    if reset:
        return BROKEN if task.is_own or code < task.code else task.code
    return threshold if code >= threshold else BROKEN


@inner
def is_allowed(key: Words, task: HoldTask, move: Int) -> bool:
    """Whether the holder may play a move."""
    origin = square_bit(origin_of(move))
    target = square_bit(target_of(move))
    if key[MOVER] != ANY_MAN and origin_of(move) != key[MOVER]:
        return False
    is_castling = target & key[task.side]
    if key[KIND + PAWN] & origin or is_castling:
        return task.allowed == ALL
    return task.allowed >= CAPTURES or target & key[1 - task.side] == NOTHING


@inner
def is_followed(key: Words, task: HoldTask, move: Int, reset: bool) -> bool:
    """Whether the search follows a move of the other side, without an answer from a table.

    Otherwise the move counts as a break.
    """
    if square_bit(origin_of(move)) & task.frozen:
        return False
    is_castling = square_bit(target_of(move)) & key[1 - task.side]
    if is_castling:
        return False
    return task.allowed != QUIET or not reset


# before: the key of the node before the move; key: receives the key of the position after it
@inner
def successor(
    before: Words, task: HoldTask, materials: Words, move: Int, key: Words
) -> tuple[Int, Int]:
    """State and cost (less is better for the holder) of the node after a move.

    REFUTED if the move is a break.
    """
    by_holder = before[TURN] == task.side
    copy_words(before, key)
    reset = play(key, move)
    forget_idle_en_passant(key)
    key[THRESHOLD] = 0
    if by_holder and key[MOVER] != ANY_MAN:
        key[MOVER] = target_of(move)
    if reset and has_table(key, materials):
        return ASKED, COST_OF_TABLE
    code = code_on(key)
    threshold = threshold_after(task, np.int64(before[THRESHOLD]), code, by_holder, reset)
    if threshold == BROKEN or not (by_holder or is_followed(before, task, move, reset)):
        return REFUTED, 0
    key[THRESHOLD] = threshold
    if code < FIRST_CODE_WITH_MOVES:
        return ENDED, 0
    return OPEN, COST_OF_NO_MOVES + code


@inner
def cost_of(space: Space, key: Words, state: Int, cost: Int) -> tuple[Int, Int]:
    """State and cost of a successor, by its node."""
    node = space.table[hash_slot(space, key)]
    if node < 0:
        return state, cost + 1
    known = np.int64(space.state[node])
    if known == SURE:
        return known, COST_OF_SURE
    if known == DONE:
        return known, COST_OF_DONE
    return known, cost


@inner
def list_successors(
    space: Space, task: HoldTask, materials: Words, scratch: HoldBuffers, node: Int
) -> Int:
    """List the successors of a node that are not refuted.

    BROKEN if the other side has a way out.
    """
    before = space.keys[node]
    listed = 0
    by_holder = before[TURN] == task.side
    for number in range(legal_moves(before, scratch.moves)):
        move = scratch.moves[number]
        key = scratch.keys[listed]
        if by_holder and not is_allowed(before, task, move):
            continue
        state, cost = successor(before, task, materials, move, key)
        # A move that breaks the hold has threshold 0 and no node of its own, so it stays REFUTED.
        known, cost_known = cost_of(space, key, state, cost)
        if REFUTED in (state, known):
            if by_holder:
                continue
            return BROKEN
        scratch.moves[listed] = move
        scratch.states[listed] = state
        scratch.costs[listed] = cost_known if by_holder and not task.is_whole else cost
        listed += 1
    return listed


@inner
def expand(space: Space, task: HoldTask, materials: Words, scratch: HoldBuffers, node: Int) -> bool:
    """Support a node by all its successors, or if the holder chooses, by the best of them; False if
    that fails.

    Of all successors the search expands those first that leave the holder the least choice.
    """
    listed = list_successors(space, task, materials, scratch, node)
    space.state[node] = DONE
    if task.is_whole or space.keys[node, TURN] != task.side:
        for _ in range(listed):
            worst = np.argmax(scratch.costs[:listed])
            link(space, node, node_of(space, scratch.keys[worst], scratch.states[worst]))
            scratch.costs[worst] = NONE
        return listed != BROKEN
    if listed:
        best = np.argmin(scratch.costs[:listed])
        space.move[node] = scratch.moves[best]
        link(space, node, node_of(space, scratch.keys[best], scratch.states[best]))
    return bool(listed)


@borrowing
def search(space: Space, task: HoldTask, materials: Words, scratch: HoldBuffers, most: Int) -> Int:
    """Expand open nodes:

    FINISHED if none is left, PAUSED after `most` in all, FULL without space.
    """
    while space.counts[STACK] > 0 and space.state[0] != REFUTED:
        space.counts[STACK] -= 1
        node = space.stack[space.counts[STACK]]
        if space.state[node] != OPEN:
            continue
        nodes_left = len(space.state) - space.counts[NODES]
        edges_left = len(space.edge_parent) - space.counts[EDGES]
        # Another node may have so many successors.
        if min(nodes_left, edges_left) < MOST_MOVES:
            return FULL
        if space.counts[EXPANDED] == most:
            space.counts[STACK] += 1
            return PAUSED
        space.counts[EXPANDED] += 1
        if not expand(space, task, materials, scratch, node):
            if task.is_whole:
                space.state[node] = EXIT
            else:
                refute(space, task, node, scratch.refuted)
    return FINISHED


@borrowing
def add(space: Space, board: Words, threshold: Int, mover: Int, key: Words) -> None:
    """Add the root; `key` is scratch space."""
    copy_words(board, key)
    forget_idle_en_passant(key)
    key[THRESHOLD] = threshold
    key[MOVER] = mover
    push(space, node_of(space, key, OPEN))
