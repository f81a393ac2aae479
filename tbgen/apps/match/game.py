"""One game, from its opening to its score and its PGN. When and why it ends is decided here and nowhere else.

Tables that decide games, tbgen's with exact scores and Syzygy's for wins, are imported when they are first used.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise

import chess

from tbgen.apps.games.tags import Source, write_tags
from tbgen.apps.games.writing import format_game, numbered
from tbgen.apps.match.control import Clock
from tbgen.apps.match.openings import Opening
from tbgen.apps.match.process import Answer, EngineProcess, ForfeitError
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.settings import PlayRules, TableSettings
from tbgen.errors import MissingFolderError, UsageError
from tbgen.rules.game import Game, Ply, final_outcome
from tbgen.score import MATE_CODE, Color, Score
from tbgen.text import cleaned, in_so_many

ADJUDICATION, _MATE_CENTIPAWNS = "adjudication", 1_000_000


@dataclass(frozen=True, slots=True)
class Ending:
    """A final score, where it comes from, why and when; `termination` is the value of the tag."""

    outcome: Score
    source: Source
    termination: str
    details: str
    table: str | None = None
    """The name of the table that decided, with the plies until the score is reached."""
    plies: int = 0


@dataclass(slots=True)
class Sheet:
    """A game, from its pairing to its ending, with the engines' answers by ply."""

    pairing: Pairing
    opening: Opening
    rules: PlayRules
    """With the komi of the opening, if it names one."""
    game: Game
    clocks: tuple[Clock, Clock]
    started: datetime
    answers: dict[int, Answer] = field(default_factory=dict)
    seen_by_tables: Ending | None = None
    """What the tables said when they first knew the position, and the ply."""
    ending: Ending = field(init=False)
    seconds: float = 0.0


async def play(
    sheet: Sheet,
    players: tuple[EngineProcess, EngineProcess],
    tables: Tables,
    on_move: Callable[[Sheet], None],
) -> Ending:
    """Play a game to its end, calling `on_move` after each move; an engine that forfeits loses with G0.0."""
    while (ending := await _ending_of(sheet, tables)) is None:
        side = Color.of(sheet.game.board.turn)
        try:
            answer = await players[side].think(
                sheet.game.board, sheet.clocks[side], sheet.clocks[side.other]
            )
        except ForfeitError as error:
            return forfeited(sheet, side, error)
        sheet.answers[sheet.game.push(answer.move).number] = answer
        on_move(sheet)
    return ending


async def _ending_of(sheet: Sheet, tables: Tables) -> Ending | None:
    """The ending of a game in play, if it is over: by the rules, by resignation, by tables or at the limit of moves."""
    game, most = sheet.game, sheet.rules.most_moves
    if game.last.end is not None:
        return Ending(game.accrued, Source.GAME, "normal", game.last.end.value)
    if decided := _by_resignation(sheet) or await _by_tables(sheet, tables):
        return decided
    is_too_long = most is not None and game.last.number >= 2 * most
    return (
        Ending(game.accrued, Source.GAME, ADJUDICATION, f"move limit of {most}")
        if is_too_long
        else None
    )


def _by_resignation(sheet: Sheet) -> Ending | None:
    """The ending if a side evaluated its last moves as lost, and the other side, if it has to agree, its own as won."""
    if (rule := sheet.rules.resign) is None:
        return None
    scores = [answer.evaluation.score for answer in sheet.answers.values()]
    values = [
        None if score is None else score.score(mate_score=_MATE_CENTIPAWNS) for score in scores
    ]
    last = Color.of(sheet.game.board.turn).other
    for loser, own, others in (
        (last, values[::-2], values[-2::-2]),
        (last.other, values[-2::-2], values[::-2]),
    ):
        lost = [
            value for value in own[: rule.moves] if value is not None and value <= -rule.centipawns
        ]
        won = [
            value
            for value in others[: rule.moves]
            if value is not None and value >= rule.centipawns
        ]
        if len(lost) == rule.moves and (len(won) == rule.moves or not rule.two_sided):
            return Ending(
                Score(MATE_CODE, loser.other), Source.RESULT, ADJUDICATION, f"{loser} resigns"
            )
    return None


async def _by_tables(sheet: Sheet, tables: Tables) -> Ending | None:
    """The ending by tables, once an engine has moved; without adjudication their first answer is only noted."""
    if sheet.seen_by_tables is not None or not sheet.answers:
        return None
    ending = await tables.ask(sheet.game)
    if ending is not None:
        sheet.seen_by_tables = replace(ending, plies=sheet.game.last.number)
    return ending if sheet.rules.adjudicate else None


def forfeited(sheet: Sheet, side: Color, error: ForfeitError) -> Ending:
    """The ending of a game that `side` forfeits: the other side wins with G0.0."""
    return Ending(
        Score(MATE_CODE, side.other), Source.RESULT, error.fault.value, f"{side} {error.details}"
    )


TAG_LENGTH = 255
"""The longest value of a tag that the PGN standard asks programs to read."""


def to_pgn(sheet: Sheet, shared: Mapping[str, str]) -> str:
    """The game as it is appended to the file, with the tags that only the match knows; an empty line ends it."""
    moves = ((ply.san, _comment(sheet, before, ply)) for before, ply in pairwise(sheet.game.plies))
    own = {**_tags(sheet), **shared, "MatchGame": str(sheet.pairing.number)}
    tags = {name: cleaned(value, TAG_LENGTH) for name, value in own.items()}
    root = sheet.game.board.root()
    return format_game(tags, numbered(root.fullmove_number, root.turn, moves)) + "\n\n"


def _tags(sheet: Sheet) -> dict[str, str]:
    ending, accrued, root = sheet.ending, sheet.opening.accrued, sheet.game.board.root()
    fen = root.fen(shredder=root.chess960, en_passant="fen")
    variant = "chess960" if root.chess960 else str(root.uci_variant)
    white, black = (str(clock.control) for clock in sheet.clocks)
    controls = (
        {"TimeControl": white}
        if white == black
        else {"WhiteTimeControl": white, "BlackTimeControl": black}
    )
    return {
        "Date": f"{sheet.started:%Y.%m.%d}",
        "Round": str(sheet.pairing.round),
        **write_tags(
            ending.outcome, sheet.rules.scoring, fifty_moves=sheet.game.fifty_moves.setting
        ),
        "RMobilitySource": ending.source.value,
        **({} if ending.table is None else {"RMobilityTablebase": ending.table}),
        "Termination": ending.termination,
        "TerminationDetails": ending.details,
        **({} if variant == "chess" else {"Variant": variant.capitalize()}),
        **({} if fen == root.starting_fen and not root.chess960 else {"SetUp": "1", "FEN": fen}),
        **({} if accrued is None else {"RMobilityAccrued": str(accrued)}),
        **controls,
        "GameStartTime": f"{sheet.started:%Y-%m-%dT%H:%M:%S%z}",
        "GameDuration": _clock_text(sheet.seconds),
        "PlyCount": str(sheet.game.last.number),
    }


def _comment(sheet: Sheet, before: Ply, ply: Ply) -> str:
    """The clock, what the engine said, the time it took, and the accrued score where it changes."""
    answer = sheet.answers.get(ply.number)
    parts = ["book"] if answer is None else [f"{answer.evaluation} {answer.seconds:.3f}s".strip()]
    if ply.accrued != before.accrued or ply.since != before.since:
        parts.append(f"accrued {ply.accrued}")
    if sheet.seen_by_tables is not None and sheet.seen_by_tables.plies == ply.number:
        parts.append(sheet.seen_by_tables.details)
    if ply.end is not None:
        parts.append(ply.end.value)
    clock = (
        ""
        if answer is None or answer.remaining is None
        else f"[%clk {_clock_text(answer.remaining)}] "
    )
    return clock + ", ".join(parts)


def _clock_text(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _clock_text(3725.25)
    '1:02:05.250'
    """
    whole, part = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}.{part:03}"


Decider = tuple[int, Callable[[Game], Ending | None]]
"""So many men, and what tables say of a game in play with as many or fewer: the ending by best play, or None."""


class Tables:
    """Asks one decider after the other, in a thread of its own: the clocks of other games run on meanwhile."""

    def __init__(
        self, deciders: Sequence[Decider] = (), thread: ThreadPoolExecutor | None = None
    ) -> None:
        self._deciders, self._thread = deciders, thread

    async def ask(self, game: Game) -> Ending | None:
        men = chess.popcount(game.board.occupied)
        able = [decide for most_men, decide in self._deciders if men <= most_men]

        def first_answer() -> Ending | None:
            return next(filter(None, (decide(game) for decide in able)), None)

        return (
            await asyncio.get_running_loop().run_in_executor(self._thread, first_answer)
            if able
            else None
        )


@contextlib.contextmanager
def opened_tables(settings: TableSettings) -> Iterator[Tables]:
    """The tables of a match; a question that is being answered is waited for when they are closed."""
    with contextlib.ExitStack() as stack:
        deciders = []
        if settings.folders is not None:
            deciders.append(stack.enter_context(table_decider(settings.folders, settings.men)))
        if settings.syzygy is not None:
            wins = syzygy_decider(
                settings.syzygy, settings.syzygy_men, ignore_fifty_moves=settings.ignore_fifty_moves
            )
            deciders.append(stack.enter_context(wins))
        yield Tables(deciders, stack.enter_context(ThreadPoolExecutor(1)))


@contextlib.contextmanager
def table_decider(folders: str, most_men: int) -> Iterator[Decider]:
    """The tables of one folder or several, joined: the optimal result with the score on the sheet."""
    from tbgen.apps.games.decide import Adjudicator
    from tbgen.probe import Tablebase

    try:
        tables = Tablebase(folders)
    except MissingFolderError as error:
        raise UsageError(f"-tb {folders}: there is no folder {error.folder}") from None
    if not tables.available():
        raise UsageError(
            f"-tb {folders}: there are no tables; "
            f"build some with: tbgen build --men 3 --outcomes --data {tables.folders[0]}"
        )
    adjudicator = Adjudicator(tables)

    def decide(game: Game) -> Ending | None:
        verdict = adjudicator.decide(game)
        words = f"tablebase {verdict.final} {in_so_many(verdict.dtg)}"
        if verdict.is_clocked:
            words += f", but {verdict.clocked}"
        is_known = verdict.source is Source.TABLEBASE
        return (
            Ending(verdict.final, verdict.source, ADJUDICATION, words, table=verdict.table)
            if is_known
            else None
        )

    with tables:
        yield most_men, decide


@contextlib.contextmanager
def syzygy_decider(folders: str, most_men: int, *, ignore_fifty_moves: bool) -> Iterator[Decider]:
    """Wins by Syzygy tables: they mean mate, as the fifty-move rule goes.

    A won position counts right after a reset, when the tables are exact; with `ignore_fifty_moves` at any time,
    and a win that the fifty-move rule would spoil counts too.
    """
    from tbgen.probe.syzygy import UNKNOWN, open_syzygy

    with open_syzygy(folders, counts_fifty_moves=not ignore_fifty_moves) as winner_of:

        def decide(game: Game) -> Ending | None:
            is_exact = not game.board.castling_rights and (
                game.last.counter == 0 or ignore_fifty_moves
            )
            winner = winner_of(game.board) if is_exact else UNKNOWN
            if winner in (0, UNKNOWN):
                return None
            side = Color.of(winner > 0)
            return Ending(
                final_outcome(game.accrued, side),
                Source.RESULT,
                ADJUDICATION,
                f"Syzygy: {side} wins",
            )

        yield most_men, decide
