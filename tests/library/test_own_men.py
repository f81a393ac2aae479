"""Tables with men of your own, from the definition to an answer."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyffish
import pytest

from tbgen.apps.records.census import census_in
from tbgen.errors import DamagedTableError, MaterialError, MissingTableError
from tbgen.index.bulk import are_legal
from tbgen.index.layout import fen_of, layout_of
from tbgen.library.build import build_tables
from tbgen.material import MOST_TABLE_MOVES, TableMaterial, table_material, table_named
from tbgen.probe import Tablebase
from tbgen.retro.words.geometry import geometry_of
from tbgen.retro.words.quiet import MOST_NEIGHBOURS
from tbgen.score import Score
from tbgen.storage.files import Layer, men_of_folder, path_of, tables_in
from tbgen.storage.layerfile import LayerFile
from tbgen.verify.files import verify_tables
from tests.own_men import MEN, VARIANT, material
from tests.project import golden_rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of three men, and one of four."""
    made = tmp_path_factory.mktemp("tables") / ",".join(role.name for role in MEN)
    build_tables([f"K{letter}vK" for letter in "GHM"], made, threads=1)
    return made


def positions(which: TableMaterial, count: int) -> list[str]:
    """The FENs of legal positions drawn at random."""
    layout = layout_of(which)
    draw = np.random.default_rng(75)
    sides = draw.integers(0, 2, 3 * count)
    squares = draw.integers(0, 64, (3 * count, len(layout.slots)))
    legal = np.flatnonzero(are_legal(layout, sides, squares))[:count]
    return [fen_of(layout, int(sides[n]), squares[n].tolist()) for n in legal]


def test_tables_of_ones_own_men_are_proved_and_answer_by_their_moves(folder: Path) -> None:
    assert [str(each) for each in tables_in(folder)] == ["KvK", "KMvK", "KHvK", "KGvK"]
    assert [
        report.violation for report in verify_tables(["KGvK", "KHvK", "KMvK"], folder, threads=1)
    ] == [None] * 3
    for compiled in (False, True):
        with Tablebase(folder, compiled=compiled) as tables:
            for letter in "GHM":
                for fen in positions(material(f"K{letter}vK"), 25):
                    found = tables.probe(fen)
                    moves = tables.probe_moves(fen)
                    assert str(found.material) == f"K{letter}vK"
                    assert found.own.moves == len(moves)
                    assert not moves or moves[0].outcome == found.outcome
                    assert not moves or moves[0].dtg == found.dtg or found.is_reached


def test_colours_may_be_reversed_and_a_capture_leads_to_kings(folder: Path) -> None:
    with Tablebase(folder) as tables:
        assert str(tables.probe("k7/2K5/8/8/8/8/8/m7 w - - 0 1").material) == "KvKM"
        moves = {
            move.san: str(move) for move in tables.probe_moves("8/8/8/8/8/8/k7/M1K5 b - - 0 1")
        }
        assert moves["Kxa1"].startswith("Kxa1 G1.5")
        assert tables.line("8/8/8/8/8/1k6/8/KM6 w - - 0 1")[-1].san == "Mb7#"
        found = tables.probe("8/8/8/8/8/1k6/8/KM6 w - - 0 1")
        assert found._repr_svg_() is None
        assert found._repr_html_().endswith(
            ". k . . . . . .\n. . . . . . . .\nK M . . . . . .</pre>"
        )
        with pytest.raises(MissingTableError, match="no table KWvK in"):
            tables.probe("k7/2K5/8/8/8/8/8/w7 w - - 0 1")


def test_a_table_whose_men_move_otherwise_is_refused(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "G=NN,M=W"
    assert [role.moves for role in men_of_folder(other)] == ["NN", "W"]
    assert men_of_folder(other / "whole-game") == men_of_folder(other)
    other.mkdir()
    for layer in Layer:
        for letter in "GM":
            path = path_of(folder, material(f"K{letter}vK"), layer)
            shutil.copy(path, other / path.name)
            if letter == "G":
                assert LayerFile(other / path.name, layer).check()
            else:
                with pytest.raises(DamagedTableError, match="its men move otherwise than M=W"):
                    LayerFile(other / path.name, layer).check()
    with pytest.raises(MaterialError, match="no man is called 'H'"):
        build_tables(["KHvK"], other)


def test_the_solver_has_room_for_all_words_that_a_side_leads_to() -> None:
    """A king has eight steps, or twelve with those that lead to two words."""
    most_steps = int(max(geometry_of(layout_of(table_named("KvK"))).king_count))
    assert (most_steps, MOST_NEIGHBOURS) == (12, MOST_TABLE_MOVES + most_steps - 8)


def published() -> Iterator[Any]:
    """Endings of three and four men; those of four are slow."""
    for row in golden_rows("fairy_endings.csv"):
        name = row["material"]
        if len(name) == len("KAvK"):
            yield pytest.param(row, id=name)
        elif len(name) == len("KLWvK"):
            yield pytest.param(row, id=name, marks=pytest.mark.slow)


PUBLISHED = list(published())


@pytest.mark.parametrize("row", PUBLISHED)
def test_longest_mates_are_as_long_as_published(row: dict[str, str], tmp_path: Path) -> None:
    """Or as long as the published way to the capture and at most a rook's longest mate (16 moves)
    after it.
    """
    folder = tmp_path / ",".join(row["men"].split())
    published = int(row["moves"])
    build_tables([row["material"]], folder, threads=2)
    found = census_in(folder, table_material(row["material"], own=men_of_folder(folder)))
    plies = max(
        line.dtg
        for side, outcome, line in found.lines()
        if (str(side), str(outcome)) == ("White", "G0.0")
    )
    assert 0 <= (plies + 1) // 2 - published <= 16 * (row["counted_to"] == "capture")


FOUR_MEN = ["KQvKM", "KRvKM", "KFFvK", "KFWvK", "KDDvK"]


@pytest.mark.slow
def test_values_of_four_men_are_the_best_a_ply_later_by_fairy_stockfish(tmp_path: Path) -> None:
    folder = tmp_path / ",".join(role.name for role in MEN)
    build_tables(FOUR_MEN, folder, threads=2)
    assert {report.violation for report in verify_tables(FOUR_MEN, folder)} == {None}
    pyffish.load_variant_config(VARIANT)
    with Tablebase(folder) as tables:
        for name in FOUR_MEN:
            for fen in positions(material(name), 300):
                found = tables.probe(fen)
                moves = pyffish.legal_moves("own", fen, [])
                assert (found.own.moves, found.own.check) == (
                    len(moves),
                    pyffish.gives_check("own", fen, []),
                )
                outcomes = [outcome_after(tables, fen, move, found.own) for move in moves]
                mover = found.own.holder.other
                assert (
                    not moves
                    or max(outcomes, key=lambda each: each.worth_to(mover)) == found.outcome
                ), fen


def outcome_after(tables: Tablebase, fen: str, move: str, accrued: Score) -> Score:
    """The outcome after a move, with what has accrued before it unless the move resets."""
    after = pyffish.get_fen("own", fen, [move])
    return tables.probe(after, None if after.split()[4] == "0" else accrued).outcome
