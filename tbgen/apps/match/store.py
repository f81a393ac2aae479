"""The games of a match on the disk: appended one by one, and found again after an interruption.

The file of games is the only record of what has been played. A small file beside it, `GAMES.match`, says which match
it is, so that the same command with -recover can go on: the seed, where its games begin, and a digest of
all that decides who plays whom and how.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tbgen.apps.games.tags import Source
from tbgen.apps.match.match import MatchSettings
from tbgen.apps.match.tables import Ending
from tbgen.errors import MatchError, TbgenError, UnreadableFileError
from tbgen.score import Score
from tbgen.system.process import sync_folder, try_lock
from tbgen.text import parse_json

_STATE_BYTES = 400
"""The state is written over itself in one go."""
_MATCH = re.compile(r"[0-9a-f]{8}")


class StoredGame(NamedTuple):
    """A finished game. The file keeps its ending, but not what tables proved."""

    ending: Ending
    plies: int


@dataclass(frozen=True, slots=True)
class State:
    """Which match it is, and how far it is; what the file beside the games says."""

    match: str
    seed: int
    """Of its order of openings."""
    digest: str
    start: int = 0
    """Where its games begin in their file."""
    finished: bool = False


class Store:
    """Where finished games go: nowhere, unless there is a file for them."""

    def __init__(self, settings: MatchSettings, digest: str = "") -> None:
        seed = secrets.randbelow(2**31) if settings.seed is None else settings.seed
        self.state = State(secrets.token_hex(4), seed, digest)
        self.games: dict[int, StoredGame] = {}
        """[number] the games played before this run."""
        self.notes: list[str] = []
        """Messages to the user about the file."""

    def append(self, pgn: str) -> None:
        """Put a game on the disk; it has been played when this returns."""

    def finish(self) -> None:
        """Note that no game is left to be played."""


class FileStore(Store):
    """A PGN file and the state beside it; only one referee at a time may have it, until `opened` is closed."""

    def __init__(self, settings: MatchSettings, opened: contextlib.ExitStack | contextlib.AsyncExitStack) -> None:
        super().__init__(settings, digest_of(settings))
        assert settings.pgn is not None
        self._path, self._state_path = settings.pgn, state_path(settings.pgn)
        if self._state_path.is_symlink():
            raise MatchError(f"{self._state_path} is a link; remove it, for the match writes its state there")
        busy = MatchError(f"another match is writing to {self._path}; give another -pgnout")
        self._lock = opened.enter_context(_locked(self._state_path, os.O_CREAT, busy))
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        opened.callback(os.close, self._file)
        self._open(settings)

    def append(self, pgn: str) -> None:
        self._refuse_another_file()
        data = pgn.encode()
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)

    def finish(self) -> None:
        self._write_state(replace(self.state, finished=True))

    def _refuse_another_file(self) -> None:
        """If another program has replaced the file, ours has no name, and games written to it would be lost."""
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self._file), os.stat(self._path)):
                return
        raise MatchError(
            f"{self._path} is no longer the file that the match writes to: another program has replaced or removed it; "
            "go on with -recover"
        )

    def _open(self, settings: MatchSettings) -> None:
        state = self._read_state()
        if state is not None and settings.recover:
            self._go_on(settings, state)
        elif state is not None and not state.finished and (games := recovered(self._path, state.match)[0]):
            raise MatchError(
                f"{self._path} has a match that is not over ({len(games)} games); "
                f"go on with -recover, or remove {self._state_path}"
            )
        else:
            self._begin()

    def _begin(self) -> None:
        self._write_state(replace(self.state, start=_end_of(self._file)))
        sync_folder(self._path.parent)

    def _go_on(self, settings: MatchSettings, state: State) -> None:
        """Continue a match; a game that was not written to its end has not been played."""
        if os.fstat(self._file).st_size < state.start:
            raise MatchError(
                f"{self._path} is shorter than when its match began; put it back, or remove {self._state_path}"
            )
        self.games, end = recovered(self._path, state.match)
        if state.digest != self.state.digest:
            if not self.games:
                self._begin()
                return
            raise MatchError(
                f"{self._path} was begun with other engines or settings; give the same, or another file with -pgnout"
            )
        if settings.seed not in (None, state.seed):
            raise MatchError(f"the match in {self._path} has -srand {state.seed}, not {settings.seed}")
        if not state.finished:
            self._cut_off(max(end, state.start))
        self._write_state(replace(state, finished=False))
        _end_of(self._file)

    def _cut_off(self, end: int) -> None:
        """Move what is no finished game at the end of the file to a file beside: it may belong to another program."""
        cut = os.pread(self._file, os.fstat(self._file).st_size - end, end)
        if not cut.strip():
            return
        beside = self._path.with_name(self._path.name + ".cut-off")
        with open(beside, "ab") as file:
            file.write(cut)
            file.flush()
            os.fsync(file.fileno())
        os.ftruncate(self._file, end)
        self.notes.append(f"an unfinished game at the end of {self._path} has been moved to {beside}")

    def _read_state(self) -> State | None:
        try:
            state: State | None = parse_json(self._state_path.read_text(encoding="utf-8") or "null").read(State | None)
            if state is None or _MATCH.fullmatch(state.match):
                return state
        except ValueError:
            pass
        raise MatchError(f"{self._state_path} is damaged; remove it to begin a new match")

    def _write_state(self, state: State) -> None:
        self.state = state
        os.pwrite(self._lock, json.dumps(asdict(state)).ljust(_STATE_BYTES).encode(), 0)
        os.fsync(self._lock)


def state_path(pgn: Path) -> Path:
    """The file beside a file of games."""
    return pgn.with_name(pgn.name + ".match")


@contextlib.contextmanager
def kept_from_matches(pgn: Path) -> Iterator[None]:
    """Keep matches from writing to a file of games; refused if one writes to it already."""
    busy = UnreadableFileError(str(pgn), "a match is writing to it; adjudicate it when the match is over")
    with contextlib.ExitStack() as opened:
        with contextlib.suppress(FileNotFoundError):  # no match has ever written to it
            opened.enter_context(_locked(state_path(pgn), 0, busy))
        yield


@contextlib.contextmanager
def _locked(path: Path, flags: int, busy: Exception) -> Iterator[int]:
    """A state file, open and locked; `busy` is raised if another program has it."""
    file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | flags, 0o644)
    try:
        if not try_lock(file):
            raise busy
        yield file
    finally:
        os.close(file)


def digest_of(settings: MatchSettings) -> str:
    """A digest of what decides the games: not how many at a time, nor how they are shown, nor how many rounds."""
    engines = [
        replace(
            each,
            options=dict(sorted(each.options.items())),
            control=replace(each.control, margin=0.0),
            restart=False,
            hang=0.0,
            log=None,
            stderr=None,
        )
        for each in settings.engines
    ]
    plan, file = replace(settings.plan, rounds=1), settings.openings.file  # dataclasses: another field, another digest
    content = None if file is None else hashlib.sha256(file.read_bytes()).hexdigest()
    openings = replace(settings.openings, file=None)
    decisive = (engines, plan, content, openings, settings.rules, settings.tables, settings.chess960)
    return hashlib.sha256(repr(decisive).encode()).hexdigest()


def _end_of(file: int) -> int:
    """Where new games go; a file of others that does not end with an empty line gets one."""
    size = os.fstat(file).st_size
    if size and os.pread(file, 2, size - 2) != b"\n\n":
        os.write(file, b"\n\n")
    return os.fstat(file).st_size


def recovered(path: Path, match: str) -> tuple[dict[int, StoredGame], int]:
    """The finished games of a match by their numbers, and where the last finished game of its file ends.

    A game counts if its result stands behind its moves; lines may end with CR LF.
    """
    from tbgen.apps.games.chunks import Chunk  # which loads the compiler

    data = path.read_bytes()
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    chunk = Chunk(data)
    games, end = dict[int, StoredGame](), start
    for place in range(len(chunk.games)):
        if chunk.result_of(place) is not None:
            end, tags = chunk.span(place).stop, chunk.tags_of(place)
            if tags.get("MatchId") == match:
                number, game = _stored(path, place + 1, tags)
                if number in games:
                    raise MatchError(f"{path} has game {number} of the match twice; take one out")
                games[number] = game
    return games, end


def _stored(path: Path, place: int, tags: dict[str, str]) -> tuple[int, StoredGame]:
    """A game of a match and its number; `place` is the one in the file."""
    try:
        outcome, kind, details = Score(tags["RMobilityResult"]), tags["Termination"], tags["TerminationDetails"]
        return int(tags["MatchGame"]), StoredGame(Ending(outcome, Source.GAME, kind, details), int(tags["PlyCount"]))
    except KeyError as error:
        raise MatchError(f"{path}, game {place}: it is one of the match, but its tag {error.args[0]} is gone") from None
    except (ValueError, TbgenError) as error:
        raise MatchError(f"{path}, game {place}: it is one of the match, but was changed: {error}") from None
