"""Helpers at a table with pawns: what they solve is what its maker would have solved, and losing them does no harm."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client

import numpy as np
import pytest

from tbgen.errors import BuildError
from tbgen.library import lending as lending_module
from tbgen.library.lending import Invitation, Lending
from tbgen.material import Material
from tbgen.retro import Helper, MemoryStore, Shared
from tbgen.retro.drive import many_blocks
from tbgen.retro.drive.hand_out import HandOut
from tbgen.score import Mobility
from tests.retro.excerpt import MadeUp, SolvedBlocks

PLACEMENTS = [(27, 28), (11, 28), (9, 26), (25, 26), (26, 25), (26, 41)]
"""White and black pawns: d4 e4, which a double step leads to from d2 e4, and more of the kind; one that has passed."""

MATERIAL = Material.parse("KPvKP")
IDENTITY = {"material": "KPvKP", "made": "up"}


@pytest.fixture(scope="module")
def alone() -> SolvedBlocks:
    """Some blocks, solved by one process."""
    found = SolvedBlocks("KPvKP", PLACEMENTS)
    assert found.en_passant.entry.any()
    return found


@pytest.fixture
def lending() -> Iterator[Lending]:
    with Lending("127.0.0.1", 2) as made:
        made.identity = IDENTITY
        yield made


@contextlib.contextmanager
def beside(*programs: Callable[[], object]) -> Iterator[None]:
    """Some programs, each in a thread."""
    with ThreadPoolExecutor(len(programs)) as pool:
        futures = [pool.submit(program) for program in programs]
        yield
        for future in futures:
            future.result()


def helps(invitation: Invitation, threads: int = 1, identity: Mapping[str, str] = IDENTITY) -> None:
    """What a process that helps does, with children that are made up."""
    with ThreadPoolExecutor(threads) as pool, ThreadPoolExecutor(threads) as connected:
        children = {child: MadeUp(child) for child in MATERIAL.children()}
        helper = Helper(MATERIAL, children, threads, pool, Mobility.RESET)
        list(connected.map(lambda _: lending_module._solve_for(invitation, identity, helper), range(threads)))


def takes_and_is_lost(invitation: Invitation) -> None:
    """A helper that is gone when it has a run to solve."""
    with Client(invitation.address, authkey=invitation.key) as pipe:
        pipe.send(IDENTITY)
        assert pipe.recv()
        lending_module._receive(pipe)


def answers_nonsense(invitation: Invitation) -> None:
    with Client(invitation.address, authkey=invitation.key) as pipe:
        pipe.send(IDENTITY)
        assert pipe.recv()
        lending_module._receive(pipe)
        pipe.send("nothing of the kind")
        with pytest.raises(EOFError):
            pipe.recv()


def works_from_other_sources(invitation: Invitation) -> None:
    with pytest.raises(BuildError, match="this worker has other sources or children than the one it helps"):
        helps(invitation, identity={**IDENTITY, "made": "otherwise"})


def does_not_know_the_key(invitation: Invitation) -> None:
    with pytest.raises(AuthenticationError):
        Client(invitation.address, authkey=b"guessed")


def assert_same(found: SolvedBlocks, expected: SolvedBlocks) -> None:
    runs = expected.kept.runs()
    assert [(run.first, run.end) for run in found.kept.runs()] == [(run.first, run.end) for run in runs]
    for run, here in zip(runs, found.kept.runs(), strict=True):
        assert_same_arrays(expected.kept, found.kept, run.first, run.end)
        for left, right in zip(run.en_passant, here.en_passant, strict=True):
            np.testing.assert_array_equal(left, right)
    np.testing.assert_array_equal(expected.en_passant.entry, found.en_passant.entry)


def assert_same_arrays(left: MemoryStore, right: MemoryStore, first: int, end: int) -> None:
    for one, other in zip(left.cells(first, end), right.cells(first, end), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.fixture
def nobody_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody solves blocks in this process but those who help."""
    monkeypatch.setattr(many_blocks.ManyBlocks, "_solve_runs", lambda self: None)


@pytest.mark.usefixtures("nobody_here")
@pytest.mark.parametrize("threads", [1, 2])
def test_helpers_solve_blocks_as_their_maker_does(alone: SolvedBlocks, lending: Lending, threads: int) -> None:
    with beside(lambda: helps(lending.invitation, threads)):
        found = SolvedBlocks("KPvKP", PLACEMENTS, helpers=lending)
    assert_same(found, alone)
    assert lending.sent > 0
    assert lending.received > 0


@pytest.mark.usefixtures("nobody_here")
def test_what_is_written_is_sent_at_once(lending: Lending, monkeypatch: pytest.MonkeyPatch) -> None:
    """On both sides, for what small runs need is written in parts; each exchange took 88 milliseconds once."""
    at_once: list[bool] = []

    def seen(there: socket.socket) -> lending_module.Pipe:
        pipe = pipe_over(there)
        with socket.socket(fileno=os.dup(pipe.fileno())) as same:
            at_once.append(same.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0)
        return pipe

    pipe_over = lending_module._pipe_over
    monkeypatch.setattr(lending_module, "_pipe_over", seen)
    with beside(lambda: helps(lending.invitation)):
        SolvedBlocks("KPvKP", PLACEMENTS, helpers=lending)
    assert at_once == [True, True]


@pytest.mark.usefixtures("nobody_here")
def test_who_is_lost_or_does_not_belong_here_costs_its_run_and_nothing_else(
    alone: SolvedBlocks, lending: Lending
) -> None:
    others = (takes_and_is_lost, answers_nonsense, works_from_other_sources, does_not_know_the_key)

    def one_after_another() -> None:
        for program in (*others, helps):
            program(lending.invitation)

    with beside(one_after_another):
        found = SolvedBlocks("KPvKP", PLACEMENTS, helpers=lending)
    assert_same(found, alone)


def test_a_table_is_made_if_nobody_comes_to_help(alone: SolvedBlocks, lending: Lending) -> None:
    assert_same(SolvedBlocks("KPvKP", PLACEMENTS, helpers=lending), alone)


class Twice:
    """Brings every run twice, and knows of other blocks only what it is sent."""

    threads = 1

    @contextlib.contextmanager
    def at_work(self, shared: Shared) -> Iterator[None]:
        with ThreadPoolExecutor(1) as pool, beside(lambda: self._solve(shared, pool)):
            yield

    @staticmethod
    def _solve(shared: Shared, pool: ThreadPoolExecutor) -> None:
        children = {child: MadeUp(child) for child in MATERIAL.children()}
        while (needed := shared.take()) is not None:
            solved = Helper(MATERIAL, children, 1, pool, Mobility.RESET).solve(needed)
            shared.keep(solved, 1.0)
            shared.keep(solved, 1.0)
            shared.give_back(needed.blocks)


@pytest.mark.usefixtures("nobody_here")
def test_what_is_sent_suffices_and_what_comes_twice_is_kept_once(alone: SolvedBlocks) -> None:
    assert_same(SolvedBlocks("KPvKP", PLACEMENTS, helpers=Twice()), alone)


def test_a_run_that_is_given_back_is_the_next_one_that_is_taken() -> None:
    runs = HandOut()
    wave = threading.Thread(target=runs.solve_all, args=([(0, 1), (1, 2)],))
    wave.start()
    taken = runs.take()
    assert taken == (0, 1)
    runs.give_back(taken)
    assert runs.take() == (0, 1)
    assert runs.take() == (1, 2)
    runs.done((1, 2))
    assert wave.is_alive()
    runs.done((0, 1))
    wave.join()
    runs.close()
    assert runs.take() is None


def test_an_error_ends_the_wave() -> None:
    runs = HandOut()
    runs.fail(OSError("full"))
    with pytest.raises(OSError, match="full"):
        runs.solve_all([(0, 1)])
    assert runs.take() is None
