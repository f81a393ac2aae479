"""Blocks of tables of pairs, solved again by the reference from what they lead to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt
import pytest

from tbgen.compiled.arrays import Ints
from tbgen.index.bulk import cells_of
from tbgen.index.layout import layout_of
from tbgen.library.workers import make_table
from tbgen.material import Scope, TableMaterial, table_named
from tbgen.probe import open_tablebase
from tbgen.score import Color, Score
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tests import reference
from tests.retro.comparison import men_of_slots

Placement = tuple[int, ...]

SEED = 12
LOWEST_CODE = 2
"""Mate and stalemate end a game, so they never accrue."""


class Tables:
    """What built tables say of positions that the reference names."""

    def __init__(self, folder: Path, pairs: TableMaterial) -> None:
        self.folder = folder
        self.pairs = pairs
        self._files = dict[TableMaterial, TableFile]()

    def file(self, material: TableMaterial) -> TableFile:
        if material not in self._files:
            self._files[material] = TableFile(path_of(self.folder, material), outcomes_only=True)
        return self._files[material]

    def values(
        self, name: str, side: Ints, squares: Sequence[Ints]
    ) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
        """The outcomes of positions. The reference needs their distances too: they are all 0.

        A pair stays until a man is captured.
        """
        material = table_named(name)
        if material.men == self.pairs.men:
            material = material.within(Scope.PAIRS).canonical()
        layout = layout_of(material)
        in_slots = np.stack([squares[man] for man in men_of_slots(layout)], axis=1)
        cells = cells_of(layout, side, in_slots)
        entry = self.file(material).look_up(cells)[0].astype(np.int16)
        return entry, np.zeros(len(entry), np.int16)

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def after_double_steps(placement: Placement, colors: Sequence[Color]) -> list[Placement]:
    """The placements that double steps lead to, each behind those that it leads to itself."""
    found = list[Placement]()
    for pawn, square in enumerate(placement):
        is_white = colors[pawn] is Color.WHITE
        step = 8 if is_white else -8
        if chess.square_rank(square) != (1 if is_white else 6):
            continue
        if square + step in placement or square + 2 * step in placement:
            continue
        there = (*placement[:pawn], square + 2 * step, *placement[pawn + 1 :])
        for each in (*after_double_steps(there, colors), there):
            if each not in found:
                found.append(each)
    return found


def board_of(material: TableMaterial, side: int, squares: Sequence[int]) -> chess.Board:
    """A board with the men of a material, in the order of its name."""
    board = chess.Board(None)
    men = [(color, role) for color in Color for role in material.side(color)]
    for (color, role), square in zip(men, squares, strict=True):
        piece = chess.Piece(chess.PIECE_SYMBOLS.index(role.letter.lower()), color.chess)
        board.set_piece_at(square, piece)
    board.turn = Color(side).chess
    return board


def compare(folder: Path, name: str, blocks: int, asked: int) -> int:
    """Compare blocks of a table of pairs with the reference, whole and with no accrued score, and
    so many positions of each with one. Return how many positions were compared.
    """
    pairs = table_named(name).within(Scope.PAIRS).canonical()
    whole = pairs.within(Scope.ALL).canonical()
    layout = layout_of(pairs)
    pawn_colors = [color for color, _ in layout.slots[: layout.pawns]]
    men = men_of_slots(layout)
    pawns_by_name = np.argsort(men[: layout.pawns])
    colors_by_name = [pawn_colors[pawn] for pawn in pawns_by_name]
    draw = random.Random(SEED)
    compared = 0
    tables = Tables(folder, pairs)
    with open_tablebase([folder], outcomes_only=True) as tablebase:
        for pawns in draw.sample(layout.blocks, blocks):
            placement = tuple(pawns[pawn] for pawn in pawns_by_name)
            placements = [*after_double_steps(placement, colors_by_name), placement]
            known = reference.Excerpt(str(whole), placements, tables.values)
            block = known.blocks[placement]
            plain = np.flatnonzero(block.nodes.en_passant < 0)
            index = [np.asarray(axis)[plain] for axis in known.index_of(block)]
            values, _ = tables.values(str(whole), index[0], index[1:])
            np.testing.assert_array_equal(values, block.entry[plain], str(placement))
            compared += len(plain)

            own = block.nodes.own[plain]
            with_replies = np.flatnonzero(own >= LOWEST_CODE).tolist()
            for node in draw.sample(with_replies, asked):
                side, *squares = (int(axis[node]) for axis in index)
                holder = draw.randrange(2)
                code = draw.randint(LOWEST_CODE, int(own[node]))
                expected = int(block.values(holder, code)[0][plain[node]])
                board = board_of(whole, side, squares)
                accrued = Score(code, Color(holder))
                assert tablebase.probe(board, accrued).outcome.signed == expected, board.fen()
    tables.close()
    return compared


def test_blocks_of_pairs_of_four_men_are_those_of_the_reference(
    table_folder: Path, tmp_path: Path
) -> None:
    for path in table_folder.glob("*.h5"):
        if not path.name.startswith("KPvKP"):
            (tmp_path / path.name).symlink_to(path)
    make_table(tmp_path, "KPvKP.pairs", 2, outcomes_only=True)
    assert compare(tmp_path, "KPvKP", blocks=6, asked=40) > 20_000


@pytest.mark.given_tables
def test_blocks_of_pairs_of_six_men_are_those_of_the_reference(given_folder: Path) -> None:
    assert compare(given_folder, "KPPvKPP", blocks=25, asked=40) > 100_000
