"""Layers shared by threads: how words are cut into parts, and that nothing depends on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.errors import RepresentationError
from tbgen.retro.drive import one_block, shared_layers
from tbgen.retro.levels import forcer as forcer_module
from tbgen.retro.levels.packing import new_bucket_queue
from tbgen.retro.words.worklist import new_worklist
from tests.retro.tables import solve_from_values
from tests.retro.test_solver import Backwards, assert_same

SET_WORDS = 4096
"""Words of which a mark and its summaries share an item."""


@given(st.sets(st.integers(0, 20 * SET_WORDS - 1), min_size=1, max_size=300), st.integers(1, 8))
def test_spans_hold_all_words_once_and_no_two_meet_where_sets_are_cut(words: set[int], threads: int) -> None:
    worklist = new_worklist(20 * SET_WORDS)
    worklist.words[: len(words)] = sorted(words)
    spans = shared_layers.cut_words(worklist, len(words), threads)
    assert [n for first, end in spans for n in range(first, end)] == list(range(len(words)))
    groups = [set((worklist.words[first:end] // SET_WORDS).tolist()) for first, end in spans]
    assert len(spans) <= threads
    assert all(groups)
    assert sum(map(len, groups)) == len(set.union(set(), *groups))


class Counter:
    """Stands in for `cut_words`, and counts the layers' steps that more than one thread had a part in."""

    def __init__(self, cut_words: Callable[..., list[shared_layers.Span]]) -> None:
        self.cut_words = cut_words
        self.calls = self.shared = self.most = self.in_middles = 0

    def __call__(self, *arguments: Any) -> list[shared_layers.Span]:
        spans = self.cut_words(*arguments)
        self.calls += 1
        self.shared += len(spans) > 1
        self.most = max(self.most, len(spans))
        return spans


def watched(counter: Counter) -> type[shared_layers.SharedLayers]:
    """Shared layers that hold the threads' own worklists empty after each, and count what middles shared."""

    class Watched(shared_layers.SharedLayers):
        def finish_class_layer(self, forcer: Any, rank: int) -> None:
            super().finish_class_layer(forcer, rank)
            self.assert_empty_worklists()

        def finish_middle_layer(self, forcer: Any, level: int) -> None:
            before = counter.shared
            super().finish_middle_layer(forcer, level)
            counter.in_middles += counter.shared - before
            self.assert_empty_worklists()

        def assert_empty_worklists(self) -> None:
            for private in self.private:
                assert not any(each.any() for each in (private.bits, private.marked, private.summary, private.size))

    return Watched


def shared_steps(name: str, threads: int, thick: int, monkeypatch: pytest.MonkeyPatch) -> Counter:
    """Solve a table with its layers shared from some thickness on; it must be the one that a thread alone makes."""
    apart, counter = solve_from_values(name, threads=1), Counter(shared_layers.cut_words)
    monkeypatch.setattr(shared_layers, "THICK", thick)
    monkeypatch.setattr(shared_layers, "WORTH_A_SPAN", 100)
    monkeypatch.setattr(shared_layers, "cut_words", counter)
    monkeypatch.setattr(one_block, "SharedLayers", watched(counter))
    assert_same(solve_from_values(name, threads), apart)
    return counter


@pytest.mark.parametrize("name", ["KQvK", "KBvK"])
def test_layers_left_to_all_threads_give_the_same_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shared_steps(name, threads=3, thick=0, monkeypatch=monkeypatch).calls > 50


@pytest.mark.parametrize(("threads", "thick"), [(3, 0), (4, 500), (16, 100)])
def test_spans_on_several_threads_give_the_same_table(
    threads: int, thick: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = shared_steps("KQQvK", threads, thick, monkeypatch)
    assert counter.shared > counter.calls / 4
    assert counter.most > min(threads, shared_layers.MOST_THREADS)


def test_it_does_not_matter_which_thread_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    solve_from_values("KQQvK", threads=1)
    monkeypatch.setattr("tbgen.retro.drive.solver.ThreadPoolExecutor", Backwards)
    counter = shared_steps("KQQvK", threads=3, thick=0, monkeypatch=monkeypatch)
    assert counter.shared > counter.calls / 4
    assert counter.most > 3


@pytest.mark.parametrize(("name", "thick"), [("KNvKN", 500), ("KBvKN", 0)])
def test_middles_left_to_all_threads_give_the_same_table(
    name: str, thick: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shared_steps(name, threads=3, thick=thick, monkeypatch=monkeypatch).in_middles > 100


@pytest.mark.parametrize("threads", [1, 3])
def test_an_agenda_that_is_full_is_an_error_whoever_finds_it_so(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    solve_from_values("KBvKN", threads=1)
    monkeypatch.setattr(shared_layers, "THICK", 0)
    monkeypatch.setattr(forcer_module, "new_bucket_queue", lambda entries: new_bucket_queue(1500))
    with pytest.raises(RepresentationError, match="the number of positions of KBvKN to look at"):
        solve_from_values("KBvKN", threads)


def test_two_threads_share_layers_once_the_other_forcer_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is done first is up to chance, unless one follows the other."""
    solve_from_values("KBvKN", threads=1)
    monkeypatch.setattr("tbgen.retro.drive.solver.ThreadPoolExecutor", Backwards)
    counter = shared_steps("KBvKN", threads=2, thick=500, monkeypatch=monkeypatch)
    assert counter.shared > counter.in_middles > 100


@pytest.mark.slow
@pytest.mark.parametrize("threads", [3, 8])
@pytest.mark.parametrize("name", ["KBvKN", "KRvKB", "KQvKQ", "KRvKN", "KRvKR"])
def test_shared_layers_of_either_side_give_the_same_table(
    name: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All levels, not mate alone: positions that a class gains later leave the middle, labels are corrected."""
    counter = shared_steps(name, threads=threads, thick=0, monkeypatch=monkeypatch)
    assert counter.shared > 1000
    assert counter.in_middles > 500


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBvKN", "KRvKB", "KQvKQ"])
def test_whichever_of_two_threads_is_done_first_the_table_is_the_same(name: str) -> None:
    shared = 0
    for _ in range(4):
        with pytest.MonkeyPatch.context() as patched:
            shared += shared_steps(name, threads=2, thick=0, monkeypatch=patched).in_middles
    assert shared > 0


def test_a_thread_alone_shares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    solve_from_values("KQvK", threads=1)  # its child, which has two threads, is solved here
    counter = Counter(shared_layers.cut_words)
    monkeypatch.setattr(shared_layers, "THICK", 0)
    monkeypatch.setattr(shared_layers, "cut_words", counter)
    solve_from_values("KQvK", threads=1)
    assert counter.calls == 0
