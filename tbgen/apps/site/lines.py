"""Lines: best play from a position as pages and PGN files show it."""

from __future__ import annotations

import contextlib
import itertools
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.apps.records.record import Longest, Record
from tbgen.apps.site.palette import shade_of
from tbgen.board.board import BLACK, BOARD_WORDS, KIND, NO_MOVE, PAWN, WHITE, words_of
from tbgen.board.replay import CODE, FACTS, HISTORY_WORDS, RESET, replay
from tbgen.compiled.arrays import Ints
from tbgen.errors import MoveError, TableError
from tbgen.material import Material, build_order
from tbgen.probe import Tablebase
from tbgen.rules.fen import parse_fen
from tbgen.score import Color, Score

_PGN_COLUMNS: Final = 80
_PROMOTED: Final = {role: chess.piece_symbol(role) for role in chess.PIECE_TYPES[1:5]}


class Played(NamedTuple):
    """A line that has been played on the compiled board."""

    steps: tuple[str, ...]
    """What happens on the board with each ply: the move as UCI writes it, before it a pawn taken en passant."""
    accrued: tuple[Score, ...]
    """The accrued score before the first move and after each."""


def played(fen: str, moves: Sequence[str]) -> Played:
    """Play moves in short notation; MoveError if one is not legal."""
    board = parse_fen(fen)[0]
    words = [move.encode() for move in moves]
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    spans = np.stack([ends - [len(word) for word in words], ends], axis=1)
    history, facts = np.empty((len(moves) + 1, HISTORY_WORDS), np.uint64), np.empty((len(moves) + 1, FACTS), np.int64)
    plies = int(replay(np.frombuffer(b"".join(words), np.uint8), spans, words_of(board), history, facts, 0, NO_MOVE))
    if plies < len(moves):
        raise MoveError(moves[plies], plies + 1, "illegal move")
    boards, sides = history[:, :BOARD_WORDS].tolist(), itertools.cycle((WHITE, BLACK))
    if board.turn == chess.BLACK:
        next(sides)
    steps = tuple(_step(*pair, side) for pair, side in zip(itertools.pairwise(boards), sides, strict=False))
    return Played(steps, _accrued(facts, board.turn))


def step_of(board: chess.Board, move: chess.Move) -> str:
    """What happens on the board with a move, as `Played.steps` has it."""
    if not board.is_en_passant(move):
        return move.uci()
    taken = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return f"{chess.square_name(taken)},{move.uci()}"


def changes_of(accrued: Sequence[Score]) -> str:
    """The accrued score wherever it changes: `0 G5.5 7 G3.5` is G5.5 at first, and G3.5 from the seventh ply on."""
    changes = (ply for ply, score in enumerate(accrued) if ply == 0 or score != accrued[ply - 1])
    return " ".join(f"{ply} {accrued[ply]}" for ply in changes)


def _accrued(facts: Ints, turn: chess.Color) -> tuple[Score, ...]:
    """The accrued score before the first move and after each; `turn` is the side that moves first."""
    holders = (Color.BLACK, Color.WHITE) if turn == chess.WHITE else (Color.WHITE, Color.BLACK)
    found, accrued = list[Score](), None
    for ply, (code, reset) in enumerate(facts[:, (CODE, RESET)].tolist()):
        own = Score(code, holders[ply % 2])
        accrued = own if accrued is None else accrued.after(own, reset=bool(reset))
        found.append(accrued)
    return tuple(found)


# before[word], after[word] -> sets of squares, as board/board.py has them
def _step(before: list[int], after: list[int], side: int) -> str:
    """The move of a side that leads from one board to the next."""
    other = BLACK if side == WHITE else WHITE
    origin, target = before[side] & ~after[side], after[side] & ~before[side]
    step = _name(origin) + _name(target)
    if before[KIND + PAWN] & origin:
        step += "".join(symbol for role, symbol in _PROMOTED.items() if after[KIND + role] & target)
        taken = before[other] & ~after[other]
        if taken and taken != target:
            step = f"{_name(taken)},{step}"
    return step


def _name(square: int) -> str:
    """The name of the only square of a set."""
    return chess.SQUARE_NAMES[square.bit_length() - 1]


@dataclass(frozen=True)
class Card:
    """A line with the board that it begins on."""

    material: Material
    side: Color
    outcome: Score
    longest: Longest

    @cached_property
    def played(self) -> Played:
        return played(self.longest.fen, self.longest.moves or ())

    @cached_property
    def moves(self) -> str:
        """The moves with their numbers, as PGN writes them."""
        return " ".join(numbered(self.longest.fen, self.longest.moves or ()))

    @property
    def scores(self) -> str:
        """The accrued score wherever it changes."""
        return changes_of(self.played.accrued)

    @property
    def key(self) -> str:
        """A name within a page."""
        return f"{str(self.side).lower()}-{shade_of(self.outcome)[0]}{self.outcome.code}"

    @property
    def pgn(self) -> str:
        """The line as a game of a PGN file."""
        tags = {
            "Event": f"Longest best play to {self.outcome}",
            "Site": str(self.material),
            "Date": "????.??.??",
            "Round": "-",
            "White": "Best play",
            "Black": "Best play",
            "Result": _result_of(self.outcome),
            "Annotator": "tbgen",
            "FEN": self.longest.fen,
            "PlyCount": str(self.longest.dtg),
            "RMobilityResult": str(self.outcome),
            "SetUp": "1",
        }
        heads = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        text = f"{self.moves} {tags['Result']}"
        return f"{heads}\n{textwrap.fill(text, _PGN_COLUMNS, break_long_words=False, break_on_hyphens=False)}\n\n"


def numbered(fen: str, moves: Sequence[str]) -> Iterator[str]:
    """Moves and their numbers.

    >>> " ".join(numbered("8/8/8/4KBk1/8/8/8/8 b - - 0 7", ["Kh4", "Kf4"]))
    '7... Kh4 8. Kf4'
    """
    turn, number = fen.split()[1], int(fen.split()[5])
    if turn == "b" and moves:
        yield f"{number}..."
    for place, move in enumerate(moves, 1 if turn == "b" else 0):
        if place % 2 == 0:
            yield f"{number + place // 2}."
        yield move


def _result_of(outcome: Score) -> str:
    """The result of a line in ordinary chess: one that ends with neither mate nor stalemate could go on."""
    if outcome.is_mate:
        return "1-0" if outcome.holder is Color.WHITE else "0-1"
    return "1/2-1/2" if outcome.is_stalemate else "*"


def card_of(record: Record, side: Color, outcome: Score) -> Card:
    """The longest line of a record to an outcome."""
    return Card(record.material, side, outcome, record.sides[side][outcome].longest)


def longest_card(record: Record) -> Card | None:
    """The longest of all lines of a record; None if it has no position."""
    found = record.longest()
    return None if found is None else Card(record.material, *found)


def quiet_card(record: Record) -> Card | None:
    """The line with the longest quiet stretch."""
    quiet = record.quiet
    return None if quiet is None else Card(record.material, quiet.side, quiet.outcome, quiet.longest)


def cards_of(record: Record, side: Color) -> list[Card]:
    """The lines of a side to move whose outcomes are not on the board already, the longest first."""
    cards = [card_of(record, side, outcome) for outcome, each in record.sides[side].items() if each.longest.dtg]
    return sorted(cards, key=lambda card: -card.longest.dtg)


def best_cards(records: Iterable[Record]) -> dict[Score, Card]:
    """For each outcome its longest line over all tables, best outcome for White first."""
    best: dict[Score, Card] = {}
    for card in (card for record in records for side in Color for card in cards_of(record, side)):
        if card.outcome not in best or card.longest.dtg > best[card.outcome].longest.dtg:
            best[card.outcome] = card
    return dict(sorted(best.items(), reverse=True))


def zugzwang_cards(record: Record, tables: Tablebase | None) -> list[Card]:
    """The longest mutual zugzwang with either side to move; the moves are None where no table has them."""
    waiting = record.zugzwangs.longest
    if waiting is None:
        return []
    black = waiting.fen.replace(" w ", " b ")
    asked = ((Color.WHITE, waiting.fen, waiting.white), (Color.BLACK, black, waiting.black))
    return [
        Card(record.material, side, outcome, Longest(dtg, fen, _best_play(tables, fen, dtg)))
        for side, fen, (outcome, dtg) in asked
    ]


def _best_play(tables: Tablebase | None, fen: str, dtg: int) -> tuple[str, ...] | None:
    if tables is not None:
        with contextlib.suppress(TableError):
            return tuple(step.san for step in tables.line(parse_fen(fen)[0], max_plies=dtg))
    return None


def can_be_played(material: Material, there: Collection[Material]) -> bool:
    """Whether every table that a line of a material may lead to is there."""
    return all(each in there for each in build_order([material]))
