"""Tables of pairs, cell by cell against the whole tables of the same men."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.index.placements import HOW_BITS
from tbgen.library.workers import make_table
from tbgen.material import Scope, TableMaterial, pairs_materials, table_named
from tbgen.retro.words.block import bare_block, enter_block, find_legal
from tbgen.retro.words.geometry import geometry_of
from tbgen.score import Color
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.table import Patterns
from tests.retro.excerpt import Placement, SolvedBlocks
from tests.retro.tables import report_of, solved


def legal_cells(material: TableMaterial) -> Iterator[tuple[int, Color, np.ndarray]]:
    """Each block with each side to move, and the legal cells of such a plane."""
    layout = layout_of(material)
    block = bare_block(geometry_of(layout), layout.block_words)
    for number, pawns in enumerate(layout.blocks):
        enter_block(block, number, np.array(pawns, np.int64))
        find_legal(block, np.zeros(layout.others, np.int64), 0, layout.block_words)
        for side in Color:
            bits = block.legal[int(side)].view(np.uint8)
            yield number, side, np.flatnonzero(np.unpackbits(bits, bitorder="little"))


def rows_of(patterns: Patterns, pattern: int) -> bytes:
    """The rows of a pattern, as bytes that mean the same in every table."""
    rows = slice(int(patterns.start[pattern]), int(patterns.start[pattern + 1]))
    columns = (patterns.holder, patterns.code, patterns.outcome, patterns.dtg)
    return b"|".join(column[rows].tobytes() for column in columns)


def meaning_of(file: TableFile, symbol: int) -> tuple[int, bytes]:
    """The entry value of a symbol, and its rows."""
    entry, first, rows = file.column("symbols")[symbol].tolist()
    return entry, file.column("outcome_rows")[first : first + rows].tobytes()


def compare(pairs_file: TableFile, whole_file: TableFile) -> int:
    """Assert that every legal cell has the same value with every accrued score, and the same
    distances if there are any; return how many cells there are.
    """
    pairs = layout_of(pairs_file.material)
    whole = layout_of(whole_file.material)
    compared = 0
    for number, side, cells in legal_cells(pairs_file.material):
        pawns = pairs.blocks[number]
        block = whole.address_of(pawns) >> HOW_BITS
        plane_cells = pairs.block_words * 64
        plane = 2 * number + int(side)
        whole_plane = 2 * block + int(side)
        here = symbols_of_plane(pairs_file, plane)[cells]
        there = symbols_of_plane(whole_file, whole_plane)[cells]
        both = np.unique(np.stack([here, there]), axis=1)
        for symbol, expected in both.T.tolist():
            assert meaning_of(pairs_file, symbol) == meaning_of(whole_file, expected), pawns
        if whole_file.has_distances:
            compare_distances(
                pairs_file,
                whole_file,
                cells + plane * plane_cells,
                cells + whole_plane * plane_cells,
            )
        compared += len(cells)
    return compared


def symbols_of_plane(file: TableFile, plane: int) -> np.ndarray:
    """The symbols of all cells of a block with one side to move."""
    places = file.order.plane_places
    return file.order.from_file(file.symbols(plane * places, (plane + 1) * places))


def compare_distances(
    pairs_file: TableFile, whole_file: TableFile, cells: np.ndarray, whole_cells: np.ndarray
) -> None:
    """Assert that some cells have equal distances, and equal patterns with theirs."""
    _, dtg, patterns = pairs_file.look_up(cells)
    _, expected_dtg, expected_patterns = whole_file.look_up(whole_cells)
    np.testing.assert_array_equal(dtg, expected_dtg)
    both = np.unique(np.stack([patterns, expected_patterns]), axis=1)
    for pattern, expected in both.T.tolist():
        assert rows_of(pairs_file.patterns, pattern) == rows_of(whole_file.patterns, expected)


def build_and_compare(name: str, whole_folder: Path, folder: Path) -> int:
    """Build a table of pairs, and those that it leads to, in a folder beside whole tables.

    Compare each with the whole table of the same men, and return how many cells of the first were
    compared.
    """
    for path in whole_folder.glob("*.h5"):
        if Scope.PAIRS.value not in path.name:
            (folder / path.name).symlink_to(path)
    return build_in(folder, table_named(name).within(Scope.PAIRS).canonical())


def build_in(folder: Path, pairs: TableMaterial) -> int:
    """The same in a folder that has the whole tables."""
    for child in pairs.children():
        if child.scope is Scope.PAIRS and not path_of(folder, child).exists():
            build_in(folder, child)
    whole = pairs.within(Scope.ALL).canonical()
    with TableFile(path_of(folder, whole)) as whole_file:
        has_distances = whole_file.has_distances
    made = make_table(folder, str(pairs), 2, outcomes_only=not has_distances)
    with (
        TableFile(path_of(folder, pairs), outcomes_only=not has_distances) as pairs_file,
        TableFile(path_of(folder, whole), outcomes_only=not has_distances) as whole_file,
    ):
        compared = compare(pairs_file, whole_file)
    assert 0 < compared < made.positions
    return compared


def test_a_table_of_pairs_is_right_by_the_verifier_which_finds_a_wrong_cell() -> None:
    table = solved("KPvKP.pairs")
    report = report_of(table)
    assert report.violation is None
    wrong = int(np.flatnonzero(table.entry)[1234])
    table.entry[wrong] = -table.entry[wrong]
    try:
        assert report_of(table).violation is not None
    finally:
        table.entry[wrong] = -table.entry[wrong]


def compare_made_up(name: str, placements: Sequence[Placement]) -> int:
    """Solve placements with a pair, as those of a whole table and as those of a table of pairs.

    What they lead to has made-up values. Assert that each cell has the same value and distance, the
    same pattern, and the same value with a right to take en passant; return how many there are.
    """
    pairs = SolvedBlocks(f"{name}.pairs", placements)
    whole = SolvedBlocks(name, placements)
    compared = 0
    for placement in placements:
        here = pairs.cells_of(placement)
        there = whole.cells_of(placement)
        np.testing.assert_array_equal(here.entry, there.entry)
        np.testing.assert_array_equal(here.dtg, there.dtg)
        both = np.unique(np.stack([here.pattern, there.pattern]), axis=1)
        for pattern, expected in both.T.tolist():
            rows = rows_of(pairs.solved.patterns, pattern)
            assert rows == rows_of(whole.solved.patterns, expected), placement
        rights = whole.rights_of(placement)
        assert pairs.rights_of(placement).keys() == rights.keys()
        for right, (entry, dtg) in pairs.rights_of(placement).items():
            np.testing.assert_array_equal(entry, rights[right][0])
            np.testing.assert_array_equal(dtg, rights[right][1])
        compared += int(np.count_nonzero(here.entry))
    return compared


def test_pairs_of_two_pawns_are_those_of_a_whole_table_over_made_up_children() -> None:
    assert compare_made_up("KPvKP", layout_of(table_named("KPvKP.pairs")).blocks) == 395_284


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KNPvKP", "KBPvKP", "KRPvKP", "KQPvKP", "KPPvKP"])
def test_pairs_of_five_men_are_those_of_a_whole_table_over_made_up_children(name: str) -> None:
    assert compare_made_up(name, layout_of(table_named(f"{name}.pairs")).blocks) > 1_000_000


@pytest.mark.slow
def test_every_cell_of_a_table_of_pairs_is_that_of_the_whole_table(
    four_men_folder: Path, tmp_path: Path
) -> None:
    assert build_and_compare("KPvKP", four_men_folder, tmp_path) == 395_284


@pytest.mark.given_tables
@pytest.mark.parametrize("name", ["KNPvKP", "KBPvKP", "KRPvKP", "KQPvKP", "KPPvKP"])
def test_every_cell_of_five_men_with_a_pair_is_that_of_the_whole_table(
    given_folder: Path, tmp_path: Path, name: str
) -> None:
    assert build_and_compare(name, given_folder, tmp_path) > 1_000_000


def test_pairs_are_what_a_board_shows() -> None:
    for men, blocks in ((4, 60), (5, 60), (6, 60)):
        for material in pairs_materials(men):
            layout = layout_of(material)
            for pawns in layout.blocks[:: max(1, len(layout.blocks) // 500)]:
                colors = [color for color, _ in layout.slots[: layout.pawns]]
                placed = list(zip(colors, pawns, strict=True))
                assert any(
                    lower is Color.WHITE
                    and upper is Color.BLACK
                    and upper_square - lower_square in range(8, 48, 8)
                    for lower, lower_square in placed
                    for upper, upper_square in placed
                )
            if layout.pawns == 2:
                assert len(layout.blocks) == blocks


@pytest.mark.parametrize(("name", "blocks"), [("KPPvKP", 2680), ("KRPvKRP", 60), ("KRPPvKP", 2680)])
def test_a_table_of_pairs_has_so_many_blocks(name: str, blocks: int) -> None:
    assert len(layout_of(table_named(f"{name}.pairs")).blocks) == blocks


def test_a_sample_of_a_table_of_pairs_is_verified() -> None:
    report = report_of(solved("KPvKP.pairs"), sample=500)
    assert (report.violation, report.positions) == (None, 500)
