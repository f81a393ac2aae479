"""What an engine says of its moves: the lines that begin with `info`, and doubts about them.

Doubts are variations with illegal moves, and mates of the wrong sign. They change no game. Authors
of engines want to know.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import chess
import chess.engine

from tbgen.score import Color
from tbgen.text import cleaned

_MOST_MOVES: Final = 100
"""The moves of a variation that are checked. A check takes time between two moves of a game."""
_TEXT_LENGTH: Final = 120
"""The characters of a variation that a warning quotes."""

_SCORE = re.compile(r"\bscore (?:(?:upper|lower)bound )?(cp|mate) ([+-]?\d{1,9})\b")
_BOUND = re.compile(r"\b(?:upper|lower)bound\b")
_DEPTH = re.compile(r"\bdepth (\d{1,9})\b")
_LINE = re.compile(r"\bmultipv (\d{1,9})\b")
_FACT = re.compile(
    "cpuload|currline|currmove|currmovenumber|depth|hashfull|multipv|nodes|nps|refutation|sbhits|"
    "score|seldepth|tbhits|time|wdl"
)
"""The word with which a fact of an `info` line begins."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An engine's evaluation of its move, from its own point of view."""

    score: chess.engine.Score | None = None
    plies: int | None = None

    def __str__(self) -> str:
        """As comments have it: +0.31/12, or +M5/20."""
        if self.score is None:
            return ""
        mate = self.score.mate()
        if mate is None:
            text = f"{self.score.score(mate_score=0) / 100:+.2f}"
        else:
            text = f"{'-' if mate < 0 else '+'}M{abs(mate)}"
        return text if self.plies is None else f"{text}/{self.plies}"


@dataclass(frozen=True, slots=True)
class Info:
    """An `info` line of an engine, as far as a referee needs it."""

    line: int = 1
    """The number of the line of play: 1 is that of the best move."""
    is_bound: bool = False
    """Whether the score is no more than a bound."""
    score: chess.engine.Score | None = None
    depth: int | None = None
    variation: tuple[str, ...] = ()
    """The moves after `pv`, as the engine wrote them."""
    text: str = field(default="", repr=False, compare=False)
    """The line, but for what follows `string`."""

    @property
    def is_evaluation(self) -> bool:
        """Whether it has the exact score of the best move."""
        return self.line == 1 and self.score is not None and not self.is_bound

    @classmethod
    def parse(cls, text: str) -> Info:
        """The facts of a line; those that are garbled are missing.

        The text after `string` is for people.

        >>> Info.parse("info depth 12 seldepth 18 multipv 2 score cp 31 lowerbound nodes 4711")
        Info(line=2, is_bound=True, score=Cp(+31), depth=12, variation=())
        >>> Info.parse("info depth  5 score mate   +3 pv e2e4 e7e5 string score cp 7")
        Info(line=1, is_bound=False, score=Mate(+3), depth=5, variation=('e2e4', 'e7e5'))
        """
        facts = " ".join(text.split()).partition(" string ")[0]
        line = _LINE.search(facts)
        depth = _DEPTH.search(facts)
        return cls(
            line=1 if line is None else int(line[1]),
            is_bound=_BOUND.search(facts) is not None,
            score=_score_in(facts),
            depth=None if depth is None else int(depth[1]),
            variation=tuple(_variation_in(facts)),
            text=facts,
        )

    def number(self, name: str) -> int | None:
        """The number behind a word of the line, such as `nodes`; None without one.

        >>> Info.parse("info depth 12 nodes 4711 pv e2e4").number("nodes")
        4711
        """
        match = re.search(rf"\b{name} (\d{{1,18}})\b", self.text)
        return None if match is None else int(match[1])

    def evaluation(self) -> Evaluation:
        """The evaluation of the engine's own side."""
        return Evaluation(self.score, self.depth)


def _variation_in(facts: str) -> Iterator[str]:
    """The words after `pv`, up to the next fact."""
    _, _, rest = facts.partition(" pv ")
    for word in rest.split():
        if _FACT.fullmatch(word):
            return
        yield word


def _score_in(facts: str) -> chess.engine.Score | None:
    match = _SCORE.search(facts)
    if match is None:
        return None
    number = int(match[2])
    return chess.engine.Cp(number) if match[1] == "cp" else chess.engine.Mate(number)


class DoubtKind(enum.Enum):
    """What is wrong, in words."""

    ILLEGAL = "illegal principal variation"
    SIGN = "mate score of the wrong sign"

    @property
    def plural(self) -> str:
        """The words for several."""
        if self is DoubtKind.ILLEGAL:
            return "illegal principal variations"
        return "mate scores of the wrong sign"


class Doubt(NamedTuple):
    """What is wrong with the last line of an engine."""

    kind: DoubtKind
    details: str


def doubt_about(board: chess.Board, info: Info, score: chess.engine.Score | None) -> Doubt | None:
    """What is wrong with an `info` line about a position; None if it is right.

    Arguments:
        board: The position.
        info: The line.
        score: Its score as the side to move sees it.

    >>> line = Info.parse("info depth 1 score mate -1 pv f3f7")
    >>> board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 3")
    >>> print(doubt_about(board, line, line.score).details)
    mate -1, but White mates in: f3f7
    """
    after = board.copy(stack=False)
    before = ""
    for word in info.variation[:_MOST_MOVES]:
        try:
            move = after.parse_uci(word)
        except ValueError:
            move = chess.Move.null()
        if not move:
            place = f" after {before}" if before else ""
            return Doubt(DoubtKind.ILLEGAL, f"{_short(word)} is no move{place}: {_text_of(info)}")
        after.push(move)
        before = word
    mate = None if score is None else score.mate()
    if mate is None or not after.is_checkmate() or len(info.variation) > _MOST_MOVES:
        return None
    mover_mates = after.turn != board.turn
    if mover_mates == (mate > 0):
        return None
    winner = Color.of(not after.turn)
    return Doubt(DoubtKind.SIGN, f"mate {mate}, but {winner} mates in: {_text_of(info)}")


def _text_of(info: Info) -> str:
    return _short(" ".join(info.variation))


def _short(text: str) -> str:
    return cleaned(text, _TEXT_LENGTH)
