"""Decides files of games chunk by chunk, in one process or several, in the order of the file, in bounded memory."""

from __future__ import annotations

import json
import multiprocessing
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import chess

from tbgen.apps.games.chunks import Chunk, ScannedChunk, chunks_of, scanned
from tbgen.apps.games.decide import AdjudicationRules, Adjudicator, Continue
from tbgen.apps.games.files import open_bytes
from tbgen.apps.games.game import GameSettings, PgnGame
from tbgen.apps.games.movetext import decoded
from tbgen.apps.games.replayed import game_of
from tbgen.apps.games.splice import OWN_TAGS, spliced, variation
from tbgen.apps.games.standings import EventGame
from tbgen.apps.games.tags import GAME_TAG, Source, read_tags, write_tags
from tbgen.apps.games.verdict import Ground, Verdict
from tbgen.apps.games.writer import numbered
from tbgen.errors import NO_TABLE, InputError, MaterialError, PgnError
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.stage import FiftyMoves
from tbgen.storage.folders import Folders
from tbgen.system.parent import follow_parent, signals_held
from tbgen.text import in_plies

_AHEAD = 3
"""Chunks for each process that are read before the first of them is decided."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to do with every game; small enough to send to a process."""

    settings: GameSettings = field(default_factory=GameSettings)
    continued: Continue = Continue.UNLESS_OVER
    counts_fifty_moves: bool = False
    tables: Folders | None = None
    """The folders of tables, if any are to be asked."""
    texts: bool = True
    """Whether the games are wanted with their new tags."""
    lines: bool = False
    """Whether best play is written down behind the moves."""
    facts: bool = False
    """Whether the games are wanted as JSON."""
    results: bool = False
    """Whether the games are wanted for standings; then a final score that their tags say is taken as it is."""


@dataclass(slots=True)
class Decided:
    """The decisions on the games of a chunk."""

    text: bytes = b""
    size: int = 0
    """The bytes that were read."""
    facts: list[str] = field(default_factory=list)
    """A game a line, as JSON."""
    results: list[EventGame] = field(default_factory=list)
    games: int = 0
    grounds: Counter[Ground] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    """Tables that are not there -> how many games they would decide."""
    clocked: int = 0
    """Games where the fifty-move rule leaves too few plies for the table's value, or may do so."""
    against_their_word: int = 0
    """Games that say the fifty-move rule ended them, and that are decided by best play."""
    skipped: list[PgnError] = field(default_factory=list)


_FIFTY = re.compile(r"(?:fifty|50)[ -]?moves?", re.IGNORECASE)
_ENDINGS = ("Termination", "TerminationDetails")
"""Tags that say what ended a game; TCEC's archive has "Fifty moves rule" in the second."""


class GameVerdict(NamedTuple):
    """A game that was read, with its verdict."""

    game: PgnGame
    verdict: Verdict

    def facts(self) -> dict[str, Any]:
        """The game and its verdict as JSON has them."""
        game = self.game
        return {
            **{name.lower(): game.tags.get(name, "?") for name in ("Event", "Round", "White", "Black")},
            "result": game.result,
            "plies": game.last.number,
            "accrued": str(game.last.accrued),
            "reached_at_ply": game.last.since,
            "end": game.end,
            "fen": None if self.verdict.material is None else game.board.fen(),
            **self.verdict.facts(),
        }

    @property
    def ground(self) -> Ground:
        return Ground.of(self.verdict.source, self.game.last.end)

    @property
    def is_continued_against_its_word(self) -> bool:
        """Whether the game says that the fifty-move rule ended it, but is decided by best play."""
        says = any(_FIFTY.search(self.game.tags.get(name, "")) for name in _ENDINGS)
        return says and self.verdict.source is Source.TABLEBASE

    def result(self) -> EventGame:
        """The facts of a game that standings need; an opening is named by its tag, or else by its ECO code."""
        tags, verdict = self.game.tags, self.verdict
        white, black = tags.get("White", "?"), tags.get("Black", "?")
        opening = tags.get("Opening") or tags.get("ECO") or "?"
        missing = None if verdict.missing is None else str(verdict.missing)
        scoring, source = self.game.scoring, verdict.source
        event = tags.get("Event", "?")
        return EventGame(white, black, self.game.result, verdict.final, scoring, source, opening, missing, event)


class ChunkDecider:
    """Decides the games of chunks, one chunk after the other, and keeps the tables open in between."""

    def __init__(self, task: Task) -> None:
        self.task = task

    @cached_property
    def tables(self) -> Tablebase | None:
        return None if self.task.tables is None else Tablebase(self.task.tables, game=self.task.settings.game)

    @cached_property
    def adjudicator(self) -> Adjudicator:
        task = self.task
        return Adjudicator(
            self.tables, AdjudicationRules(continued=task.continued, counts_fifty_moves=task.counts_fifty_moves)
        )

    def close(self) -> None:
        if "tables" in vars(self) and self.tables is not None:
            self.tables.close()

    def verdicts(self, chunk: ScannedChunk, name: str) -> Iterator[GameVerdict | PgnError]:
        """Every game of a chunk with its verdict, or the error that is in its place."""
        for place in range(len(chunk.games)):
            game = game_of(chunk, place, name, self.task.settings)
            if isinstance(game, PgnError):
                yield game
                continue
            try:
                yield GameVerdict(game, self._verdict(game))
            except InputError as error:  # a score that its tags say has accrued, but cannot have
                yield PgnError(name, str(error), game=game.number)

    def _verdict(self, game: PgnGame) -> Verdict:
        known = read_tags(game.tags).outcome if self.task.results else None
        if known is None:
            return self.adjudicator.decide_read(game)
        source, points = source_of(game.tags), game.scoring.points(known)
        missing = missing_of(game.tags) if source is Source.PROVISIONAL else None
        return Verdict(known, source, points, "its tags say so", missing)

    def decide(self, chunk: ScannedChunk, name: str) -> Decided:
        """Decide the games of a chunk."""
        done, texts, task = Decided(size=len(chunk.text)), list[bytes](), self.task
        for place, found in enumerate(self.verdicts(chunk, name)):
            if isinstance(found, PgnError):
                done.skipped.append(found)
                if task.texts:
                    start, end = chunk.bounds(place)
                    texts.append(chunk.text[start:end])
                continue
            done.games += 1
            done.grounds[found.ground] += 1
            if found.verdict.clocked is not None and found.verdict.clocked.matters:
                done.clocked += 1
            if found.is_continued_against_its_word:
                done.against_their_word += 1
            if found.verdict.missing is not None:
                done.missing[str(found.verdict.missing)] += 1
            if task.results:
                done.results.append(found.result())
            if task.facts:
                done.facts.append(json.dumps(found.facts()))
            if task.texts:
                line = self._line(chunk, place, found) if task.lines else None
                texts.append(spliced(chunk, place, tags_of_verdict(found, task.settings), line))
        if task.texts:
            done.text = b"".join([*texts, chunk.rest()])
        return done

    def _line(self, chunk: ScannedChunk, place: int, found: GameVerdict) -> str:
        """Best play from the last position, as a variation on the last move; empty if there is none to be had."""
        game, verdict, moves = found.game, found.verdict, chunk.moves_of(place)
        if verdict.source is not Source.TABLEBASE or verdict.dtg is None or self.tables is None or not len(moves):
            return ""
        start, end = moves[-1].tolist()
        last = decoded(chunk.text[start:end])
        board = game.board
        try:
            steps = self.tables.line(board, game.last.accrued)
        except NO_TABLE:
            return ""
        line = [(last, ""), *((step.san, "") for step in steps)]
        black = board.turn == chess.WHITE  # made the last move
        words = numbered(board.fullmove_number - black, not black, line)
        return variation(f"{verdict.final} with best play, {in_plies(verdict.dtg)} to go", list(words))


def source_of(tags: Mapping[str, str]) -> Source:
    """The source of the final score according to the tags."""
    try:
        return Source(tags.get("RMobilitySource", Source.GAME.value))
    except ValueError:
        return Source.GAME


def missing_of(tags: Mapping[str, str]) -> Material | None:
    """The table that would decide the game according to the tags."""
    try:
        return Material.parse(tags.get("RMobilityMissing", "")).canonical()
    except MaterialError:
        return None


def tags_of_verdict(found: GameVerdict, settings: GameSettings) -> dict[str, str]:
    """The tags with the final score of a game and its source."""
    game, verdict = found.game, found.verdict
    known = read_tags(game.tags)
    fifty_moves = settings.fifty_moves_of(known).setting
    tags = write_tags(verdict.final, game.scoring)
    plain = FiftyMoveSetting.LEGACY if known.legacy else FiftyMoves().setting
    if fifty_moves is not plain:
        tags["RMobilityFifty"] = fifty_moves.value
    tags["RMobilitySource"] = verdict.source.value
    if verdict.source is Source.TABLEBASE:
        tags["RMobilityTablebase"] = verdict.table or ""
    if verdict.missing is not None:
        tags["RMobilityMissing"] = str(verdict.missing)
    if verdict.clocked is not None and verdict.clocked.matters:
        tags["RMobilityClock"] = str(verdict.clocked)
    if not settings.game.forgets:
        tags[GAME_TAG] = str(settings.game)
    return {name: tags[name] for name in OWN_TAGS if name in tags}


_decider: ChunkDecider | None = None
"""What a worker process decides with; set once, when the process starts."""


def _start_worker(task: Task) -> None:
    global _decider
    follow_parent()
    _decider = ChunkDecider(task)


def _decide_chunk(chunk: Chunk, name: str) -> Decided:
    assert _decider is not None
    return _decider.decide(scanned(chunk), name)


def decide_file(path: str, task: Task, jobs: int = 1) -> Iterator[Decided]:
    """The games of a file, decided in their order; an error of the file as a whole is raised after them."""
    with ExitStack() as stack:
        chunks = chunks_of(stack.enter_context(open_bytes(path)), path)
        if jobs == 1:
            decider = ChunkDecider(task)
            stack.callback(decider.close)
            for chunk in chunks:
                yield decider.decide(chunk, path)
            return
        # Forked workers would inherit the handlers of signals, and a signal that arrives during a fork can get lost.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(jobs, context, initializer=_start_worker, initargs=(task,))
        stack.callback(pool.shutdown, cancel_futures=True)
        yield from _in_order(pool, chunks, path, jobs)


def _in_order(pool: ProcessPoolExecutor, chunks: Iterator[ScannedChunk], path: str, jobs: int) -> Iterator[Decided]:
    """Hand chunks to the workers, some of them ahead, and yield what became of them in the order of the file."""
    waiting: deque[Future[Decided]] = deque()
    failure: PgnError | None = None
    try:
        for chunk in chunks:
            with signals_held():  # the first submissions start the workers
                waiting.append(pool.submit(_decide_chunk, chunk.chunk, path))
            if len(waiting) > jobs * _AHEAD:
                yield waiting.popleft().result()
    except PgnError as error:
        failure = error
    while waiting:
        yield waiting.popleft().result()
    if failure is not None:
        raise failure


def total(parts: Sequence[Decided]) -> Decided:
    """The figures of several chunks together, without their texts."""
    whole = Decided()
    for part in parts:
        whole.size += part.size
        whole.games += part.games
        whole.grounds += part.grounds
        whole.missing += part.missing
        whole.clocked += part.clocked
        whole.against_their_word += part.against_their_word
        whole.skipped += part.skipped
    return whole
