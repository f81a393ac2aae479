"""The memory that is asked for before a build, against what the build takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.library.work import UNHEARD, make_table
from tbgen.material import Material, materials
from tbgen.retro import arrays_granted, least_memory, memory_needed, slots_granted
from tbgen.retro.drive.memory import HAND_BYTES, LEAST_SLOTS, SLOT_BYTES
from tbgen.retro.words.geometry import geometry_of
from tbgen.storage.files import path_of
from tbgen.storage.layers import Layer

from .peaks import link_tables, peak_in_a_process, peak_of

GIB, MIB = 1 << 30, 1 << 20


@pytest.mark.parametrize(("name", "threads"), [("KvK", 1), ("KQvK", 2), ("KPvK", 1), ("KRvKB", 2)])
def test_making_a_small_table_takes_no_more_than_was_asked_for(
    tmp_path: Path, table_folder: Path, name: str, threads: int
) -> None:
    needed = memory_needed(Material.parse(name), threads)
    peak = peak_of(tmp_path, table_folder, name, threads, "memory").bytes
    assert needed / 5 < peak <= needed


@pytest.mark.slow
@pytest.mark.parametrize("where", ["memory", "disk"])
@pytest.mark.parametrize(
    "name", ["KNvKN", "KQvKQ", "KRvKN", "KRvKB", "KQQvK", "KNNvK", "KNvKP", "KPvKP", "KQvKP", "KRPvK", "KPPvK"]
)
def test_making_a_table_of_four_men_takes_no_more_than_was_asked_for(
    tmp_path: Path, four_men_folder: Path, name: str, where: str
) -> None:
    needed = memory_needed(Material.parse(name), 2)
    peak = peak_of(tmp_path, four_men_folder, name, 2, where).bytes
    assert needed / 4 < peak <= needed


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["KRvKB", "KQvKQ", "KNvKN", "KBNvK", "KPvKP", "KRPvK"])
def test_with_the_least_memory_a_table_keeps_within_it_and_is_the_same(
    tmp_path: Path, four_men_folder: Path, name: str, threads: int
) -> None:
    material = Material.parse(name)
    memory = least_memory(material, threads)
    granted = memory if memory < memory_needed(material, threads) else MIB  # as little as lets all go to files
    assert peak_of(tmp_path, four_men_folder, name, threads, "memory", granted).bytes <= memory
    for layer in Layer:
        made, known = (path_of(folder, material, layer) for folder in (tmp_path, four_men_folder))
        assert made.read_bytes() == known.read_bytes()
    assert not list(tmp_path.glob("tmp*"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KRvK", "KPvK"])
def test_compiling_on_the_way_is_in_what_was_asked_for(tmp_path: Path, table_folder: Path, name: str) -> None:
    link_tables(tmp_path, table_folder, Material.parse(name))
    peak = peak_in_a_process(tmp_path, name, 2, "memory", kernels=tmp_path / "kernels").bytes
    assert peak <= memory_needed(Material.parse(name), 2)


@pytest.mark.parametrize("material", materials(5), ids=str)
def test_five_men_fit_nine_gibibytes_and_with_one_thread_two_or_four_where_there_are_pawns(material: Material) -> None:
    assert memory_needed(material, 2) <= 9 * GIB
    assert least_memory(material, 1) <= least_memory(material, 2) <= memory_needed(material, 2)
    assert least_memory(material, 1) <= (4 if material.pawns else 2) * GIB
    assert least_memory(material, 2) <= (6 if material.pawns else 2) * GIB


def test_more_threads_need_more_memory_where_blocks_are_shared_out() -> None:
    for name in ("KRPvKR", "KPPvKP", "KRvKP"):
        assert memory_needed(Material.parse(name), 1) < memory_needed(Material.parse(name), 4)


@pytest.mark.parametrize("name", ["KRBvKN", "KPPvKR"])
def test_at_least_a_thread_takes_little_more_than_its_hand(name: str) -> None:
    """States are numbered in as little memory by many threads as by one."""
    one, eight = (least_memory(Material.parse(name), threads) for threads in (1, 8))
    assert 7 * HAND_BYTES <= eight - one <= 7 * (HAND_BYTES + 32 * MIB)


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("name", ["KvK", "KQvKQ", "KNvKP", "KRBvKN", "KBPvKR", "KPPvKR", "KPPvKPP", "KRNvKRP"])
def test_slots_that_find_states_are_within_what_is_granted(name: str, threads: int) -> None:
    material = Material.parse(name)
    layout = layout_of(material)
    at_hand = 7 * min(threads * max(64 * layout.block_words, 1 << 22), layout.cells)
    least, most = least_memory(material, threads), memory_needed(material, threads)
    before = 0
    for memory in np.linspace(least, most, 20).astype(int).tolist():
        slots = slots_granted(material, threads, memory)
        assert before <= slots
        needed = SLOT_BYTES * slots + (0 if len(layout.blocks) == 1 else at_hand)
        assert slots == LEAST_SLOTS or needed <= arrays_granted(memory, threads)
        before = slots


def test_threads_that_share_a_block_have_marks_of_their_own() -> None:
    one, two = (memory_needed(Material.parse("KRBvKN"), threads) for threads in (1, 2))
    assert two - one >= HAND_BYTES + 12 * geometry_of(layout_of(Material.parse("KRBvKN"))).words


@pytest.mark.parametrize("name", ["KQvK", "KPvK"])
def test_a_table_is_the_same_to_the_byte_when_all_that_can_lies_in_files(
    tmp_path: Path, table_folder: Path, name: str
) -> None:
    material = Material.parse(name)
    link_tables(tmp_path, table_folder, material)
    make_table(tmp_path, name, 2, UNHEARD, 1 << 20)
    for layer in Layer:
        made, known = (path_of(folder, material, layer) for folder in (tmp_path, table_folder))
        assert made.read_bytes() == known.read_bytes()
