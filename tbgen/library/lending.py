"""Lending: processes that help to make a table with pawns, on this machine or on others.

The one that makes it listens at an address. A thread of a helper connects, proves that it knows the key of the
invitation, says from which sources and children it works, and is sent runs of blocks until there are no more. What the
helper needs of blocks solved before is sent with them; children it reads from the folder that all machines share.
A connection that breaks costs the run that is under way, which somebody else solves.
"""

from __future__ import annotations

import contextlib
import pickle
import secrets
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbgen.compiled.folders import source_digest
from tbgen.errors import BuildError
from tbgen.material import Material
from tbgen.storage.codec import pack, unpack_into
from tbgen.storage.files import path_of
from tbgen.storage.folders import game_of_folder
from tbgen.storage.reader import TableFile
from tbgen.system.process import give_back, keep_freed

if TYPE_CHECKING:
    from tbgen.retro import Helper, Shared

_LOOK_SECONDS = 0.2
"""So often a process that listens looks whether it still should."""
_SILENT_SECONDS = 30
"""A machine that says nothing for so long, not even that its program is busy, is lost."""
_LEVEL = 1
_KEY_BYTES = 32

Pipe: TypeAlias = "Connection[Any, Any]"


@dataclass(frozen=True, slots=True)
class Invitation:
    """Where a helper connects, and what it has to know there."""

    address: tuple[str, int]
    key: bytes = field(repr=False)


def identity_of(folder: Path, material: Material, children: Mapping[Material, TableFile]) -> dict[str, Any]:
    """What the blocks of a table depend on."""
    known = {str(child): file.digest for child, file in children.items()}
    return {
        "material": str(material),
        "game": str(game_of_folder(folder)),
        "source": source_digest(),
        "children": known,
    }


class Lending:
    """Takes in the threads of helpers, which are so many at most; OSError if it cannot listen there."""

    def __init__(self, host: str, threads: int) -> None:
        self.threads = threads
        self.identity: Mapping[str, Any] = {}
        """What helpers have to work from."""
        self.sent = self.received = 0
        """Bytes, packed."""
        self._socket = socket.create_server((host, 0))
        self._socket.settimeout(_LOOK_SECONDS)
        self._key = secrets.token_bytes(_KEY_BYTES)
        self._lock = threading.Lock()

    @property
    def invitation(self) -> Invitation:
        return Invitation(self._socket.getsockname()[:2], self._key)

    @contextlib.contextmanager
    def at_work(self, shared: Shared) -> Iterator[None]:
        """Let helpers take part in a table's blocks."""
        is_over = threading.Event()
        accepting = threading.Thread(target=self._accept, args=(shared, is_over), daemon=True)
        accepting.start()
        try:
            yield
        finally:
            is_over.set()
            accepting.join()

    def __enter__(self) -> Lending:
        return self

    def __exit__(self, *error: object) -> None:
        self._socket.close()

    def _accept(self, shared: Shared, is_over: threading.Event) -> None:
        while not is_over.is_set():
            with contextlib.suppress(TimeoutError):
                there, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(there, shared), daemon=True).start()

    def _serve(self, there: socket.socket, shared: Shared) -> None:
        """Send a helper's thread what it is to solve; whatever goes wrong with it is no concern of the table's."""
        with contextlib.suppress(Exception), _pipe_over(there) as pipe:
            deliver_challenge(pipe, self._key)
            answer_challenge(pipe, self._key)
            belongs = pipe.recv() == self.identity
            pipe.send(belongs)
            while belongs and (needed := shared.take()) is not None:
                try:
                    sent = _send(pipe, needed)
                    (solved, cpu_seconds), received = _receive(pipe)
                    shared.keep(solved, cpu_seconds)
                finally:
                    shared.give_back(needed.blocks)  # nothing happens if it has been kept
                with self._lock:
                    self.sent, self.received = self.sent + sent, self.received + received


def help_with(folder: Path, name: str, threads: int, invitation: Invitation) -> None:
    """Solve runs of blocks of a canonical material's table for the process that invites, until it has all."""
    keep_freed()
    _help_with(folder, Material.parse(name), threads, invitation)
    give_back()


def _help_with(folder: Path, material: Material, threads: int, invitation: Invitation) -> None:
    from tbgen.retro import Helper

    with contextlib.ExitStack() as opened:
        children = {child: opened.enter_context(TableFile(path_of(folder, child))) for child in material.children()}
        pool, connected = (opened.enter_context(ThreadPoolExecutor(threads)) for _ in range(2))
        helper = Helper(material, children, threads, pool, game_of_folder(folder))
        identity = identity_of(folder, material, children)
        list(connected.map(lambda _: _solve_for(invitation, identity, helper), range(threads)))


def _solve_for(invitation: Invitation, identity: Mapping[str, Any], helper: Helper) -> None:
    """What a thread of a helper does; that nobody is there any more is how it ends."""
    with (
        contextlib.suppress(EOFError, ConnectionError),
        _pipe_over(socket.create_connection(invitation.address)) as pipe,
    ):
        answer_challenge(pipe, invitation.key)
        deliver_challenge(pipe, invitation.key)
        pipe.send(identity)
        if not pipe.recv():
            raise BuildError(identity["material"], "this worker has other sources or children than the one it helps")
        while True:
            needed, _ = _receive(pipe)
            begun = time.thread_time()
            solved = helper.solve(needed)
            _send(pipe, (solved, time.thread_time() - begun))


def _send(pipe: Pipe, thing: object) -> int:
    """Send something with its arrays packed; how many bytes that were."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(thing, 5, buffer_callback=buffers.append)
    arrays = [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]
    packed = [pack(array, shuffled=False, level=_LEVEL) for array in arrays]
    pipe.send((head, [len(array) for array in arrays]))
    for part in packed:
        pipe.send_bytes(part)
    return len(head) + sum(map(len, packed))


def _receive(pipe: Pipe) -> tuple[Any, int]:
    """What was sent so, and how many bytes that were."""
    head, sizes = pipe.recv()
    arrays, size = [np.empty(items, np.uint8) for items in sizes], len(head)
    for array in arrays:
        packed = pipe.recv_bytes()
        unpack_into(packed, array)
        size += len(packed)
    return pickle.loads(head, buffers=arrays), size


def _pipe_over(there: socket.socket) -> Pipe:
    """A pipe over a connection that breaks when the other machine is gone without a word.

    What is written is sent at once. By default the system may hold it back until the other end has confirmed what was
    written before, some 40 milliseconds each way.
    """
    there.settimeout(None)
    there.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    there.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, True)
    for option, value in (("TCP_KEEPIDLE", _SILENT_SECONDS), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
        if number := getattr(socket, option, None):
            there.setsockopt(socket.IPPROTO_TCP, number, value)
    return Connection(there.detach())
