"""Decides files of games chunk by chunk, so that memory does not grow with a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

import chess

from tbgen.apps.games.contradictions import contradiction_in
from tbgen.apps.games.decide import (
    Adjudicator,
    FindSolved,
    Ground,
    Verdict,
    decision_facts,
    decision_tags,
    told_by_tags,
)
from tbgen.apps.games.edits import tagged
from tbgen.apps.games.event_game import EventGame, tags_for_standings
from tbgen.apps.games.read import PgnGame, game_of
from tbgen.apps.games.results import UNFINISHED, classical_result, result_of
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.solved import finding_solved
from tbgen.apps.games.tags import Source, misspelt_tags, overrules_fifty_moves
from tbgen.apps.games.text import Chunk, GameText, chunks_of
from tbgen.errors import InputFileError, PgnError, UsageError
from tbgen.probe import Tablebase
from tbgen.probe.tablebase import folders_of
from tbgen.rules.facts import to_json
from tbgen.rules.position import own_score
from tbgen.rules.stage import ON_THE_BOARD
from tbgen.storage.files import Folders
from tbgen.system.inputs import read_pieces

MOST_SOLVED_MEN = 8
"""With more men, a solve is mostly refused."""


@dataclass(frozen=True, slots=True)
class GamesTask:
    """The work on every game."""

    rules: Rules = field(default_factory=Rules)
    tables: Folders | None = None
    """The folders of tables, if tables are used."""
    texts: bool = True
    """Return the text of the games with their new tags."""
    facts: bool = False
    """Return the games as JSON."""
    results: bool = False
    """Return the games for standings.

    The score in their tags counts, unless the board decides, and the text of such a game stays.
    """


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
    bounded: int = 0
    """Games of which a solve has proved only bounds."""
    unsolved: int = 0
    """Games of up to `MOST_SOLVED_MEN` men that no table decides and nobody has solved."""
    unfinished: int = 0
    """Games without a result, which have no ground here."""
    clocked: int = 0
    """Games where the fifty-move rule leaves too few plies for the table's value, or may do so."""
    overruled_fifty_moves: int = 0
    """Games whose tags say that the fifty-move rule ended them, but which best play decides."""
    contradicted: list[str] = field(default_factory=list)
    """A line for each game with two results, or with tags that contradict its end on the board."""
    misspelt: Counter[tuple[str, str]] = field(default_factory=Counter)
    """File and tag -> the games that have this tag, whose letters are of the wrong case."""
    skipped: list[InputFileError] = field(default_factory=list)


def awaits_solve(game: PgnGame, verdict: Verdict) -> bool:
    """Whether a game of few men has no tables, and nobody has solved its last position."""
    if not verdict.is_solvable or verdict.source is not Source.GAME:
        return False
    return chess.popcount(game.position().occupied) <= MOST_SOLVED_MEN


def event_game(game: PgnGame, verdict: Verdict, contradiction: str | None) -> EventGame:
    """The facts of a game that standings need."""
    tags = game.tags
    final = game.last.accrued if verdict.final is None else verdict.final
    return EventGame(
        players=(tags.get("White", "?"), tags.get("Black", "?")),
        result=classical_result(final) if game.last.end in ON_THE_BOARD else game.result,
        final=final,
        scoring=game.scoring,
        source=verdict.source,
        missing=verdict.missing_tag,
        plies=game.last.number,
        tags=tags_for_standings(tags),
        file=game.file,
        number=game.number,
        accrued=game.last.accrued,
        end=game.last.end,
        men=chess.popcount(game.position().occupied),
        table=verdict.table,
        contradiction=contradiction,
        awaits_solve=awaits_solve(game, verdict),
    )


def unreadable_game(text: GameText, fault: PgnError, rules: Rules) -> EventGame:
    """An unreadable game with what its score sheet says.

    Its score is that of the first position of chess.
    """
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
        tags=tags_for_standings(tags),
        fault=fault,
        file=fault.file,
        number=text.number,
    )


class GamesDecider:
    """Decides games one after the other, and keeps the tables open in between."""

    def __init__(self, task: GamesTask) -> None:
        self.task = task
        self.tables: Tablebase | None = None
        self._opened = ExitStack()
        find_solved: FindSolved | None = None
        if task.tables is not None:
            mobility = task.rules.mobility
            self.tables = Tablebase(task.tables, mobility=mobility, missing_ok=True)
            self._opened.enter_context(self.tables)
            if mobility.forgets:
                folders = folders_of(task.tables, mobility)
                find_solved = self._opened.enter_context(finding_solved(folders))
        self.adjudicator = Adjudicator(self.tables, task.rules, find_solved)

    def close(self) -> None:
        self._opened.close()

    def decide_file(
        self, path: str, pieces: Iterable[bytes] | None = None
    ) -> Iterator[ChunkReport]:
        """The games of a file, in their order; an error of the whole file comes after them.

        `pieces` are the bytes of the file, if somebody else reads them.
        """
        for chunk in chunks_of(read_pieces(path) if pieces is None else pieces, path):
            yield self.decide(chunk, path)

    def decide(self, chunk: Chunk, name: str) -> ChunkReport:
        """Decide the games of a chunk."""
        report = ChunkReport(size=len(chunk.text))
        texts = list[bytes]()
        for text in chunk.games:
            game = game_of(text, name, self.task.rules)
            if isinstance(game, PgnError):
                report.skipped.append(game)
                texts.append(chunk.text[text.span])
                if self.task.results:
                    report.results.append(unreadable_game(text, game, self.task.rules))
                continue
            verdict_in_tags = told_by_tags(game) if self.task.results else None
            verdict = verdict_in_tags
            if verdict is None:
                verdict = self.adjudicator.decide_read(game)
            self._count(game, verdict, report)
            contradiction = contradiction_in(game, text.result)
            if contradiction is not None:
                where = f"{game.file}, game {game.number}"
                report.contradicted.append(f"{where}: warning: {contradiction}")
            if self.task.results:
                report.results.append(event_game(game, verdict, contradiction))
            if self.task.texts and verdict_in_tags is not None:
                texts.append(chunk.text[text.span])
            elif self.task.texts:
                tags = decision_tags(game, verdict, self.task.rules.mobility)
                texts.append(tagged(text, tags))
        if self.task.texts:
            report.text = b"".join([*texts, chunk.rest()])
        return report

    def _count(self, game: PgnGame, verdict: Verdict, report: ChunkReport) -> None:
        """Add a game to the counts, and to the wanted lists."""
        report.games += 1
        if game.result == UNFINISHED and game.last.end not in ON_THE_BOARD:
            report.unfinished += 1
        else:
            report.grounds[Ground.of(verdict.source, game.last.end)] += 1
        if verdict.bounds is not None:
            report.bounded += 1
        report.unsolved += awaits_solve(game, verdict)
        for name in misspelt_tags(game.tags):
            report.misspelt[game.file, name] += 1
        if verdict.is_clocked:
            report.clocked += 1
        if overrules_fifty_moves(verdict.source, game.tags):
            report.overruled_fifty_moves += 1
        if verdict.missing:
            report.lacking += 1
            report.missing.update(str(material) for material in verdict.missing)
        if self.task.facts:
            report.facts.append(to_json(decision_facts(game, verdict, self.task.rules.mobility)))


def adjudicate_file(path: str, task: GamesTask) -> Iterator[ChunkReport]:
    """The games of one file, as `GamesDecider` decides them."""
    with closing(GamesDecider(task)) as decider:
        yield from decider.decide_file(path)


def total(parts: Iterable[ChunkReport]) -> ChunkReport:
    """The figures of several chunks together, without their texts, facts and results."""
    whole = ChunkReport()
    for part in parts:
        whole.size += part.size
        whole.games += part.games
        whole.grounds += part.grounds
        whole.missing += part.missing
        whole.lacking += part.lacking
        whole.bounded += part.bounded
        whole.unsolved += part.unsolved
        whole.unfinished += part.unfinished
        whole.misspelt += part.misspelt
        whole.clocked += part.clocked
        whole.overruled_fifty_moves += part.overruled_fifty_moves
        whole.contradicted.extend(part.contradicted)
        whole.skipped.extend(part.skipped)
    return whole
