"""The published statistics of a table, as in `records/MATERIAL.json` (see schema.json).

The fields of these classes are the members of its objects. Its bytes depend on the table alone: no
seconds, no machine, no date.

A folder has one file a material. A replay plays the line of a record once more by the rules.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Final

import chess
import numpy as np

from tbgen.errors import InputError, InputFileError
from tbgen.facts import plain
from tbgen.library.catalog import read_manifest
from tbgen.material import TableMaterial
from tbgen.reading import parse_json, read_as
from tbgen.rules.facts import to_json
from tbgen.rules.notation import parse_fen, parse_move
from tbgen.rules.position import is_reset
from tbgen.score import Color, Mobility, Score
from tbgen.storage.files import every_material, read_bounded, write_whole

if TYPE_CHECKING:
    from tbgen.compiled.arrays import Words

FORMAT: Final = 1
_LIST: Final = re.compile(r"\[\s+([^][{}]*?)\s+\]")


@dataclass(frozen=True)
class Count:
    """Numbers of positions: placements of labelled men, and positions up to symmetry."""

    placements: int
    classes: int


@dataclass(frozen=True)
class Longest:
    """A position with the longest distance of an outcome, and best play from there."""

    dtg: int
    fen: str
    line: str | None
    """The moves in short notation, to the goal; None without a line."""

    @property
    def moves(self) -> list[str]:
        return (self.line or "").split()

    @property
    def quiet_plies(self) -> int:
        """The number of plies before the first capture or pawn move of the line."""
        moves = self.moves
        for ply, san in enumerate(moves):
            is_capture = "x" in san
            is_pawn_move = san[0].islower()
            if is_capture or is_pawn_move:
                return ply
        return len(moves)


@dataclass(frozen=True)
class OutcomeRecord(Count):
    """The positions of one side to move that have one outcome."""

    share: float
    """The share of the placements with this side to move."""
    distances: tuple[int, ...]
    """[plies] -> positions up to symmetry with this distance to their outcome; empty without
    distances.
    """
    longest: Longest | None
    """None without distances."""


@dataclass(frozen=True)
class SideRecord:
    """All positions of one side to move."""

    positions: Count
    outcomes: Mapping[Score, OutcomeRecord]
    """Best outcome for White first."""

    @property
    def counts(self) -> dict[Score, int]:
        """The number of positions up to symmetry with each outcome."""
        return {outcome: record.classes for outcome, record in self.outcomes.items()}


@dataclass(frozen=True)
class OutcomeAt:
    """An outcome and its distance."""

    outcome: Score
    dtg: int


@dataclass(frozen=True)
class Waiting:
    """The values of a position with either side to move."""

    fen: str
    """With White to move."""
    white: OutcomeAt
    black: OutcomeAt


@dataclass(frozen=True)
class Zugzwangs:
    """Mutual zugzwangs: White to move is worth less to White than Black to move.

    The own score has accrued, as after a reset. A zugzwang is *played for* if neither score is
    already on the board: the side to move will be forced to the worse one.
    """

    all: Count
    played: Count | None
    """None without distances, as are `holders`."""
    mates: Count
    """Zugzwangs in which a side mates only because the other has to move."""
    holders: Count | None
    """Zugzwangs that are played for, in which each side would hold if the other had to move."""
    longest: Waiting | None = None
    """The zugzwang, among those played for, with the longest distance."""


@dataclass(frozen=True)
class Sharpness:
    """How many legal moves some positions have, and how many keep what the position is worth.

    [number of moves] -> positions up to symmetry.
    """

    moves: tuple[int, ...]
    keep_result: tuple[int, ...]
    """Moves that keep the win of a side by mate, or the draw of ordinary chess."""
    keep_outcome: tuple[int, ...]
    """Moves that keep the entry value."""

    @property
    def positions(self) -> int:
        return sum(self.moves)

    @property
    def only(self) -> int:
        """The number of positions in which exactly one move keeps the outcome."""
        return sum(self.keep_outcome[1:2])

    @property
    def means(self) -> tuple[float, float, float]:
        """The mean number of legal moves, of those that keep the result, and the outcome."""
        moves = _mean_of(self.moves)
        return moves, _mean_of(self.keep_result), _mean_of(self.keep_outcome)


def _sum_of(lists: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The sums of lists, item by item; short lists go on with zeros."""
    return tuple(sum(numbers) for numbers in zip_longest(*lists, fillvalue=0))


def _mean_of(counts: tuple[int, ...]) -> float:
    """The mean number; 0 without positions."""
    total = sum(number * count for number, count in enumerate(counts))
    return total / max(1, sum(counts))


@dataclass(frozen=True)
class SideSharpness:
    """The sharpness of the positions with one side to move."""

    all: Sharpness
    drawn: Sharpness
    """Of positions in which nobody forces mate."""


@dataclass(frozen=True)
class Record:
    """The published figures of a table."""

    format: int
    material: TableMaterial
    men: int
    bytes: int
    """The size of the table's files."""
    positions: Count
    sides: Mapping[Color, SideRecord]
    zugzwangs: Zugzwangs
    one_colored: Mapping[Color, Mapping[Score, Count]] | None
    """The positions with all bishops of a side on one colour; None if no side has two."""
    widest: Score | None
    """The score with the most legal moves that play forces and that is not already on the board."""
    sharpness: Mapping[Color, SideSharpness] | None = None
    """By the side to move; None if it has not been counted, which takes other tables."""

    @property
    def drawn(self) -> Sharpness:
        """The sharpness of drawn positions with either side to move; empty if not counted."""
        sides = [side.drawn for side in (self.sharpness or {}).values()]
        return Sharpness(
            _sum_of([side.moves for side in sides]),
            _sum_of([side.keep_result for side in sides]),
            _sum_of([side.keep_outcome for side in sides]),
        )

    @property
    def sampled(self) -> int | None:
        """The number of positions whose sharpness was counted; None if all positions were."""
        counted = sum(side.all.positions for side in (self.sharpness or {}).values())
        return None if counted == self.positions.classes else counted

    @property
    def distances(self) -> dict[tuple[Color, Score], tuple[int, ...]]:
        """The positions up to symmetry with each outcome and distance, by side to move."""
        distances = {}
        for side, side_record in self.sides.items():
            for outcome, record in side_record.outcomes.items():
                distances[side, outcome] = record.distances
        return distances

    def lines(self) -> Iterator[tuple[Color, Score, Longest]]:
        """The longest line to each outcome: its side to move, its outcome, and the line."""
        for side, side_record in self.sides.items():
            for outcome, record in side_record.outcomes.items():
                if record.longest is not None:
                    yield side, outcome, record.longest

    def longest(self) -> tuple[Color, Score, Longest] | None:
        """The longest of all lines."""
        return max(self.lines(), key=_plies_of, default=None)

    def to_text(self) -> str:
        """The bytes of the file: lists on one line each, a final newline."""
        text = to_json(plain(self), indent=1)
        return _LIST.sub(lambda match: f"[{' '.join(match[1].split())}]", text) + "\n"


def _plies_of(line: tuple[Color, Score, Longest]) -> int:
    return line[2].dtg


FOLDER: Final = "records"
"""The folder of records within a folder of tables."""


def path_of_record(folder: Path, material: TableMaterial) -> Path:
    return folder / f"{material}.json"


def without_record(folder: Path, wanted: Iterable[TableMaterial]) -> list[TableMaterial]:
    """The tables that were built in a folder with distances, and have no record there."""
    entries = read_manifest(folder)
    materials = list[TableMaterial]()
    for material in wanted:
        entry = entries.get(str(material))
        if entry is None or entry.wall_seconds is None or entry.sha256_of_distances is None:
            continue
        with contextlib.suppress(OSError, InputFileError):
            if read_record(path_of_record(folder / FOLDER, material)).bytes == entry.bytes:
                continue
        materials.append(material)
    return materials


def read_record(path: Path) -> Record:
    """The record in a file.

    InputFileError if it is no record, or not of the material in its name.
    """
    try:
        record: Record = read_as(Record, parse_json(read_bounded(path)))
        if record.format != FORMAT:
            raise ValueError(f"format is {record.format} instead of {FORMAT}")
        if path.name != path_of_record(path.parent, record.material).name:
            raise ValueError(f"it is the record of {record.material}")
    except (ValueError, InputError) as error:
        again = "write it again with: tbgen study record"
        raise InputFileError(str(path), f"it is not a record: {error}; {again}") from None
    return record


def records_in(*folders: Path) -> list[Record]:
    """All records of some folders, those with the fewest men first.

    The first folder with a material counts.
    """
    paths = {}
    for folder in reversed(folders):
        for path in folder.glob("*.json"):
            if path.is_file():
                paths[path.name] = path
    records = []
    for material in every_material():
        name = path_of_record(Path(), material).name
        if name in paths:
            records.append(read_record(paths[name]))
    return records


def write_record(folder: Path, record: Record) -> None:
    """Write a record into a folder, in place of an earlier one."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path_of_record(folder, record.material), [record.to_text().encode()])


@dataclass(frozen=True)
class Replay:
    """The effect of a line on the board and on the score."""

    steps: tuple[str, ...]
    """The changes of each ply, see `step_of`."""
    outcomes: tuple[Score, ...]
    """The accrued score before the first move and after each."""
    is_renewed: bool
    """Whether the last move replaces the score: a capture or pawn move under r-mobility."""

    def proves(self, outcome: Score, dtg: int) -> bool:
        """Whether the line reaches the outcome in so many plies, and not one ply earlier."""
        if len(self.steps) != dtg or self.outcomes[-1] != outcome:
            return False
        return dtg == 0 or self.is_renewed or self.outcomes[-2] != outcome


def replay(fen: str, moves: Iterable[str], mobility: Mobility = Mobility.RESET) -> Replay:
    """Play moves in short notation; MoveError if one is not legal."""
    from tbgen.board.board import words_of

    board, _ = parse_fen(fen)
    steps = list[str]()
    renewals = [False]
    positions = [words_of(board)]
    for ply, text in enumerate(moves, 1):
        move = parse_move(board, text, ply)
        steps.append(step_of(board, move))
        renewals.append(mobility.forgets and is_reset(board, move))
        board.push(move)
        positions.append(words_of(board))
    own_scores = _own_scores(positions)
    outcomes = own_scores[:1]
    for own, is_renewed in zip(own_scores[1:], renewals[1:], strict=True):
        outcomes.append(outcomes[-1].after(own, reset=is_renewed))
    return Replay(tuple(steps), tuple(outcomes), renewals[-1])


def _own_scores(positions: Sequence[Words]) -> list[Score]:
    """The own scores of chess positions, as kernels read them: one call counts all their moves."""
    from tbgen.board.board import TURN
    from tbgen.board.moves import codes_on

    codes = np.empty(len(positions), np.int64)
    codes_on(np.stack(positions), codes)
    scores = list[Score]()
    for position, code in zip(positions, codes.tolist(), strict=True):
        mover = Color(int(position[TURN]))
        scores.append(Score(code, mover.other))
    return scores


def _castling_step(board: chess.Board, move: chess.Move) -> str:
    """The moves of the rook and of the king; in Chess960 a move of the king names the rook."""
    is_short = board.is_kingside_castling(move)
    rank = chess.square_rank(move.from_square)
    rook = chess.square(chess.FILE_NAMES.index("h" if is_short else "a"), rank)
    if board.chess960:
        rook = move.to_square
    rook_to = chess.square(chess.FILE_NAMES.index("f" if is_short else "d"), rank)
    king_to = chess.square(chess.FILE_NAMES.index("g" if is_short else "c"), rank)
    rook_step = chess.square_name(rook) + chess.square_name(rook_to)
    return f"{rook_step},{chess.square_name(move.from_square)}{chess.square_name(king_to)}"


def step_of(board: chess.Board, move: chess.Move) -> str:
    """The changes on the board by a move: it in UCI, after a pawn that it takes en passant, or
    after the move of the rook that castles.
    """
    if board.is_castling(move):
        return _castling_step(board, move)
    if not board.is_en_passant(move):
        return move.uci()
    taken = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return f"{chess.square_name(taken)},{move.uci()}"
