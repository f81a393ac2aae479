"""Everything that can go wrong, as one tree.

::

    TbgenError                      exit code 1
    ├── InputError                  2   what was asked cannot be understood
    │   ├── UsageError
    │   ├── ScoreFormatError
    │   ├── FenError
    │   ├── IllegalPositionError
    │   ├── AccruedError
    │   ├── MoveError
    │   ├── MaterialError
    │   ├── TooManyMenError
    │   ├── CastlingError
    │   ├── PgnError
    │   └── RecordError
    ├── UnreadableFileError         1   a file that the system does not give
    ├── RepresentationError         1   a value does not fit its stored form
    ├── TableError                  1
    │   ├── MissingTableError       3
    │   ├── MissingDistancesError   3
    │   ├── MissingFolderError      3
    │   ├── DamagedTableError       4
    │   ├── OutdatedTableError      4
    │   └── VerificationError       7
    ├── BuildError                  5
    │   ├── NotEnoughMemoryError    6
    │   └── NotEnoughDiskError      6
    ├── FetchError                  9   tables that cannot be fetched
    │   └── BrokenOffError
    ├── ProofError                  7   a proof that a side holds is wrong
    └── MatchError                  8   a match cannot start or go on
        └── EngineStartError

An error carries its facts as attributes and says in one line what the user can do.

All are in this file, for callers look up the whole tree. They are written out: as dataclasses they would be shorter,
and each start of the program would take four milliseconds more.
"""

from __future__ import annotations

import math
import os
import shlex
from typing import Any, ClassVar, Final

from tbgen.text import in_gib

_MOST_NAMED_MEN = 8
"""With more men a material is no name for people."""

_USUAL_FOLDER, _WHOLE_GAME = "data", "whole-game"
"""Where tables are looked for if nobody says where, and the folder within it for those of the other game."""

_MOST_TABLE_MEN = 5
"""Nobody is told to build a table of more men (record 282). `MOST_TABLE_MEN` is the same; its file imports this one."""


class TbgenError(Exception):
    """Root of the tree; `exit_code` is what the program ends with."""

    exit_code: ClassVar[int] = 1

    def __repr__(self) -> str:
        """The class and what the error carries, by name.

        >>> PgnError("games.pgn", "illegal move 'e5'", game=3, ply=1)
        PgnError(path='games.pgn', reason="illegal move 'e5'", game=3, ply=1)
        """
        carried = (f"{name}={value!r}" for name, value in vars(self).items() if not name.startswith("_"))
        return f"{type(self).__name__}({', '.join(carried)})"

    def facts(self) -> dict[str, Any]:
        """The error as JSON has it: its class, its line, and what it carries.

        >>> MoveError("e5", 3).facts()  # doctest: +NORMALIZE_WHITESPACE
        {'error': 'MoveError', 'message': "ply 3: illegal move 'e5'", 'move': 'e5', 'ply': 3, 'reason': 'illegal move',
        'because': ''}
        """
        carried = {name: _plain(value) for name, value in vars(self).items() if not name.startswith("_")}
        return {"error": type(self).__name__, "message": str(self), **carried}


def _plain(value: object) -> str | int | None:
    return value if value is None or isinstance(value, (str, int)) else str(value)


class InputError(TbgenError):
    """What was asked cannot be understood, or breaks a rule of chess."""

    exit_code = 2


class UsageError(InputError):
    """A setting or argument that makes no sense."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ScoreFormatError(InputError):
    """A text that is not a score."""

    def __init__(self, text: str, expected: str = "a score such as G3.5 or -G3.5") -> None:
        super().__init__(text, expected)
        self.text = text
        self.expected = expected

    def __str__(self) -> str:
        return f"{self.text!r} is not {self.expected}"


class FenError(InputError):
    """A text that is not a FEN."""

    def __init__(self, fen: str, reason: str) -> None:
        super().__init__(fen, reason)
        self.fen = fen
        self.reason = reason

    def __str__(self) -> str:
        return f"malformed FEN {self.fen!r}: {self.reason}"


class IllegalPositionError(InputError):
    """A well-formed FEN of a position that breaks a rule of chess."""

    def __init__(self, fen: str, rule: str) -> None:
        super().__init__(fen, rule)
        self.fen = fen
        self.rule = rule

    def __str__(self) -> str:
        return f"illegal position {self.fen!r}: {self.rule}"


class AccruedError(InputError):
    """An accrued score that no game can carry into its position."""

    def __init__(self, accrued: str, reason: str) -> None:
        super().__init__(accrued, reason)
        self.accrued = accrued
        self.reason = reason

    def __str__(self) -> str:
        return f"impossible accrued score {self.accrued!r}: {self.reason}"


class MoveError(InputError):
    """A move that cannot be played; `ply` counts from 1."""

    def __init__(self, move: str, ply: int, reason: str = "illegal move", because: str = "") -> None:
        super().__init__(move, ply, reason, because)
        self.move = move
        self.ply = ply
        self.reason = reason
        self.because = because

    def __str__(self) -> str:
        return f"ply {self.ply}: {self.said}"

    @property
    def said(self) -> str:
        """What is wrong with the move, without the ply."""
        return f"{self.reason} {self.move!r}{self.because and f': {self.because}'}"


class MaterialError(InputError):
    """A text that names no material."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text, reason)
        self.text = text
        self.reason = reason

    def __str__(self) -> str:
        return f"unknown material {self.text!r}: {self.reason}"


class TooManyMenError(InputError):
    """A material or position with more men than tables are made for."""

    def __init__(self, material: str, men: int, most: int) -> None:
        super().__init__(material, men, most)
        self.material = material
        self.men = men
        self.most = most

    def __str__(self) -> str:
        name = self.material if self.men <= _MOST_NAMED_MEN else "the position"
        return f"{name} has {self.men} men; tables exist for at most {self.most}"


class CastlingError(InputError):
    """A position with castling rights, which tables do not know."""

    def __init__(self, fen: str) -> None:
        super().__init__(fen)
        self.fen = fen

    def __str__(self) -> str:
        return f"tables know no castling rights: {self.fen!r}"


class PgnError(InputError):
    """A PGN file, or one game in it, that cannot be read; games and plies count from 1."""

    def __init__(self, path: str, reason: str, *, game: int | None = None, ply: int | None = None) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason
        self.game = game
        self.ply = ply

    def __str__(self) -> str:
        place = "" if self.game is None else f", game {self.game}"
        place += "" if self.ply is None else f", ply {self.ply}"
        return f"{self.path}{place}: {self.reason}"


class RecordError(InputError):
    """A file that is not the record of a table, as it was written here."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path} is not a record: {self.reason}; write it again with: tbgen record"


class UnreadableFileError(TbgenError):
    """A file that the system does not give."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class RepresentationError(TbgenError):
    """A value that its stored form has no room for."""

    def __init__(self, value: object, form: str) -> None:
        super().__init__(value, form)
        self.value = value
        self.form = form

    def __str__(self) -> str:
        return f"{self.value} does not fit {self.form}"


class TableError(TbgenError):
    """Something about a table."""


class MissingTableError(TableError, KeyError):
    """A table that has not been built, or lies elsewhere; a KeyError too, as that of chess.syzygy is."""

    exit_code = 3

    def __init__(self, material: str, folder: str | None = None) -> None:
        super().__init__(material, folder)
        self.material = material
        self.folder = folder

    def __str__(self) -> str:
        where = "" if self.folder is None else f" in {self.folder}"
        if len(self.material) - len("v") > _MOST_TABLE_MEN:
            return f"no table {self.material}{where}"
        return f"no table {self.material}{where}; build it with: tbgen build {self.material}{self._options()}"

    def for_strangers(self) -> MissingTableError:
        """The same error for those who are not to know where tables lie; they may know of which game."""
        return MissingTableError(self.material, f"{_USUAL_FOLDER}/{_WHOLE_GAME}" if self._is_of_whole_game() else None)

    def _is_of_whole_game(self) -> bool:
        return os.path.basename(self.folder or "") == _WHOLE_GAME

    def _options(self) -> str:
        """What tells `build` where the table was looked for."""
        folder, game = self.folder or _USUAL_FOLDER, ""
        if self._is_of_whole_game():
            folder, game = os.path.dirname(folder) or ".", f" --game {_WHOLE_GAME}"
        is_elsewhere = folder != _USUAL_FOLDER and ", " not in folder
        return f"{f' --data {shlex.quote(folder)}' if is_elsewhere else ''}{game}"


NO_TABLE: Final = (MissingTableError, TooManyMenError, CastlingError)
"""What a probe raises where no table answers."""


class MissingDistancesError(TableError):
    """A table whose outcomes are there and whose distances are asked for, which are not."""

    exit_code = 3

    def __init__(self, material: str, folder: str) -> None:
        super().__init__(material, folder)
        self.material = material
        self.folder = folder

    def __str__(self) -> str:
        return f"only the outcomes of {self.material} are in {self.folder}; for distances: tbgen build {self.material}"


class MissingFolderError(TableError):
    """A folder of tables that is not there."""

    exit_code = 3

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.folder = folder

    def __str__(self) -> str:
        return f"there is no folder {self.folder}; name one with --data, or make it with: tbgen build --men 3"


class DamagedTableError(TableError):
    """A table file whose content cannot be trusted."""

    exit_code = 4

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"damaged table {self.path}: {self.reason}; delete it and build it again"


class OutdatedTableError(TableError):
    """A table file in a format that this version does not read."""

    exit_code = 4

    def __init__(self, path: str, found: str, needed: str) -> None:
        super().__init__(path, found, needed)
        self.path = path
        self.found = found
        self.needed = needed

    def __str__(self) -> str:
        return f"{self.path} has {self.found}, this program reads {self.needed}; build it again"


class VerificationError(TableError):
    """A table that contradicts the rules, itself or the tables it leads to."""

    exit_code = 7

    def __init__(self, material: str, violation: str) -> None:
        super().__init__(material, violation)
        self.material = material
        self.violation = violation

    def __str__(self) -> str:
        return f"{self.material} is wrong: {self.violation}"


class BuildError(TbgenError):
    """A build that cannot start or go on."""

    exit_code = 5

    def __init__(self, material: str, reason: str) -> None:
        super().__init__(material, reason)
        self.material = material
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot build {self.material}: {self.reason}"


class NotEnoughMemoryError(BuildError):
    """Tables that would not fit the memory at hand, and the one that takes most; both figures in bytes."""

    exit_code = 6

    def __init__(self, material: str, needed_bytes: int, available_bytes: int, tables: int = 1) -> None:
        TbgenError.__init__(self, material, needed_bytes, available_bytes, tables)
        self.material = material
        self.needed_bytes = needed_bytes
        self.available_bytes = available_bytes
        self.tables = tables
        remedy = "free some, or grant more" if tables == 1 else f"{tables} tables cannot be made, --plan names them"
        needed, available = in_gib(needed_bytes), in_gib(available_bytes, math.floor)
        self.reason = f"it needs about {needed} of memory, {available} are available; {remedy}"


class NotEnoughDiskError(BuildError):
    """Tables that would not fit the disk; both figures in bytes, the first an estimate."""

    exit_code = 6

    def __init__(self, material: str, needed_bytes: int, available_bytes: int, tables: int = 1) -> None:
        TbgenError.__init__(self, material, needed_bytes, available_bytes, tables)
        self.material = material
        self.needed_bytes = needed_bytes
        self.available_bytes = available_bytes
        self.tables = tables
        what = "it needs" if tables == 1 else f"it and the {tables - 1} others to be made need"
        needed, free = (
            f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.2g} MB"
            for size in (needed_bytes, available_bytes)
        )
        self.reason = f"{what} about {needed} of disk, {free} are free; make room, or build fewer"


class FetchError(TbgenError):
    """Tables that cannot be fetched from where they were asked for."""

    exit_code = 9

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, reason)
        self.url = url
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot fetch from {self.url}: {self.reason}"


class BrokenOffError(FetchError):
    """An answer that ended before its end; another try may fare better."""


class ProofError(TbgenError):
    """A strategy that does not keep what it promises, or is none."""

    exit_code = 7

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.name} is wrong: {self.reason}"


class MatchError(TbgenError):
    """A match between engines that cannot start or go on."""

    exit_code = 8

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class EngineStartError(MatchError):
    """An engine that does not start, or does not take its settings."""

    def __init__(self, engine: str, reason: str) -> None:
        TbgenError.__init__(self, engine, reason)
        self.engine = engine
        self.reason = reason

    def __str__(self) -> str:
        return f"engine {self.engine!r} cannot be started: {self.reason}"
