"""Answers of the server: positions, lines and games, and errors as strangers may see them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from tbgen.apps.games.annotate import pgn_of
from tbgen.apps.play.clock import value_to_show
from tbgen.apps.server.parameters import (
    Question,
    fifty_in,
    is_set,
    position_in,
    position_in_item,
    scoring_in,
)
from tbgen.errors import (
    NO_TABLE,
    PgnError,
    TbgenError,
    UsageError,
)
from tbgen.probe import Tablebase
from tbgen.rules.points import Scoring
from tbgen.rules.stage import FiftyMoves

if TYPE_CHECKING:
    from tbgen.apps.games.decide import FindSolved

_MOST_QUOTED: Final = 200
"""Characters at either end of a long text in an error."""


def position_facts(tables: Tablebase, given: Mapping[str, str]) -> dict[str, Any]:
    """The answer to the parameters of a request for one position."""
    return answer_of(
        tables,
        position_in(given),
        scoring_in(given),
        fifty_in(given),
        brief=is_set("brief", given),
        strip=is_set("strip", given),
    )


def answer_of(
    tables: Tablebase,
    question: Question,
    scoring: Scoring,
    fifty: FiftyMoves | None = None,
    *,
    brief: bool,
    strip: bool,
) -> dict[str, Any]:
    """The value of a position, and of its moves unless the answer is brief.

    A strip has the value with every score that can have accrued.
    """
    facts = _value_facts(tables, question, scoring, fifty)
    if not brief:
        facts["moves"] = tables.probe_moves(question.board, question.accrued).facts(scoring)
    if strip:
        facts["strip"] = [
            {"accrued": str(probe.accrued), "outcome": str(probe.outcome), "dtg": probe.dtg}
            for probe in tables.probe_every_accrued(question.board)
        ]
    return facts


def proof_facts(
    tables: Tablebase, question: Question, scoring: Scoring, error: TbgenError
) -> dict[str, Any]:
    """An error about a missing table, and what the moves of the position prove."""
    proof = tables.prove(question.board, question.accrued)
    return proof.beside(error_facts(error), scoring)


def _value_facts(
    tables: Tablebase, question: Question, scoring: Scoring, fifty: FiftyMoves | None
) -> dict[str, Any]:
    """The value of a position, and the one under a fifty-move rule if that is asked or matters."""
    probe = tables.probe(question.board, question.accrued)
    facts = probe.facts(scoring)
    clocked = value_to_show(tables, probe, question.board, fifty)
    if clocked is not None:
        facts.update(clocked.facts())
    return facts


def line_of(
    tables: Tablebase,
    question: Question,
    scoring: Scoring,
    fifty: FiftyMoves | None,
    most_plies: int,
) -> dict[str, Any]:
    """Best play by both sides, as JSON."""
    facts = _value_facts(tables, question, scoring, fifty)
    line = tables.line(question.board, question.accrued, max_plies=most_plies)
    facts["line"] = [step.facts() for step in line]
    return facts


def line_as_pgn(
    tables: Tablebase,
    question: Question,
    scoring: Scoring,
    fifty: FiftyMoves | None,
    most_plies: int,
) -> str:
    """The same as a game."""
    board, accrued = question
    probe = tables.probe(board, accrued)
    clocked = value_to_show(tables, probe, board, fifty)
    clock = None
    if clocked is not None and clocked.matters:
        clock = str(clocked)
    line = tables.line(board, accrued, max_plies=most_plies)
    return pgn_of(board, probe, line, scoring, clock=clock) + "\n"


def answers_to(
    tables: Tablebase,
    items: Iterable[tuple[int, object]],
    scoring: Scoring,
    seconds: float,
    *,
    brief: bool,
    strip: bool,
) -> Iterator[dict[str, Any]]:
    """An answer to each numbered question, in order; an invalid question gets its error instead.

    After so many seconds of work, the remaining questions get an error. The time in which a slow
    client reads does not count.
    """
    worked = 0.0
    for number, item in items:
        start = time.monotonic()
        try:
            if worked > seconds:
                raise UsageError(
                    f"the positions before this one took {seconds} s; send fewer at once"
                )
            question = position_in_item(item)
            try:
                facts = answer_of(tables, question, scoring, brief=brief, strip=strip)
            except NO_TABLE as error:
                if brief:
                    raise
                proof = proof_facts(tables, question, scoring, error)
                facts = {"fen": _quoted(item), **proof}
        except TbgenError as error:
            facts = {"fen": _quoted(item), **error_facts(error)}
        worked += time.monotonic() - start
        yield {"number": number, **facts}


def _quoted(item: object) -> str | None:
    """A question as its error repeats it."""
    return _short(item) if isinstance(item, str) else None


def error_facts(error: TbgenError) -> dict[str, Any]:
    """An error as JSON has it, without folders of this machine.

    Long texts are cut, so that it echoes no body.

    >>> from tbgen.errors import MissingDistancesError, MissingTableError
    >>> error_facts(MissingTableError("KRvK", "/it's secret"))  # doctest: +NORMALIZE_WHITESPACE
    {'error': 'MissingTableError', 'message': 'no table KRvK; build it with: tbgen build KRvK',
    'material': 'KRvK', 'others': []}
    >>> error_facts(MissingDistancesError("KRvK", "/secret"))["message"]
    'only the outcomes of KRvK are here; for distances: tbgen build KRvK'
    """
    facts = error.for_strangers().facts()
    facts.pop("folder", None)
    for name, value in facts.items():
        if isinstance(value, str):
            facts[name] = _short(value)
    return facts


def _short(text: str) -> str:
    """A text without its middle, if it is long."""
    if len(text) <= 2 * _MOST_QUOTED:
        return text
    return f"{text[:_MOST_QUOTED]} … {text[-_MOST_QUOTED:]}"


def load_kernels_of_games() -> None:
    """Load the kernels that read games, or compile them: the first game does."""
    from tbgen.apps.games.read import games_in

    list(games_in("1. e4 *"))


def verdicts_in(
    tables: Tablebase,
    text: bytes,
    check: Callable[[], None] | None = None,
    find_solved: FindSolved | None = None,
) -> Iterator[dict[str, Any]]:
    """Every game with its final score, the reason and the tags; or the error in its place.

    `check` is called before each move that takes long, and may raise an error that stops the work.
    `find_solved` finds what was solved of a position that no table has.
    """
    from tbgen.apps.games.decide import Adjudicator, decision_facts
    from tbgen.apps.games.read import games_in
    from tbgen.apps.games.text import decoded

    adjudicator = Adjudicator(tables, find_solved=find_solved)
    for game in games_in(decoded(text), check=check):
        if isinstance(game, PgnError):
            yield error_facts(game)
            continue
        verdict = adjudicator.decide_read(game)
        yield decision_facts(game, verdict)
