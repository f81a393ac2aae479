"""Requests and answers of the server: positions, lines and games, and positions of ordinary chess."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlencode

import chess

from tbgen.apps.games.annotate import pgn_of
from tbgen.apps.games.tags import parse_cutoff
from tbgen.apps.play.within import value_if_asked
from tbgen.apps.site.templates import template_of
from tbgen.errors import MissingTableError, PgnError, TbgenError, UsageError
from tbgen.probe import Tablebase
from tbgen.reading import parse_json
from tbgen.rules.notation import fen_and_moves, position_of
from tbgen.rules.points import DEFAULT_KOMI, Scheme, Scoring, format_points
from tbgen.rules.position import board_after
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import DEFAULT_CUTOFF_CODE, Color, Mobility, Score

POSITION = ("fen", "accrued", "moves")
SCORING = ("scoring", "cutoff", "komi")
CLOCK = ("fifty",)
EXTRAS = ("brief", "strip")
MOST_CHARACTERS: Final = 4096
"""The most characters of a position with its moves."""

T = TypeVar("T")


class Question(NamedTuple):
    """A requested position and its accrued score; None stands for the own score."""

    board: chess.Board
    accrued: Score | None


def parameters_of(pairs: Iterable[tuple[str, str]], known: Iterable[str]) -> dict[str, str]:
    """The parameters of a query; UsageError for an unknown or repeated one.

    >>> parameters_of([("fen", "8/8")], ["fen", "accrued"])
    {'fen': '8/8'}
    """
    names, found = list(known), dict[str, str]()
    for name, value in pairs:
        if name not in names:
            raise UsageError(f"there is no parameter {name!r}; there are {', '.join(names)}")
        if name in found:
            raise UsageError(f"the parameter {name} is given twice")
        found[name] = value
    return found


def extras_in(parameters: Mapping[str, str]) -> dict[str, bool]:
    """Whether a brief answer, and a strip, are requested: 1 for yes, 0 for no."""
    return {
        name: _one_of(name, parameters.get(name, "0"), {"0": False, "1": True}) for name in EXTRAS
    }


def position_in(parameters: Mapping[str, str]) -> Question:
    """The position of `fen` after the moves behind it or in `moves`.

    >>> position_in({"fen": "8/8/4K3/5Bk1/8/8/8/8_w_-_-_33_30", "accrued": "G4.0", "moves": "Ke5"}).accrued
    Score('G3.5')
    """
    if not parameters.get("fen", "").strip():
        raise UsageError("the parameter fen is missing")
    fen, moves = fen_and_moves(parameters["fen"].split())
    accrued = parameters.get("accrued", "")
    return Question(
        *position_of(
            fen, [*moves, parameters.get("moves", "")], Score(accrued) if accrued else None
        )
    )


def position_in_item(item: object) -> Question:
    """The position in a line or in an item of a JSON array: a FEN, perhaps with more behind it, or an object.

    >>> position_in_item('{"fen": "8/8/8/4KBk1/8/8/8/8 b - - 0 1"}').board.turn
    False
    """
    if isinstance(item, str) and item.startswith("{"):
        item = json_in(item)
    given = {"fen": item} if isinstance(item, str) else item
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise UsageError("a position is a FEN, or an object with texts as fen, accrued and moves")
    if sum(map(len, given.values())) > MOST_CHARACTERS:
        raise UsageError(f"a position and its moves may have {MOST_CHARACTERS} characters")
    return position_in(parameters_of(given.items(), POSITION))


def json_in(text: str) -> Any:
    """The value of a text in JSON."""
    try:
        return parse_json(text)
    except ValueError:
        raise UsageError("this is no JSON") from None


def scoring_in(parameters: Mapping[str, str]) -> Scoring:
    """The scheme of points; UsageError for a setting that means nothing under the scheme."""
    scheme = _one_of(
        "scoring",
        parameters.get("scoring", Scheme.EXPONENTIAL.value),
        {each.value: each for each in Scheme},
    )
    is_used = parameters.get("fifty") == FiftyMoveSetting.RESET.value
    for setting, meant in (("komi", (Scheme.KOMI,)), ("cutoff", (Scheme.KOMI, Scheme.WINNER))):
        if setting in parameters and scheme not in meant and not (is_used and setting == "cutoff"):
            raise UsageError(f"{setting} means nothing under the scoring {scheme.value}")
    cutoff = parse_cutoff(parameters["cutoff"]) if "cutoff" in parameters else DEFAULT_CUTOFF_CODE
    return Scoring(scheme, cutoff, parameters.get("komi", DEFAULT_KOMI))


def fifty_in(parameters: Mapping[str, str]) -> FiftyMoves | None:
    """The fifty-move rule that counts from the clock of the position on; None without a request for one.

    >>> fifty_in({"fifty": "reset", "cutoff": "G4.0"})
    FiftyMoves(setting=<FiftyMoveSetting.RESET: 'reset'>, cutoff_code=8)
    """
    if "fifty" not in parameters:
        return None
    setting = _one_of("fifty", parameters["fifty"], {each.value: each for each in FiftyMoveSetting})
    return FiftyMoves(setting, scoring_in(parameters).cutoff_code)


def _one_of(name: str, value: str, choices: Mapping[str, T]) -> T:
    """The meaning of a parameter's value."""
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return choices[value]


_MOST_QUOTED: Final = 200
_PRIVATE: Final = ("folder", "path")
"""Facts of errors about the server's machine, which strangers do not receive."""


def answer_of(
    tables: Tablebase,
    asked: Question,
    scoring: Scoring,
    fifty: FiftyMoves | None = None,
    *,
    brief: bool,
    strip: bool,
) -> dict[str, Any]:
    """The value of a position, of its moves unless the answer is brief, and on request with every accrued score."""
    facts = _position_facts(tables, asked, scoring, fifty)
    if not brief:
        facts["moves"] = tables.probe_moves(asked.board, asked.accrued).facts(scoring)
    if strip:
        facts["strip"] = [
            {"accrued": str(each.accrued), "outcome": str(each.outcome), "dtg": each.dtg}
            for each in tables.probe_every_accrued(asked.board)
        ]
    return facts


def _position_facts(
    tables: Tablebase, asked: Question, scoring: Scoring, fifty: FiftyMoves | None
) -> dict[str, Any]:
    """The value of a position, and on request the value under a fifty-move rule."""
    found = tables.probe(asked.board, asked.accrued)
    clocked = value_if_asked(tables, found, asked.board, fifty, unasked=False)
    return {**found.facts(scoring), **({} if clocked is None else clocked.facts())}


def line_of(
    tables: Tablebase, asked: Question, scoring: Scoring, fifty: FiftyMoves | None, most_plies: int
) -> dict[str, Any]:
    """Best play by both sides, as JSON."""
    facts = _position_facts(tables, asked, scoring, fifty)
    return {**facts, "line": [step.facts() for step in tables.line(*asked, max_plies=most_plies)]}


def line_as_pgn(
    tables: Tablebase, asked: Question, scoring: Scoring, fifty: FiftyMoves | None, most_plies: int
) -> str:
    """The same as a game."""
    answer = tables.probe(*asked)
    clocked = value_if_asked(tables, answer, asked.board, fifty, unasked=False)
    clock = str(clocked) if clocked is not None and clocked.matters else None
    return (
        pgn_of(asked.board, answer, tables.line(*asked, max_plies=most_plies), scoring, clock=clock)
        + "\n"
    )


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

    After so many seconds of work, the remaining questions get an error.
    """
    worked = 0.0
    for number, item in items:
        start = time.monotonic()
        try:
            if worked > seconds:
                raise UsageError(
                    f"the positions before this one took {seconds} s; send fewer at once"
                )
            facts = answer_of(tables, position_in_item(item), scoring, brief=brief, strip=strip)
        except TbgenError as error:
            facts = {"fen": _short(item) if isinstance(item, str) else None, **error_facts(error)}
        worked += time.monotonic() - start
        yield {"number": number, **facts}


def error_facts(error: TbgenError) -> dict[str, Any]:
    """An error as JSON has it, without facts about this machine, and with long texts cut, so that it echoes no body.

    >>> list(error_facts(MissingTableError("KRvK", "/secret")))
    ['error', 'message', 'material', 'others']
    >>> error_facts(MissingTableError("KRvK", "/it's secret/whole-game"))["message"]
    'no table KRvK; build it with: tbgen build KRvK --game whole-game'
    """
    if isinstance(error, MissingTableError):
        folder, whole_game = error.folder or "", str(Mobility.WHOLE_GAME)
        kept = f"data/{whole_game}" if os.path.basename(folder) == whole_game else None
        error = MissingTableError(error.material, kept, error.others)
    facts = error.facts()
    for private in filter(None, [facts.pop(name, None) for name in _PRIVATE]):
        facts["message"] = (
            facts["message"].replace(f" in {private}", "").replace(private, "of the server")
        )
    return {
        name: _short(value) if isinstance(value, str) else value for name, value in facts.items()
    }


def _short(text: str) -> str:
    """A text without its middle, if it is long."""
    return (
        text if len(text) <= 2 * _MOST_QUOTED else f"{text[:_MOST_QUOTED]} … {text[-_MOST_QUOTED:]}"
    )


def warm(tables: Tablebase) -> None:
    """Compile or load the kernels of answers, so that the first request does not wait for them."""
    list(verdicts_in(tables, b"1. e4 *", check=None))
    with contextlib.suppress(TbgenError):  # the table of bare kings is missing or damaged
        tables.probe_moves(chess.Board("8/8/8/3k4/8/8/8/3K4 w - - 0 1"))


def verdicts_in(
    tables: Tablebase, text: bytes, check: Callable[[], None] | None
) -> Iterator[dict[str, Any]]:
    """Every game with its final score, the reason and the tags; or the error in its place.

    `check` is called now and then, and may raise an error that stops the work.
    """
    from tbgen.apps.games.batch import decision_facts, decision_tags
    from tbgen.apps.games.decide import Adjudicator
    from tbgen.apps.games.read import games_in
    from tbgen.apps.games.text import decoded

    adjudicator = Adjudicator(tables)
    for game in games_in(decoded(text), check=check):
        if isinstance(game, PgnError):
            yield error_facts(game)
            continue
        verdict = adjudicator.decide_read(game)
        yield {
            **decision_facts(game, verdict),
            "why": verdict.why,
            "tags": decision_tags(game, verdict),
        }


# Ordinary chess, in the form that clients of other tablebases ask for. The outcomes G0.0 and -G0.0 are its forced mates
# with the fifty-move rule left out, and their distance is the distance to mate. All other outcomes are ordinary draws.

_FIFTY_MOVES: Final = 100
_NO_DISTANCES: Final = {"dtz": None, "precise_dtz": None}
_BEST_FIRST: Final = ("loss", "maybe-loss", "draw", "unknown", "maybe-win", "win")
"""Categories of the positions after moves, as the side that is then to move sees them."""


def standard_answer(tables: Tablebase, given: Mapping[str, str]) -> dict[str, Any]:
    """A position and its moves as ordinary chess sees them; without a table they are unknown."""
    board = position_in(given).board
    moves = [
        {
            "uci": move.uci(),
            "san": board.san(move),
            "zeroing": board.is_zeroing(move),
            "conversion": board.is_capture(move) or move.promotion is not None,
            **_standard_facts(tables, board_after(board, move)),
        }
        for move in board.legal_moves
    ]
    # The best category first; the quickest win, and the slowest loss.
    moves.sort(
        key=lambda move: (_BEST_FIRST.index(move["category"]), -(move["dtm"] or 0), move["uci"])
    )
    return {**_standard_facts(tables, board), "moves": moves}


def standard_mainline(tables: Tablebase, given: Mapping[str, str]) -> dict[str, Any]:
    """Best play to a forced mate; empty if neither side can force one. An error without a table."""
    board = position_in(given).board
    outcome = tables.probe(board).outcome
    if not outcome.is_mate:
        return {"mainline": [], "winner": None, **_NO_DISTANCES, "dtm": None}
    wins = outcome.holder is Color.of(board.turn)
    moves = [
        {
            "uci": step.move.uci(),
            "san": step.san,
            **_NO_DISTANCES,
            "dtm": _plies_to_mate(step.dtg, wins=wins is (ply % 2 == 0)),
        }
        for ply, step in enumerate(tables.line(board), 1)
    ]
    plies = _plies_to_mate(len(moves), wins=wins)
    return {
        "mainline": moves,
        "winner": str(outcome.holder)[0].lower(),
        **_NO_DISTANCES,
        "dtm": plies,
    }


def _standard_facts(tables: Tablebase, board: chess.Board) -> dict[str, Any]:
    """The facts of any position, seen from the side to move."""
    category, dtm = _category_and_plies(tables, board)
    return {
        "category": category,
        **_NO_DISTANCES,
        "dtm": dtm,
        "dtw": None,
        "dtc": None,
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": board.is_insufficient_material(),
    }


def _category_and_plies(tables: Tablebase, board: chess.Board) -> tuple[str, int | None]:
    """The category, and the plies to mate."""
    found = tables.get(board.copy(stack=False))
    if found is None:
        at_the_end = "loss" if board.is_check() else "draw"
        return "unknown" if board.legal_moves else at_the_end, None
    if not found.outcome.is_mate:
        return "draw", None
    is_sure = found.dtg is not None and found.dtg + board.halfmove_clock <= _FIFTY_MOVES
    wins = found.outcome.holder is Color.of(board.turn)
    return f"{'' if is_sure else 'maybe-'}{'win' if wins else 'loss'}", _plies_to_mate(
        found.dtg, wins=wins
    )


def _plies_to_mate(plies: int | None, *, wins: bool) -> int | None:
    """The plies as the side to move counts them: negative if it is mated."""
    return plies if wins or plies is None else -plies


# The explorer without a script.


def plain_page(tables: Tablebase, given: Mapping[str, str]) -> tuple[TbgenError | None, str]:
    """A page for a request, which shows an error instead of an answer."""
    render = template_of("plain.html").render
    if not given:
        return None, render(title="Look up a position")
    try:
        asked = position_in(given)
        answer, moves = tables.probe(*asked), tables.probe_moves(*asked)
    except TbgenError as error:
        return error, render(given, title="No answer", error=error_facts(error)["message"])
    clocked = value_if_asked(tables, answer, asked.board, None, unasked=True)
    return None, render(
        title=answer.outcome,
        fen=asked.board.fen(),
        accrued="" if asked.accrued is None else asked.accrued,
        answer=answer,
        board=asked.board,
        clock=clocked if clocked is not None and clocked.matters else None,
        points=format_points(Scoring().points(answer.outcome), Scheme.EXPONENTIAL),
        moves=[
            (
                each,
                urlencode(
                    {"fen": board_after(asked.board, each.move).fen(), "accrued": str(each.accrued)}
                ),
            )
            for each in moves
        ],
    )
