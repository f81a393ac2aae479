"""The games of a match on the disk: appended one by one, and found again after an interruption.

The file of games is the only record of what has been played. A small file beside it, `GAMES.match`, says which match
it is, so that the same command with -recover can go on: the seed, where its games begin, and a digest of
all that decides who plays whom and how.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbgen.apps.games.writer import format_game
from tbgen.apps.match.match import MatchSettings
from tbgen.apps.match.record import TAG_LENGTH, Heading, StoredGame
from tbgen.errors import MatchError, TbgenError, UnreadableFileError
from tbgen.score import Score
from tbgen.system.disk import sync_folder, try_lock
from tbgen.text import cleaned

if TYPE_CHECKING:
    from tbgen.apps.games.chunks import ScannedChunk

_VERSION = 1
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WRITTEN = ("MatchId", "MatchGame", "RMobilityResult", "Termination", "TerminationDetails", "PlyCount")
"""The tags of a game that standings are made from."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Which match it is, and the seed of its order of openings."""

    match: str
    seed: int


class Store:
    """Where finished games go: nowhere, unless there is a file for them."""

    def __init__(self, settings: MatchSettings) -> None:
        self.identity = _new_identity(settings)
        self.games: list[StoredGame] = []
        """The games played before this run."""
        self.notes: list[str] = []
        """Messages to the user about the file."""

    def append(self, pgn: str) -> None:
        """Put a game on the disk; it has been played when this returns."""

    def finish(self) -> None:
        """Note that no game is left to be played."""

    def close(self) -> None:
        """Let others have the file."""


class FileStore(Store):
    """A PGN file and the state beside it; only one referee at a time may have it."""

    def __init__(self, settings: MatchSettings, digest: str) -> None:
        super().__init__(settings)
        assert settings.pgn is not None
        self._path = settings.pgn
        self._state_path = state_path(settings.pgn)
        self._digest = digest
        with contextlib.ExitStack() as opened:
            self._lock = _locked(self._state_path)
            opened.callback(os.close, self._lock)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            opened.callback(os.close, self._file)
            self._open(settings)
            self._opened = opened.pop_all()

    def append(self, pgn: str) -> None:
        self._refuse_another_file()
        data = pgn.encode()
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)

    def finish(self) -> None:
        self._write_state(finished=True)

    def close(self) -> None:
        self._opened.close()

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
        else:
            self._refuse_to_forget(settings, state)
            self._begin(settings)

    def _begin(self, settings: MatchSettings) -> None:
        self._start = _end_of(self._file)
        self.identity = _new_identity(settings)
        self._write_state(finished=False)
        sync_folder(self._path.parent)

    def _refuse_to_forget(self, settings: MatchSettings, state: dict[str, Any] | None) -> None:
        """A match that is not over is not dropped unasked."""
        if state is None or state["finished"]:
            return
        games = self._recovered(settings, state["match"]).games
        if games:
            raise MatchError(
                f"{self._path} has a match that is not over ({len(games)} games); "
                f"go on with -recover, or remove {self._state_path}"
            )

    def _go_on(self, settings: MatchSettings, state: dict[str, Any]) -> None:
        """Continue a match; a game that was not written to its end has not been played."""
        self._start, self.identity = state["start"], Identity(state["match"], state["seed"])
        if os.fstat(self._file).st_size < self._start:
            raise MatchError(
                f"{self._path} is shorter than when its match began; put it back, or remove {self._state_path}"
            )
        found = self._recovered(settings, self.identity.match)
        self.games = found.games
        if state["digest"] != self._digest:
            if not self.games:
                self._begin(settings)
                return
            raise MatchError(
                f"{self._path} was begun with other engines or settings; give the same, or another file with -pgnout"
            )
        if settings.seed not in (None, self.identity.seed):
            raise MatchError(f"the match in {self._path} has -srand {self.identity.seed}, not {settings.seed}")
        if not state["finished"]:
            self._cut_off(found)
            self._write_state(finished=False)
        _end_of(self._file)

    def _recovered(self, settings: MatchSettings, match: str) -> Recovered:
        return recovered(self._path, Heading(settings.event, settings.site, match))

    def _cut_off(self, found: Recovered) -> None:
        """Cut off an unfinished game; if it may belong to another program, keep it in a file beside."""
        size = os.fstat(self._file).st_size
        if found.kept_bytes == size:
            return
        if not found.is_known:
            beside = self._path.with_name(self._path.name + ".cut-off")
            cut = os.pread(self._file, size - found.kept_bytes, found.kept_bytes)
            with open(beside, "ab") as file:
                file.write(cut)
                file.flush()
                os.fsync(file.fileno())
            self.notes.append(f"an unfinished game at the end of {self._path} has been moved to {beside}")
        os.ftruncate(self._file, found.kept_bytes)

    def _read_state(self) -> dict[str, Any] | None:
        try:
            state: Any = json.loads(self._state_path.read_text(encoding="utf-8") or "null")
        except (ValueError, RecursionError):
            state = {}
        if state is None:
            return None
        fields: dict[str, Any] = state if isinstance(state, dict) else {}
        version = fields.get("version")
        if isinstance(version, int) and version != _VERSION:
            raise MatchError(f"{self._state_path} is of another version of this program; remove it to begin anew")
        if not _is_sound(fields):
            raise MatchError(f"{self._state_path} is damaged; remove it to begin a new match")
        return fields

    def _write_state(self, *, finished: bool) -> None:
        state = {
            "version": _VERSION,
            "match": self.identity.match,
            "seed": self.identity.seed,
            "start": self._start,
            "digest": self._digest,
            "finished": finished,
        }
        os.pwrite(self._lock, json.dumps(state).ljust(_STATE_BYTES).encode(), 0)
        os.fsync(self._lock)


_STATE = {"version": int, "match": str, "seed": int, "start": int, "digest": str, "finished": bool}
"""The fields of the state with their types."""

_MATCH = re.compile(r"[0-9a-f]{8}")


def _is_sound(state: dict[str, Any]) -> bool:
    """Whether the fields of a state have their types and ranges."""
    kinds = all(type(state.get(name)) is kind for name, kind in _STATE.items())
    return kinds and _MATCH.fullmatch(state["match"]) is not None and min(state["start"], state["seed"]) >= 0


_STATE_BYTES = 400
"""The state is written over itself in one go."""


def state_path(pgn: Path) -> Path:
    """The file beside a file of games."""
    return pgn.with_name(pgn.name + ".match")


@contextlib.contextmanager
def kept_from_matches(pgn: Path) -> Iterator[None]:
    """Keep matches from writing to a file of games; refused if one writes to it already."""
    try:
        lock = os.open(state_path(pgn), os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:  # no match has ever written to it
        yield
        return
    try:
        if not try_lock(lock):
            raise UnreadableFileError(str(pgn), "a match is writing to it; adjudicate it when the match is over")
        yield
    finally:
        os.close(lock)


def digest_of(settings: MatchSettings) -> str:
    """A digest of what decides the games: not how many at a time, nor how they are shown, nor how many rounds."""
    engines = [
        (spec.command, spec.name, str(spec.folder), sorted(spec.options.items()), str(spec.control), spec.white_view)
        for spec in settings.engines
    ]
    openings = None
    if settings.openings is not None:
        each = settings.openings
        content = hashlib.sha256(each.file.read_bytes()).hexdigest()
        openings = (content, each.notation.value, each.order.value, each.start, each.plies, each.policy.value)
    given, plan = settings.rules, settings.plan
    rules = (given.fifty_moves, given.scoring, given.resign, given.most_moves, settings.tables)
    shape = (plan.games, plan.repeat, plan.format, plan.seeds, plan.swap, settings.chess960)
    return hashlib.sha256(repr((engines, openings, rules, shape)).encode()).hexdigest()


def _new_identity(settings: MatchSettings) -> Identity:
    return Identity(secrets.token_hex(4), secrets.randbelow(2**31) if settings.seed is None else settings.seed)


def _end_of(file: int) -> int:
    """Where new games go; a file of others that does not end with an empty line gets one."""
    size = os.fstat(file).st_size
    if size and os.pread(file, 2, size - 2) != b"\n\n":
        os.write(file, b"\n\n")
    return os.fstat(file).st_size


def _locked(path: Path) -> int:
    """The state file, open and locked."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        if path.is_symlink():
            raise MatchError(f"{path} is a link; remove it, for the match writes its state there") from None
        raise error
    if not try_lock(file):
        os.close(file)
        raise MatchError(f"another match is writing to {path.with_suffix('')}; give another -pgnout")
    return file


@dataclass(frozen=True, slots=True)
class Recovered:
    """The finished games of a match, and what stands behind the last whole game of its file."""

    games: list[StoredGame]
    kept_bytes: int
    """The bytes of the file that stay."""
    is_known: bool
    """Whether the text that is cut off is certainly a game of this match, which will be played again."""


def recovered(path: Path, heading: Heading) -> Recovered:
    """Read back a match. A game counts if its result stands behind its moves; lines may end with CR LF.

    Only a last game that this match was writing is cut off. Games of others stay, finished or not.
    """
    from tbgen.apps.games.chunks import Chunk, scanned  # which loads the compiler

    data = path.read_bytes()
    start = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    chunk = scanned(Chunk(data, start, in_line=False, number=1))
    if chunk.binary_at >= 0:
        raise MatchError(f"{path} is a binary file, not PGN; give another file with -pgnout")
    games, last_end = list[StoredGame](), start
    for place in range(len(chunk.games)):
        if chunk.result_of(place) is not None:
            last_end, tags = chunk.bounds(place)[1], chunk.tags_of(place)
            if tags.get("MatchId") == heading.match and chunk.problem_of(place) is None:
                games.append(_stored(path, place + 1, tags))
    numbers = Counter(game.number for game in games)
    if twice := [number for number, times in numbers.items() if times > 1]:
        raise MatchError(f"{path} has game {twice[0]} of the match twice; take one out")
    rest = data[last_end:]
    blank = len(rest) - len(rest.lstrip())
    tail = rest[blank:]
    if not tail or not _is_own_beginning(tail, heading):
        return Recovered(games, len(data), is_known=True)
    return Recovered(games, last_end + blank, is_known=_match_of(chunk) == heading.match)


def _match_of(chunk: ScannedChunk) -> str | None:
    """The match that the last game of a file belongs to, if it is not finished and says so."""
    last = len(chunk.games) - 1
    return None if last < 0 or chunk.result_of(last) is not None else chunk.tags_of(last).get("MatchId")


def _is_own_beginning(tail: bytes, heading: Heading) -> bool:
    """Whether a text can be the beginning of a game of the match, as far as it goes."""
    text = tail.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    tags_before = {"Event": cleaned(heading.event, TAG_LENGTH), "Site": cleaned(heading.site, TAG_LENGTH)}
    known = format_game(tags_before, ()).partition("????")[0].encode()
    if len(text) <= len(known):
        return known.startswith(text)
    if not text.startswith(known):
        return False
    tags, blank_line, _ = text.partition(b"\n\n")
    if not blank_line:
        return True
    return f'[MatchId "{heading.match}"]'.encode() in tags.split(b"\n")


def _stored(path: Path, number: int, tags: dict[str, str]) -> StoredGame:
    missing = [name for name in _WRITTEN if name not in tags]
    if missing:
        raise MatchError(f"{path}, game {number}: it is one of the match, but its tag {missing[0]} is gone")
    try:
        return StoredGame(
            number=int(tags["MatchGame"]),
            outcome=Score(tags["RMobilityResult"]),
            termination=tags["Termination"],
            details=tags["TerminationDetails"],
            plies=int(tags["PlyCount"]),
        )
    except (ValueError, TbgenError) as error:
        raise MatchError(f"{path}, game {number}: it is one of the match, but was changed: {error}") from None
