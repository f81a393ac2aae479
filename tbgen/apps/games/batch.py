"""Decides files of games chunk by chunk, in one process or several, in the order of the file, in bounded memory."""

from __future__ import annotations

import multiprocessing
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.synchronize import Event
from typing import Any

import chess

from tbgen.apps.games.decide import Adjudicator, Ground, Solve, Verdict, materials_in, told_by_tags
from tbgen.apps.games.edits import tagged
from tbgen.apps.games.event import READ_TAGS, EventGame
from tbgen.apps.games.read import PgnGame, game_of
from tbgen.apps.games.results import UNFINISHED, classical_result, result_of
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import (
    GAME_TAG,
    OWN_TAGS,
    Source,
    read_tags,
    says_fifty_moves,
    write_tags,
)
from tbgen.apps.games.text import Chunk, GameText, chunks_of
from tbgen.apps.games.writing import numbered, variation
from tbgen.errors import NO_TABLE, InputFileError, PgnError, UnreadableFileError, UsageError
from tbgen.facts import facts_of
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.rules.facts import to_json
from tbgen.rules.position import own_score
from tbgen.rules.stage import ON_THE_BOARD, FiftyMoveSetting
from tbgen.score import Mobility, Score
from tbgen.storage.files import Folders
from tbgen.system.inputs import read_pieces
from tbgen.system.process import follow_parent, signals_held
from tbgen.text import in_plies

_AHEAD = 3
"""The chunks that are read ahead for each process."""


@dataclass(frozen=True, slots=True)
class GamesTask:
    """The work on every game; small enough to send to a process."""

    rules: Rules = field(default_factory=Rules)
    tables: Folders | None = None
    """The folders of tables, if tables are used."""
    texts: bool = True
    """Return the text of the games with their new tags."""
    lines: bool = False
    """Write best play behind the moves."""
    facts: bool = False
    """Return the games as JSON."""
    results: bool = False
    """Return the games for standings. The score in their tags counts, unless the board decides."""


@dataclass(slots=True)
class ChunkReport:
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
    """Missing table -> the number of games that it would decide, perhaps together with others."""
    lacking: int = 0
    """Games that lack tables."""
    asked: list[tuple[Material, ...]] = field(default_factory=list)
    """The tables that make a game provisional, game by game, by the tags of an earlier decision."""
    clocked: int = 0
    """Games where the fifty-move rule leaves too few plies for the table's value, or may do so."""
    against_their_word: int = 0
    """Games whose tags say that the fifty-move rule ended them, but which best play decides."""
    contradicted: list[str] = field(default_factory=list)
    """A line for each game whose tags contradict mate or stalemate on the board."""
    skipped: list[InputFileError] = field(default_factory=list)


def decision_facts(game: PgnGame, verdict: Verdict) -> dict[str, Any]:
    """A game and its verdict as JSON has them."""
    last = game.last
    return {
        **game.heading,
        **facts_of(
            game, "end", ply_count=last.number, accrued=last.accrued, reached_at_ply=last.since
        ),
        "fen": game.position().fen()
        if verdict.material or verdict.missing or verdict.bounds
        else None,
        **verdict.facts(),
    }


def decision_tags(
    game: PgnGame, verdict: Verdict, mobility: Mobility = Mobility.RESET
) -> dict[str, str]:
    """The tags with the final score of a game and its source; none if it has no moves."""
    if verdict.source is Source.SHEET:
        return {}
    fifty_moves = game.fifty_moves.setting
    plain = FiftyMoveSetting.LEGACY if read_tags(game.tags).legacy else FiftyMoveSetting.RESET
    tags = write_tags(verdict.final, game.scoring) | {
        "RMobilityFifty": "" if fifty_moves is plain else fifty_moves.value,
        "RMobilitySource": verdict.source.value,
        "RMobilityTablebase": verdict.table or "",
        "RMobilityMissing": verdict.missing_tag or "",
        "RMobilityBounds": ""
        if verdict.bounds is None
        else f"{verdict.bounds.lower} {verdict.bounds.upper}",
        "RMobilityClock": str(verdict.clocked) if verdict.is_clocked else "",
        GAME_TAG: "" if mobility.forgets else str(mobility),
    }
    return {name: tags[name] for name in OWN_TAGS if tags.get(name)}


def event_game(game: PgnGame, verdict: Verdict) -> EventGame:
    """The facts of a game that standings need."""
    tags = game.tags
    return EventGame(
        players=(tags.get("White", "?"), tags.get("Black", "?")),
        result=classical_result(verdict.final) if game.last.end in ON_THE_BOARD else game.result,
        final=verdict.final,
        scoring=game.scoring,
        source=verdict.source,
        missing=verdict.missing_tag,
        plies=game.last.number,
        tags={name: tags[name] for name in READ_TAGS if name in tags},
    )


def unreadable_game(text: GameText, fault: PgnError, rules: Rules) -> EventGame:
    """An unreadable game with what its score sheet says; its score is that of the first position of chess."""
    tags = text.tags
    try:
        result = result_of(tags, text.result)
    except UsageError:
        result = UNFINISHED
    return EventGame(
        players=(tags.get("White", "?"), tags.get("Black", "?")),
        result=result,
        final=own_score(chess.Board()),
        scoring=rules.scoring(),
        source=Source.SHEET,
        plies=len(text.moves),
        tags={name: tags[name] for name in READ_TAGS if name in tags},
        fault=fault,
    )


class ChunkDecider:
    """Decides the games of chunks, one chunk after the other, and keeps the tables open in between."""

    def __init__(self, task: GamesTask, solve: Solve | None = None) -> None:
        self.task, folders = task, task.tables
        self.tables = (
            None
            if folders is None
            else Tablebase(folders, mobility=task.rules.mobility, missing_ok=True)
        )
        self.adjudicator = Adjudicator(self.tables, task.rules, solve)

    def close(self) -> None:
        if self.tables is not None:
            self.tables.close()

    def decide(self, chunk: Chunk, name: str) -> ChunkReport:
        """Decide the games of a chunk."""
        done, texts = ChunkReport(size=len(chunk.text)), list[bytes]()
        for text in chunk.games:
            game = game_of(text, name, self.task.rules)
            if isinstance(game, PgnError):
                done.skipped.append(game)
                if self.task.results:
                    done.results.append(unreadable_game(text, game, self.task.rules))
                texts.append(chunk.text[text.span])
                continue
            told = told_by_tags(game) if self.task.results else None
            verdict = told or self.adjudicator.decide_read(game)
            self._count(game, verdict, done)
            if self.task.texts:
                line = self._line(game, verdict, text.moves) if self.task.lines else None
                tags = decision_tags(game, verdict, self.task.rules.mobility)
                texts.append(tagged(text, tags, line))
        if self.task.texts:
            done.text = b"".join([*texts, chunk.rest()])
        return done

    def _count(self, game: PgnGame, verdict: Verdict, done: ChunkReport) -> None:
        """Add a game to the counts, and to the wanted lists."""
        done.games += 1
        done.grounds[Ground.of(verdict.source, game.last.end)] += 1
        done.clocked += verdict.is_clocked
        done.against_their_word += verdict.source is Source.TABLEBASE and says_fifty_moves(
            game.tags
        )
        done.lacking += bool(verdict.missing)
        done.missing.update(map(str, verdict.missing))
        if game.tags.get("RMobilitySource") == Source.PROVISIONAL.value:
            done.asked.append(materials_in(game.tags.get("RMobilityMissing", "")))
        if game.last.end in ON_THE_BOARD and game.warnings:
            done.contradicted.append(
                f"{game.file}, game {game.number}: warning: {game.warnings[0]}"
            )
        if self.task.results:
            done.results.append(event_game(game, verdict))
        if self.task.facts:
            done.facts.append(to_json(decision_facts(game, verdict)))

    def _line(self, game: PgnGame, verdict: Verdict, moves: Sequence[str]) -> str:
        """Best play from the last position, as a variation on the last move; empty without one."""
        if (
            verdict.source is not Source.TABLEBASE
            or verdict.dtg is None
            or self.tables is None
            or not moves
        ):
            return ""
        board = game.position()
        try:
            steps = self.tables.line(board, game.last.accrued)
        except NO_TABLE:
            return ""
        line = [(moves[-1], ""), *((step.san, "") for step in steps)]
        black = board.turn == chess.WHITE  # made the last move
        words = numbered(board.fullmove_number - black, not black, line)
        return variation(f"{verdict.final} with best play, {in_plies(verdict.dtg)} to go", words)


_worker: tuple[ChunkDecider, Event] | None = None
"""The decider of this process, which its start sets once, and the signal to stop."""


def _start_worker(task: GamesTask, stopped: Event) -> None:
    global _worker
    follow_parent()
    _worker = ChunkDecider(task), stopped


def _decide_text(text: bytes, in_line: bool, number: int, name: str) -> ChunkReport:
    assert _worker is not None
    decider, stopped = _worker
    return ChunkReport() if stopped.is_set() else decider.decide(Chunk(text, in_line, number), name)


def positions_to_solve(path: str, task: GamesTask) -> list[tuple[chess.Board, Score]]:
    """The last positions of a file's games that no table has and that best play would decide, with accrued scores."""
    found = list[tuple[chess.Board, Score]]()

    def note(board: chess.Board, accrued: Score) -> None:
        found.append((board.copy(stack=False), accrued))

    with suppress(InputFileError):  # deciding the games raises it again
        total(
            adjudicate_file(path, replace(task, texts=False, lines=False, facts=False), solve=note)
        )
    return found


def adjudicate_file(
    path: str, task: GamesTask, jobs: int = 1, solve: Solve | None = None
) -> Iterator[ChunkReport]:
    """The games of a file, decided in their order; an error of the whole file is raised after them.

    `solve` finds the value of positions that no table has, with one job alone.
    """
    chunks = chunks_of(read_pieces(path), path)
    # A decider raises the errors of a task, also before workers start.
    with closing(ChunkDecider(task, solve)) as decider, ExitStack() as stack:
        if jobs == 1:
            yield from (decider.decide(chunk, path) for chunk in chunks)
            return
        # Forked workers would inherit the handlers of signals, and a signal that arrives during a fork can get lost.
        context = multiprocessing.get_context("spawn")
        stopped, others = context.Event(), multiprocessing.active_children()
        pool = ProcessPoolExecutor(
            jobs, context, initializer=_start_worker, initargs=(task, stopped)
        )
        stack.callback(pool.shutdown, cancel_futures=True)
        stack.callback(
            stopped.set
        )  # otherwise workers would decide all of their queue before they end
        try:
            yield from _in_order(pool, chunks, path, jobs)
        except (BrokenProcessPool, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # else the pool broke while it was handed a chunk: "handle is closed"
            for worker in multiprocessing.active_children():
                if worker not in others:
                    worker.kill()  # the pool waits for ever for one that was being started when it broke
            reason = f"one of {jobs} processes was killed while it decided games; free memory, or give fewer --jobs"
            raise UnreadableFileError(path, reason) from None


def _in_order(
    pool: ProcessPoolExecutor, chunks: Iterator[Chunk], path: str, jobs: int
) -> Iterator[ChunkReport]:
    """Give chunks to the workers, some ahead of time, and yield their decisions in the order of the file."""
    waiting: deque[Future[ChunkReport]] = deque()
    try:
        for chunk in chunks:
            with signals_held():  # the first submissions start the workers
                try:
                    waiting.append(
                        pool.submit(_decide_text, chunk.text, chunk.in_line, chunk.number, path)
                    )
                except (
                    ValueError
                ) as error:  # a pipe for a worker that starts, which the broken pool has closed
                    raise BrokenProcessPool from error
            if len(waiting) > jobs * _AHEAD:
                yield waiting.popleft().result()
    except InputFileError:
        yield from (each.result() for each in waiting)
        raise
    yield from (each.result() for each in waiting)


def total(parts: Iterable[ChunkReport]) -> ChunkReport:
    """The figures of several chunks together, without their texts, facts and results."""
    whole = ChunkReport()
    for part in parts:
        for name in (
            "size",
            "games",
            "grounds",
            "missing",
            "lacking",
            "clocked",
            "against_their_word",
        ):
            setattr(whole, name, getattr(whole, name) + getattr(part, name))
        whole.contradicted.extend(part.contradicted)
        whole.skipped.extend(part.skipped)
        whole.asked.extend(part.asked)
    return whole
