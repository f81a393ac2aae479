"""Adjudication: the final score of a game.

Mate and stalemate on the board decide, whatever the result tag says. Otherwise a decisive result
decides. A game that the rules ended keeps its accrued score. Any other game is continued by best
play from its last position, with the score accrued so far, if a table has that position or tbgen
has solved it. Otherwise the accrued score stands. A missing table or proved bounds make it
provisional. Tables ignore the fifty-move rule, and a verdict says where it matters.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import chess

from tbgen.apps.games.contradictions import overruled_decision
from tbgen.apps.games.results import SPLIT_RESULTS, winner_of
from tbgen.apps.games.rules import Continue, Rules
from tbgen.apps.games.tags import (
    GAME_TAG,
    OWN_TAGS,
    Source,
    number_in,
    read_tags,
    write_tags,
)
from tbgen.apps.play.clock import ClockedValue, value_within
from tbgen.closures.bounds import Bracket
from tbgen.errors import CastlingError, MaterialError, MissingTableError, TooManyMenError, expect
from tbgen.facts import facts_of
from tbgen.material import MOST_BUILT_MEN, Material
from tbgen.probe import Tablebase
from tbgen.rules.game import Game, final_outcome
from tbgen.rules.points import DRAW, Points, Scoring, points_facts
from tbgen.rules.position import is_standard
from tbgen.rules.stage import ON_THE_BOARD, End, FiftyMoveSetting
from tbgen.score import Color, Mobility, Score
from tbgen.text import in_so_many

if TYPE_CHECKING:
    from tbgen.apps.games.read import PgnGame
    from tbgen.closures.answers import Solution

FindSolved = Callable[[chess.Board, Score], "Solution | None"]
"""What a solve has proved of a position with an accrued score; None if nothing was solved."""

_NO_MOVES = "it has no moves, and the score sheet counts"
_BY_BEST_PLAY = (Source.TABLEBASE, Source.SOLVED)


_OF_ONE = {"their": "its", "them": "it", "they": "it"}
"""Words about several games -> those about one."""


class Ground(enum.Enum):
    """The ground of a verdict, in the words of a summary about several games."""

    BOARD = "mate or stalemate"
    RESULT = "their result"
    TABLEBASE = "best play"
    SOLVED = "solved best play"
    RULES = "what had accrued when the rules ended them"
    SHEET = "their score sheet alone"
    STOPPED = "what had accrued when they stopped"
    """No table can decide these: too many men, castling rights, or `--continue never`."""
    PROVISIONAL = "what had accrued, until a missing table decides"

    def in_words(self, number: int) -> str:
        """The ground of so many games.

        >>> Ground.RULES.in_words(1)
        'what had accrued when the rules ended it'
        """
        if number > 1:
            return self.value
        words = [_OF_ONE.get(word, word) for word in self.value.split()]
        return " ".join(words)

    @classmethod
    def of(cls, source: Source, end: End | None) -> Ground:
        """The ground of a score with a source, in a game that the rules have or have not ended."""
        if source is Source.GAME and end is not None:
            return cls.BOARD if end in ON_THE_BOARD else cls.RULES
        return cls.STOPPED if source is Source.GAME else cls[source.name]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The final score of a game, its source and the reason.

    >>> verdict = Adjudicator().decide(chess.Board(), winner=Color.BLACK)
    >>> verdict.facts()["points"], verdict.why, verdict.table, verdict.missing
    ({'white': 0.0, 'black': 1.0}, 'Black won the game', None, ())
    """

    final: Score | None
    """The score that counts; None if the score sheet counts."""
    source: Source
    """The source of the score, such as `Source.TABLEBASE`."""
    why: str
    """The reason, as a sentence without its full stop."""
    scoring: Scoring
    """The scheme of the points."""
    material: Material | None = None
    """The table that decides the game."""
    dtg: int | None = None
    """Plies of best play from the last position until the final score is reached; None without a
    table.
    """
    clocked: ClockedValue | None = None
    """The value under the game's fifty-move rule; None without a table."""
    bounds: Bracket | None = None
    """Proved bounds of the value, if neither a table nor a solve gives the value itself."""
    missing: tuple[Material, ...] = ()
    """The missing table that would decide the game; several by the tags of an earlier decision."""
    is_solvable: bool = False
    """Whether a solve of the last position may find a value, or closer bounds."""
    sheet: Points = (DRAW, DRAW)
    """The points on the score sheet, which count without a score."""

    @property
    def points(self) -> Points:
        """White's and Black's points, as fractions."""
        return self.sheet if self.final is None else self.scoring.points(self.final)

    @property
    def is_clocked(self) -> bool:
        """Whether the fifty-move rule leaves too few plies for the table's value, or may do so."""
        return self.clocked is not None and self.clocked.matters

    @property
    def table(self) -> str | None:
        """The table that decided the game, with the plies of best play if it knows them."""
        if self.material is None:
            return None
        return str(self.material) if self.dtg is None else f"{self.material} {self.dtg}"

    @property
    def missing_tag(self) -> str | None:
        """The missing tables as a tag names them."""
        return " ".join(str(material) for material in self.missing) or None

    def facts(self) -> dict[str, Any]:
        """The verdict as JSON has it.

        Returns:
            The keys and values that `tbgen adjudicate --verdicts` writes for the verdict.
        """
        material = self.material
        if material is None and self.missing:
            material = self.missing[0]
        return facts_of(
            self,
            "final",
            "source",
            "material",
            "dtg",
            material=material,
            missing=self.missing_tag,
            plies_left=None if self.clocked is None else self.clocked.plies_left,
            within=None if self.clocked is None else self.clocked.within,
            points=points_facts(self.points),
            bounds=None if self.bounds is None else self.bounds.facts(),
        )


def told_by_tags(game: PgnGame) -> Verdict | None:
    """The verdict in the tags of a game.

    None without one, if the board or an arbiter decides, and if the result was corrected since.
    """
    known = read_tags(game.tags)
    final = known.outcome
    if final is None or game.last.end in ON_THE_BOARD or game.result in SPLIT_RESULTS:
        return None
    if overruled_decision(game.tags, known, game.result, game.last) is not None:
        return None
    source = _source_in(game.tags)
    why = "its tags say so"
    if source is Source.TABLEBASE:
        words = game.tags.get("RMobilityTablebase", "").split()
        dtg = number_in(words.pop()) if len(words) > 1 else None
        tables = materials_in(" ".join(words))
        table = tables[0] if tables else None
        verdict = Verdict(final, source, why, game.scoring, table, dtg)
    elif source is Source.PROVISIONAL:
        missing = materials_in(game.tags.get("RMobilityMissing", ""))
        verdict = Verdict(final, source, why, game.scoring, missing=missing)
    else:
        verdict = Verdict(final, source, why, game.scoring)
    is_of_no_moves = game.counts_by_sheet and source is Source.GAME
    return _by_sheet(game) if is_of_no_moves and final == game.last.accrued else verdict


def _source_in(tags: Mapping[str, str]) -> Source:
    """The source that a tag names, otherwise the game itself."""
    named = tags.get("RMobilitySource")
    for source in Source:
        if source.value == named:
            return source
    return Source.GAME


def materials_in(text: str) -> tuple[Material, ...]:
    """The materials in a tag, separated by spaces; none if one of them is no material."""
    with suppress(MaterialError):
        return tuple(Material.parse(name).canonical() for name in text.split())
    return ()


def _by_sheet(game: PgnGame) -> Verdict:
    """The verdict on a game that no score expresses."""
    why = _NO_MOVES
    if game.result in SPLIT_RESULTS:
        why = f"the score sheet says {game.result}"
    return Verdict(None, Source.SHEET, why, game.scoring, sheet=game.points)


class Adjudicator:
    """Decides games, with the tables at hand.

    Arguments:
        tables: An open tablebase. Without it, no game is continued by best play.
        rules: The games to continue; for `decide` the scoring, for a board the fifty-move rule;
            `Rules()` without it.
        find_solved: Finds what was solved of a position that no table has.

    Raises:
        UsageError: An argument is of another kind.

    >>> verdict = Adjudicator().decide(chess.Board("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"))
    >>> str(verdict.final), verdict.source.value, verdict.why
    ('G0.5', 'game', 'White forces stalemate')
    """

    def __init__(
        self,
        tables: Tablebase | None = None,
        rules: Rules | None = None,
        find_solved: FindSolved | None = None,
    ) -> None:
        if tables is not None:
            expect(tables, Tablebase, "tables", "a Tablebase, or None")
        if rules is None:
            rules = Rules()
        expect(rules, Rules, "rules", "Rules, or None")
        self.tables = tables
        self.rules = rules
        self._find_solved = find_solved

    def decide(
        self,
        board_or_game: chess.Board | Game,
        accrued: Score | str | None = None,
        *,
        winner: Color | None = None,
    ) -> Verdict:
        """Decide a game that ends now.

        Arguments:
            board_or_game: A game, or a board with the moves of the game on its stack.
            accrued: The accrued score before the moves of a board. Without it, the first position's
                own score.
            winner: The side that has won, if the other one resigned or lost on time.

        Returns: The final score with its source and reason. A missing table makes the verdict
        provisional.

        Raises:
            IllegalPositionError: The position breaks a rule of chess.
            AccruedError: No game can carry this accrued score into the position.
        """
        game = board_or_game
        if not isinstance(game, Game):
            which = Mobility.RESET if self.tables is None else self.tables.mobility
            game = Game(game, accrued=accrued, fifty_moves=self.rules.fifty(), mobility=which)
        return self._settled(game, winner, self.rules.scoring())

    def decide_read(self, game: PgnGame) -> Verdict:
        """Decide a game from a file. It has the scoring and fifty-move rule with which it was read.

        Arguments:
            game: A game from `read_games`.

        Returns:
            The final score with its source and reason.

        >>> from tbgen.apps.games.read import games_in
        >>> (game,) = games_in("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0")
        >>> str(Adjudicator().decide_read(game).final)
        'G0.0'
        """
        if game.counts_by_sheet:
            return _by_sheet(game)
        winner = winner_of(game.result)
        told = told_by_tags(game)
        if told is not None and winner is not None and told.source in _BY_BEST_PLAY:
            return told  # a referee entered the win by best play as the result
        return self._settled(game, winner, game.scoring)

    def _settled(self, game: Game | PgnGame, winner: Color | None, scoring: Scoring) -> Verdict:
        accrued = game.last.accrued
        end = game.last.end
        if end in ON_THE_BOARD:
            return Verdict(accrued, Source.GAME, accrued.in_words(), scoring)
        if winner is not None:
            final = final_outcome(accrued, winner)
            return Verdict(final, Source.RESULT, f"{winner} won the game", scoring)
        if self._continues(end):
            return self._continued(game, scoring)
        if end is None:
            why = "the accrued score stands: the game is not continued"
        else:
            why = f"the game ended by {end.value}, and its accrued score stands"
        return Verdict(accrued, Source.GAME, why, scoring)

    def _continues(self, end: End | None) -> bool:
        """Whether best play continues a game that the rules have or have not ended."""
        continued = self.rules.continued
        return continued is Continue.ALWAYS or (continued is Continue.UNLESS_OVER and end is None)

    def _continued(self, game: Game | PgnGame, scoring: Scoring) -> Verdict:
        """The outcome of best play from the last position, or the accrued score if the outcome is
        unknown.
        """
        accrued = game.last.accrued
        because = "no table knows the position"
        if self.tables is not None:
            board = game.position()
            if not is_standard(board):
                why = "the accrued score stands: tables know no variants"
                return Verdict(accrued, Source.GAME, why, scoring)
            try:
                if chess.popcount(board.occupied) <= MOST_BUILT_MEN:
                    with suppress(TooManyMenError):
                        return self._by_table(self.tables, game, board, scoring)
                if self.tables.mobility.forgets and not board.castling_rights:
                    return self._solved(game, board, scoring)
            except CastlingError:
                because = "tables know no castling rights"
            except MissingTableError as error:
                names = (error.material, *error.others)
                missing = tuple(Material.parse(name) for name in names)
                tables = "tables" if len(names) > 1 else "table"
                why = f"the accrued score is provisional: no {tables} {' '.join(names)}"
                return Verdict(accrued, Source.PROVISIONAL, why, scoring, missing=missing)
        return Verdict(accrued, Source.GAME, f"the accrued score stands: {because}", scoring)

    def _by_table(
        self, tables: Tablebase, game: Game | PgnGame, board: chess.Board, scoring: Scoring
    ) -> Verdict:
        """The outcome that a table has for the last position."""
        probe = tables.probe(board, game.last.accrued)
        table = probe.material.canonical()
        plies = "reached" if probe.is_reached else in_so_many(probe.dtg)
        why = f"{probe.outcome.in_words()}, {plies}, with best play from {table}"
        clocked = None
        # Only r-mobility says what the clock makes of a value.
        if tables.mobility.forgets:
            clocked = value_within(tables, board, fifty_moves=game.fifty_moves, found=probe)
        if clocked is not None and clocked.matters:
            why += f", but {clocked}"
        return Verdict(
            probe.outcome,
            Source.TABLEBASE,
            why,
            scoring,
            material=table,
            dtg=probe.dtg,
            clocked=clocked,
        )

    def _solved(self, game: Game | PgnGame, board: chess.Board, scoring: Scoring) -> Verdict:
        """What was solved of a position that no table has, or else the accrued score."""
        accrued = game.last.accrued
        solution = None
        if self._find_solved is not None:
            solution = self._find_solved(board, accrued)
        if solution is None:
            why = "the accrued score stands: no table knows the position"
            return Verdict(accrued, Source.GAME, why, scoring, is_solvable=True)
        bracket = solution.bracket
        if bracket.exact is not None:
            why = f"{bracket.exact.in_words()}, with best play"
            return Verdict(bracket.exact, Source.SOLVED, why, scoring, is_solvable=True)
        why = f"the accrued score is provisional: best play leads to {bracket}"
        return Verdict(accrued, Source.PROVISIONAL, why, scoring, bounds=bracket, is_solvable=True)


def decision_facts(
    game: PgnGame, verdict: Verdict, mobility: Mobility = Mobility.RESET
) -> dict[str, Any]:
    """A game and its verdict as JSON has them."""
    last = game.last
    fen = None
    if verdict.material or verdict.missing or verdict.is_solvable:
        fen = game.position().fen()
    facts = facts_of(
        game, "end", ply_count=last.number, accrued=last.accrued, reached_at_ply=last.since
    )
    decided = {"fen": fen, **verdict.facts(), "why": verdict.why}
    return {**game.heading, **facts, **decided, "tags": decision_tags(game, verdict, mobility)}


def decision_tags(
    game: PgnGame, verdict: Verdict, mobility: Mobility = Mobility.RESET
) -> dict[str, str]:
    """The tags with the final score of a game and its source; none if it has no moves."""
    if verdict.final is None:
        return {}
    tags = write_tags(verdict.final, game.scoring)
    tags["RMobilitySource"] = verdict.source.value
    tags["RMobilityTablebase"] = verdict.table or ""
    tags["RMobilityMissing"] = verdict.missing_tag or ""
    setting = game.fifty_moves.setting
    is_legacy = read_tags(game.tags).legacy
    if setting is not (FiftyMoveSetting.LEGACY if is_legacy else FiftyMoveSetting.RESET):
        tags["RMobilityFifty"] = setting.value
    if verdict.bounds is not None:
        tags["RMobilityBounds"] = f"{verdict.bounds.lower} {verdict.bounds.upper}"
    if verdict.is_clocked:
        tags["RMobilityClock"] = str(verdict.clocked)
    if not mobility.forgets:
        tags[GAME_TAG] = str(mobility)
    return {name: tags[name] for name in OWN_TAGS if tags.get(name)}
