"""The games of a match on the disk: appended one by one, and found again after an interruption.

The file of games is the only record of what has been played. A small file beside it, `GAMES.match`,
says which match it is, so that the same command with -recover can go on: the seed, where its games
begin, and a digest of all that decides who plays whom and how.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tbgen.apps.games.tags import Source
from tbgen.apps.games.text import chunks_in
from tbgen.apps.match.settings import Format, MatchSettings
from tbgen.apps.match.sheet import Ending
from tbgen.errors import MatchError, TbgenError, UnreadableFileError
from tbgen.reading import parse_json, read_as
from tbgen.score import Score
from tbgen.system.process import sync_folder, try_lock

_STATE_BYTES = 400
"""The fixed size of the state, so that one write replaces it."""
Opened = contextlib.ExitStack | contextlib.AsyncExitStack
_MATCH = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class State:
    """Which match it is, and how far it has come, as the file beside the games says."""

    match: str
    seed: int
    """The seed of its order of openings."""
    digest: str
    start: int = 0
    """Where its games begin in their file."""
    finished: bool = False


class StoredGame(NamedTuple):
    """A game of the match that is in its file."""

    number: int
    ending: Ending
    players: tuple[str, str]
    """White and Black by its tags."""


def new_seed(settings: MatchSettings) -> int:
    """The seed of a new match."""
    return secrets.randbelow(2**31) if settings.seed is None else settings.seed


class FileJournal:
    """A PGN file and the state beside it.

    Only one referee at a time may have it, until `opened` is closed.
    """

    def __init__(
        self, settings: MatchSettings, opened: Opened, notes: Callable[[str], None]
    ) -> None:
        self.state = State(secrets.token_hex(4), new_seed(settings), digest_of(settings))
        assert settings.pgn is not None
        self._path = settings.pgn
        self._state_path = state_path(settings.pgn)
        self._notes = notes
        if self._state_path.is_symlink():
            raise MatchError(
                f"{self._state_path} is a link; remove it, for the match writes its state there"
            )
        busy = MatchError(f"another match is writing to {self._path}; give another -pgnout")
        self._lock = _locked(self._state_path, os.O_CREAT, busy, opened)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        opened.callback(os.close, self._file)
        self._goes_on = self._is_to_go_on(self._read_state(), settings)
        if not self._goes_on:
            self._write_state(replace(self.state, start=_end_of(self._file)))
            sync_folder(self._path.parent)

    def _is_to_go_on(self, old: State | None, settings: MatchSettings) -> bool:
        """Whether this match continues the old one, whose state it then takes over.

        MatchError if the games of the old match allow neither that nor a new match.
        """
        if old is None or (old.finished and not settings.recover):
            return False
        is_same = settings.recover and old.digest == self.state.digest
        if not is_same and not self._has_games_of(old.match):
            return False
        pgn = self._path
        or_remove = f"or remove {self._state_path}"
        if not settings.recover:
            raise MatchError(
                f"{pgn} has a match that is not over; go on with -recover, {or_remove}"
            )
        if not is_same:
            raise MatchError(
                f"{pgn} was begun with other engines or settings; "
                "give the same, or another file with -pgnout"
            )
        if os.fstat(self._file).st_size < old.start:
            raise MatchError(
                f"{pgn} is shorter than when its match began; put it back, {or_remove}"
            )
        if settings.seed not in (None, old.seed):
            raise MatchError(f"the match in {pgn} has -srand {old.seed}, not {settings.seed}")
        self.state = old
        return True

    def _has_games_of(self, match: str) -> bool:
        return any(game is not None for _, game in stored_games(self._path, match))

    def recovered(self) -> Iterator[StoredGame]:
        """The games that were played before this run.

        New games may be appended after them.
        """
        if not self._goes_on:
            return
        end = self.state.start
        for stop, game in stored_games(self._path, self.state.match):
            end = max(end, stop)
            if game is not None:
                yield game
        if not self.state.finished:
            self._cut_off(end)
        self._write_state(replace(self.state, finished=False))
        _end_of(self._file)

    def append(self, pgn: str) -> None:
        """Put a game on the disk; it has been played when this returns."""
        self._refuse_another_file()
        try:
            with open(self._file, "ab", closefd=False) as file:
                file.write(pgn.encode())
            os.fsync(self._file)
        except OSError as error:
            raise MatchError(
                f"{self._path}: {error.strerror}; make room, and go on with -recover"
            ) from None

    def finish(self) -> None:
        """Note that no game is left to be played."""
        self._write_state(replace(self.state, finished=True))

    def _refuse_another_file(self) -> None:
        """Refuse to go on if another program has replaced the file.

        The open file has no name then, and games written to it would be lost.
        """
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self._file), os.stat(self._path)):
                return
        raise MatchError(
            f"{self._path} is no longer the file that the match writes to: "
            "another program has replaced or removed it; go on with -recover"
        )

    def _cut_off(self, end: int) -> None:
        """Move an unfinished game at the end of the file to a file beside.

        It may belong to another program.
        """
        cut = os.pread(self._file, os.fstat(self._file).st_size - end, end)
        if not cut.strip():
            return
        beside = self._path.with_name(self._path.name + ".cut-off")
        with open(beside, "ab") as file:
            file.write(cut)
            file.flush()
            os.fsync(file.fileno())
        os.ftruncate(self._file, end)
        self._notes(f"an unfinished game at the end of {self._path} has been moved to {beside}")

    def _read_state(self) -> State | None:
        with contextlib.suppress(ValueError):
            text = self._state_path.read_text(encoding="utf-8") or "null"
            state: State | None = read_as(State | None, parse_json(text))
            if state is None or _MATCH.fullmatch(state.match):
                return state
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
    busy = UnreadableFileError(
        str(pgn), "a match is writing to it; adjudicate it when the match is over"
    )
    with contextlib.ExitStack() as opened:
        with contextlib.suppress(FileNotFoundError):  # no match has ever written to it
            _locked(state_path(pgn), 0, busy, opened)
        yield


def _locked(path: Path, flags: int, busy: Exception, opened: Opened) -> int:
    """A state file, locked until `opened` is closed; `busy` is raised if another program has it."""
    file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | flags, 0o644)
    opened.callback(os.close, file)
    if not try_lock(file):
        raise busy
    return file


def digest_of(settings: MatchSettings) -> str:
    """A digest of what decides the games.

    How many games at a time, how they are shown, and how many rounds are played do not.
    """
    engines = [
        (spec.command, spec.name, spec.folder, sorted(spec.options.items()))
        for spec in settings.engines
    ]
    controls = [replace(spec.control, margin=0.0) for spec in settings.engines]
    plan = settings.plan
    if plan.format is not Format.SWISS:  # whose last round is paired by other rules
        plan = replace(plan, rounds=1)
    book = settings.openings.file
    decisive = (
        engines,
        controls,
        plan,
        None if book is None else hashlib.sha256(book.read_bytes()).hexdigest(),
        replace(settings.openings, file=None),
        settings.rules,
        settings.tables,
        settings.variant,
    )
    return hashlib.sha256(repr(decisive).encode()).hexdigest()


def _end_of(file: int) -> int:
    """Where new games go; a file of others that does not end with an empty line gets one."""
    size = os.fstat(file).st_size
    if size and os.pread(file, 2, size - 2) != b"\n\n":
        os.write(file, b"\n\n")
    return os.fstat(file).st_size


def stored_games(path: Path, match: str) -> Iterator[tuple[int, StoredGame | None]]:
    """Where each finished game of a file ends, with the game if it is of the match.

    A game counts if its result stands behind its moves; lines may end with CR LF.
    """
    before = 0
    for chunk in chunks_in(path, may_be_empty=True):
        for game in chunk.games:
            if game.result is None:
                continue
            stored: StoredGame | None = None
            if game.tags.get("MatchId") == match:
                stored = _stored(path, game.number, game.tags)
            yield before + game.span.stop, stored
        before += len(chunk.text)


def _stored(path: Path, nth: int, tags: dict[str, str]) -> StoredGame:
    """A game of a match by its tags; `nth` is its number in the file."""
    try:
        ending = Ending(
            outcome=Score(tags["RMobilityResult"]),
            source=Source(tags["RMobilitySource"]),
            termination=tags["Termination"],
            details=tags["TerminationDetails"],
            plies=int(tags["PlyCount"]),
        )
        return StoredGame(int(tags["MatchGame"]), ending, (tags["White"], tags["Black"]))
    except KeyError as error:
        raise MatchError(
            f"{path}, game {nth}: it is one of the match, but its tag {error.args[0]} is gone"
        ) from None
    except (ValueError, TbgenError) as error:
        raise MatchError(
            f"{path}, game {nth}: it is one of the match, but was changed: {error}"
        ) from None
