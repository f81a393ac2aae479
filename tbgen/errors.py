"""Everything that can go wrong, as one tree; and arguments, checked where they come in.

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
    │   └── InputFileError
    │       └── PgnError
    ├── UnreadableFileError         1   a file that cannot be opened, read or written
    ├── ClosureTooLargeError        6   a position that cannot be solved here
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
    ├── ProofError                  7   a proof that a side holds is wrong
    ├── UnprovedError               7   nothing is proved, or proofs contradict each other
    ├── MatchError                  8   a match cannot start or go on
    │   └── EngineStartError
    └── AddressError               10   a server cannot listen at its address

An error carries its facts as attributes and says in one line what the user can do.

A class gives its exit code, a template of its line, and its fields; `TbgenError` does the rest. As
dataclasses they would make each start of the program four milliseconds slower.
"""

from __future__ import annotations

import copy
import enum
import math
import operator
import os
import re
import reprlib
import shlex
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self, SupportsIndex, TypeVar, dataclass_transform

from tbgen.facts import plain
from tbgen.text import in_gib, in_units

T = TypeVar("T")
M = TypeVar("M", bound=enum.Enum)

_USUAL_FOLDER = "data"
"""The default folder of tables."""
_WHOLE_GAME = "whole-game"
"""The folder in it for tables of whole-game mobility."""

OWN_MEN: Final = re.compile(r"[A-Z]=[A-Z]+(,[A-Z]=[A-Z]+)*")
"""The name of a folder of tables with men of your own."""

_NAMES_OF_FILES = {"file", "path"}
"""The fields of errors that name a file."""
_MOST_TABLE_MEN = 5
"""The same as `material.MOST_TABLE_MEN`, which imports this file.

No error asks you to build a larger table.
"""
_MOST_SOLVED_FREE = 6
"""Blocks with more men beside pawns take more memory than machines have."""
_MOST_NAMED_MEN = 9
"""The name of a material with more men says less than their number."""


@dataclass_transform()
class TbgenError(Exception):
    """The root of all errors of tbgen.

    The constructor of a subclass takes its fields in order, or by name. They are attributes of the
    error.

    >>> str(PgnError("games.pgn", "illegal move 'e5'", number=3, ply=1))
    "games.pgn, game 3, ply 1: illegal move 'e5'"
    """

    exit_code: ClassVar[int] = 1
    """The exit code of a command that ends with this error."""

    template: ClassVar[str] = "{reason}"
    """The line of the error, with the names of fields in braces."""
    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, exit_code: int = 0, template: str = "") -> None:
        cls._fields = tuple(dict.fromkeys([*cls._fields, *cls.__annotations__]))
        if exit_code:
            cls.exit_code = exit_code
        if template:
            cls.template = template

    def __init__(self, *values: Any, **named: Any) -> None:
        given = dict(zip(self._fields, values, strict=False))
        given.update(named)
        is_each_given_once = len(given) == len(values) + len(named)
        if not is_each_given_once or not given.keys() <= set(self._fields):
            raise self._wrong_arguments()
        for name in self._fields:
            if name not in given:
                if not hasattr(type(self), name):
                    raise self._wrong_arguments()
                given[name] = getattr(type(self), name)
        super().__init__(*(given[name] for name in self._fields))
        vars(self).update(zip(self._fields, self.args, strict=True))

    def _wrong_arguments(self) -> TypeError:
        return TypeError(f"{type(self).__name__} takes {', '.join(self._fields)}, each once")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).__new__, (type(self), *self.args), vars(self)

    def __str__(self) -> str:
        return self.template.format_map(vars(self))

    def facts(self) -> dict[str, Any]:
        """The error as JSON has it.

        Returns:
            The name of its class as `error`, its line as `message`, and its fields.

        >>> MoveError("e5", 3).facts()  # doctest: +NORMALIZE_WHITESPACE
        {'error': 'MoveError', 'message': "ply 3: illegal move 'e5'", 'move': 'e5', 'ply': 3,
        'reason': 'illegal move', 'because': ''}
        """
        return {"error": type(self).__name__, "message": str(self), **plain(vars(self))}

    def for_strangers(self) -> Self:
        """Say no more than strangers should know.

        Returns:
            The error without folders of this machine: a file has its name alone.

        >>> str(DamagedTableError("/home/ann/KvK.h5", "it is too short").for_strangers())[:19]
        'damaged file KvK.h5'
        """
        shown = copy.copy(self)
        for name in _NAMES_OF_FILES & vars(shown).keys():
            vars(shown)[name] = os.path.basename(vars(shown)[name])
        if "folder" in vars(shown):
            vars(shown)["folder"] = None
        return shown


class InputError(TbgenError, exit_code=2):
    """A request that tbgen cannot understand, or that breaks a rule of chess.

    >>> try:
    ...     raise MoveError("e5", ply=3)
    ... except InputError as error:
    ...     str(error), error.exit_code
    ("ply 3: illegal move 'e5'", 2)
    """


class UsageError(InputError):
    """A setting or argument that makes no sense."""

    reason: str


class ScoreFormatError(InputError, template="{text!r} is not {expected}"):
    """A text that is not a score."""

    text: str
    expected: str = "a score such as G3.5 or -G3.5"


class FenError(InputError, template="malformed FEN {fen!r}: {reason}"):
    """A text that is not a FEN."""

    fen: str
    reason: str


class IllegalPositionError(InputError, template="illegal position {fen!r}: {rule}"):
    """A well-formed FEN of a position that breaks a rule of chess."""

    fen: str
    rule: str


class AccruedError(InputError, template="impossible accrued score {accrued!r}: {reason}"):
    """An accrued score that no game can carry into its position."""

    accrued: str
    reason: str


class MoveError(InputError):
    """A move that cannot be played; `ply` counts from 1."""

    move: str
    ply: int
    reason: str = "illegal move"
    because: str = ""

    def __str__(self) -> str:
        return f"ply {self.ply}: {self.said}"

    @property
    def said(self) -> str:
        """The line without the ply."""
        line = f"{self.reason} {self.move!r}"
        if self.because:
            line += f": {self.because}"
        return line


class MaterialError(InputError, template="unknown material {text!r}: {reason}"):
    """A text that names no material."""

    text: str
    reason: str


class TooManyMenError(InputError):
    """A material or position with more men than tables have.

    >>> str(TooManyMenError("KQQQQvKQ", 7, 6))
    'KQQQQvKQ has 7 men; tables have at most 6'
    >>> str(TooManyMenError("KRBvKRP", 6, 5, is_position=True))
    'KRBvKRP has 6 men; whole tables have at most 5; solve the position with: tbgen solve'
    >>> line = str(TooManyMenError("KRPvKRP", 6, 5, is_position=True, has_pair=True))
    >>> line.partition("; ")[2]
    'whole tables have at most 5; build its pairs with: tbgen build KRPvKRP.pairs --outcomes'
    """

    material: str
    men: int
    most: int
    is_position: bool = False
    """Whether these men stand on a board."""
    has_pair: bool = False
    """Whether a table of pairs has the position: a white pawn stands below a black one."""

    def __str__(self) -> str:
        what = f"{self.material} has {self.men} men"
        if self.men > _MOST_NAMED_MEN:
            what = f"{self.men} men are too many"
        tables = "whole tables" if self.most == _MOST_TABLE_MEN else "tables"
        line = f"{what}; {tables} have at most {self.most}"
        if self.has_pair:
            return f"{line}; build its pairs with: {build_command([f'{self.material}.pairs'])}"
        free = self.men - self.material.count("P")
        if self.is_position and free <= _MOST_SOLVED_FREE:
            line += "; solve the position with: tbgen solve"
        return line


class CastlingError(InputError, template="tables know no castling rights: {fen!r}"):
    """A position with castling rights, which tables do not cover."""

    fen: str


class InputFileError(InputError, template="{file}: {reason}"):
    """A file whose content cannot be read as text."""

    file: str
    reason: str


class PgnError(InputFileError):
    """A PGN file, or a game in it, that cannot be read; numbers of games and plies count from 1."""

    number: int | None = None
    ply: int | None = None

    def __str__(self) -> str:
        where = self.file
        if self.number is not None:
            where += f", game {self.number}"
        if self.ply is not None:
            where += f", ply {self.ply}"
        return f"{where}: {self.reason}"


class UnreadableFileError(TbgenError, template="{file}: {reason}"):
    """A file that cannot be opened, read or written."""

    file: str
    reason: str


class ClosureTooLargeError(
    TbgenError, exit_code=6, template="{material} cannot be solved from here: {reason}"
):
    """A position that leads to more than can be solved."""

    material: str
    reason: str


class RepresentationError(TbgenError, template="{value} does not fit {form}"):
    """A value too large for its stored form."""

    value: object
    form: str


def build_options(folder: str | None) -> str:
    """The options with which `tbgen build` writes into the folder or folders that were searched.

    >>> build_options("data/M=WF/whole-game"), build_options("tables")
    (' --man M=WF --game whole-game', ' --data tables')
    """
    options = ""
    where = folder or _USUAL_FOLDER
    above, name = os.path.split(where)
    if name == _WHOLE_GAME:
        options = f" --game {name}"
        where = above
    above, name = os.path.split(where)
    if OWN_MEN.fullmatch(name):
        men = name.replace(",", " --man ")
        options = f" --man {men}{options}"
        where = above
    if not where:
        where = "."
    are_several = ", " in where
    if where != _USUAL_FOLDER and not are_several:
        options = f" --data {shlex.quote(where)}{options}"
    return options


def build_command(
    names: Sequence[str], folder: str | None = None, *, outcomes: bool = False
) -> str:
    """The command that builds the tables with these names, which answers and errors show.

    Those of pairs have six men, so they are built without distances, which need most of the disk.

    >>> build_command(["KRvKN"], "tables"), build_command(["KRPvKRP.pairs"])
    ('tbgen build KRvKN --data tables', 'tbgen build KRPvKRP.pairs --outcomes')
    """
    command = f"tbgen build {' '.join(names)}{build_options(folder)}"
    if outcomes or any("." in name for name in names):
        command += " --outcomes"
    return command


class TableError(TbgenError):
    """A table that is missing, unreadable or wrong.

    >>> str(DamagedTableError("KvK.h5", "it is too short"))
    'damaged file KvK.h5: it is too short; delete it, and build, prepare or fetch it again'
    """

    def __str__(self) -> str:
        fields = dict(vars(self))
        fields["options"] = build_options(fields.get("folder"))
        return self.template.format_map(fields)


class MissingTableError(TableError, KeyError, exit_code=3):
    """A missing table, or several; also a KeyError, as in `chess.syzygy`.

    >>> str(MissingTableError("KBvK", "tables"))
    'no table KBvK in tables; build it with: tbgen build KBvK --data tables'
    >>> str(MissingTableError("KBvK", others=("KNvK",)))
    'no tables KBvK KNvK; build them with: tbgen build KBvK KNvK'
    """

    material: str
    """The name of the material."""
    folder: str | None = None
    """The folder or folders that lack it."""
    others: tuple[str, ...] = ()
    """The names of more materials that the same answer lacks."""

    def __str__(self) -> str:
        names = " ".join([self.material, *self.others])
        tables = "tables" if self.others else "table"
        line = f"no {tables} {names}"
        if self.folder is not None:
            line += f" in {self.folder}"
        men, _, scope = self.material.partition(".")
        if scope or len(men) - len("v") <= _MOST_TABLE_MEN:
            them = "them" if self.others else "it"
            line += (
                f"; build {them} with: {build_command([self.material, *self.others], self.folder)}"
            )
        return line


NO_TABLE: Final = (MissingTableError, TooManyMenError, CastlingError)
"""The errors of a probe that no table can answer."""


class MissingDistancesError(TableError, exit_code=3):
    """A table that is asked for distances and has only outcomes."""

    material: str
    folder: str | None = None

    def __str__(self) -> str:
        where = "here" if self.folder is None else f"in {self.folder}"
        build = build_command([self.material], self.folder)
        return f"only the outcomes of {self.material} are {where}; for distances: {build}"


class MissingFolderError(
    TableError,
    exit_code=3,
    template="there is no folder {folder}; "
    "name another, or make it with: tbgen build --men 3{options}",
):
    """A folder of tables that does not exist."""

    folder: str


class DamagedTableError(
    TableError,
    exit_code=4,
    template="damaged file {path}: {reason}; delete it, and build, prepare or fetch it again",
):
    """A table file whose content cannot be trusted."""

    path: str
    reason: str


class OutdatedTableError(
    TableError,
    exit_code=4,
    template="{path} has {found}, this program reads {needed}; build it again",
):
    """A table file in a format that this version does not read."""

    path: str
    found: str
    needed: str


class VerificationError(TableError, exit_code=7, template="{material} is wrong: {violation}"):
    """A table that contradicts the rules, itself or its child tables."""

    material: str
    violation: str


class BuildError(TbgenError, exit_code=5, template="cannot build {material}: {reason}"):
    """A build that cannot start or go on."""

    material: str
    reason: str


class NotEnoughMemoryError(BuildError, exit_code=6):
    """Tables that do not fit the memory at hand, and the one that needs most; sizes in bytes."""

    def __init__(
        self, material: str, needed_bytes: int, available_bytes: int, tables: int = 1
    ) -> None:
        remedy = "free some, or grant more"
        if tables > 1:
            remedy = f"{tables} tables cannot be made, --plan names them"
        needed = in_gib(needed_bytes)
        available = in_gib(available_bytes, math.floor)
        super().__init__(
            material, f"it needs about {needed} of memory, {available} are available; {remedy}"
        )
        self.needed_bytes = needed_bytes
        self.available_bytes = available_bytes
        self.tables = tables


class NotEnoughDiskError(BuildError, exit_code=6):
    """Tables that do not fit the disk; both sizes in bytes, the first an estimate."""

    def __init__(
        self, material: str, needed_bytes: int, available_bytes: int, tables: int = 1
    ) -> None:
        tables_need = "it needs"
        if tables > 1:
            tables_need = f"it and the {tables - 1} others to be made need"
        needed = in_units(needed_bytes)
        free = in_units(available_bytes)
        super().__init__(
            material,
            f"{tables_need} about {needed} of disk, {free} are free; make room, or build fewer",
        )
        self.needed_bytes = needed_bytes
        self.available_bytes = available_bytes
        self.tables = tables


class FetchError(TbgenError, exit_code=9, template="cannot fetch from {url}: {reason}"):
    """Tables that cannot be fetched from an address."""

    url: str
    reason: str


class ProofError(TbgenError, exit_code=7, template="{name} is wrong: {reason}"):
    """A strategy that does not keep its promise, or a file that is no strategy."""

    name: str
    reason: str


class UnprovedError(TbgenError, exit_code=7):
    """Something that was to be proved and is not, or two proofs that contradict each other."""

    reason: str


class MatchError(TbgenError, exit_code=8):
    """A match between engines that cannot start or go on."""

    reason: str


class EngineStartError(MatchError, template="engine {engine!r} cannot be started: {reason}"):
    """An engine that does not start, or refuses its settings."""

    engine: str


class AddressError(
    TbgenError,
    exit_code=10,
    template="cannot listen at {host}, port {port}: {reason}; name another with --host or --port",
):
    """An address at which a server cannot listen."""

    host: str
    port: int
    reason: str


def expect(value: object, kind: type[T], name: str, wanted: str) -> T:
    """The argument called `name`, if it is of its kind; else a UsageError with what is wanted."""
    if isinstance(value, kind):
        return value
    raise UsageError(f"{name} must be {wanted}, not {reprlib.repr(value)}")


def expect_number(value: object, name: str, least: int, most: int | None = None) -> int:
    """The argument called `name`, if it is a whole number in its range; a truth value is none."""
    # The protocol alone would take three times as long to look for.
    if isinstance(value, (int, SupportsIndex)) and not isinstance(value, bool):
        number = operator.index(value)
        if number >= least and (most is None or number <= most):
            return number
    span = f"from {least} on"
    if most is not None:
        span = f"from {least} to {most}"
    raise UsageError(f"{name} must be a whole number {span}, not {reprlib.repr(value)}")


def expect_member(value: object, kind: type[M], name: str, what: str) -> M:
    """The argument called `name` as a member of an enum, or as its value in upper or lower case."""
    if not isinstance(value, str):
        return expect(value, kind, name, f"{what}, or its name")
    try:
        return kind(value.lower())
    except ValueError:
        names = ", ".join(member.value for member in kind)
        raise UsageError(f"{value!r} is not {what}; there are {names}") from None
