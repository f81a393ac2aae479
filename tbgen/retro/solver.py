"""The solver: a material's table from its children's."""

from __future__ import annotations

from collections.abc import Mapping
import numpy as np

from tbgen._jit import kernel
from tbgen.index.layout import layout_of
from tbgen.index.words import square_bit, NOTHING
from tbgen.material import Material
from tbgen.retro.block import new_block
from tbgen.retro.family import Values, family_of
from tbgen.retro.geometry import BLACK, WHITE, geometry_of
from tbgen.retro.interning import event_of, intern, new_store
from tbgen.retro.legality import find_legal
from tbgen.retro.levels import advance, freeze, new_forcer, start_forcer
from tbgen.retro.mobility import find_moves, new_scratch

@kernel
def enter_block(block, squares):
    """Take the pawns of another block."""
    block.pawn_set[0] = NOTHING
    for n in range(len(squares)):
        block.pawns[n] = squares[n]
        block.pawn_set[0] |= square_bit(squares[n])

@kernel
def solve_block(geometry, block, family, scratch, white, black, number):
    cells = geometry.words * 64
    find_legal(geometry, block, 0, geometry.words)
    status = find_moves(geometry, block, family, scratch, 0, geometry.words)
    if status:
        return status
    block.open[:] = block.legal
    start_forcer(block, white)
    start_forcer(block, black)
    base = number * 2 * cells
    entry, dtg = family.entry[base:base+2*cells], family.dtg[base:base+2*cells]
    for k in range(255):
        more = freeze(block, white, black, k, entry, dtg)
        advance(geometry, block, white, k)
        advance(geometry, block, black, k)
        if not more:
            break
    return white.state[1] or black.state[1]

def solve(material, children):
    layout = layout_of(material)
    geometry = geometry_of(layout)
    family = family_of(layout, children)
    block = new_block(geometry)
    scratch = new_scratch(layout.others)
    white, black = (new_forcer(side, geometry, 1 << 20) for side in (0, 1))
    pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
    for number in range(len(layout.blocks)):
        enter_block(block, pawns[number])
        status = solve_block(geometry, block, family, scratch, white, black, number)
        assert status == 0, status
    return Values(material, family.entry[:layout.cells].copy(), family.dtg[:layout.cells].copy()), block, white, black
