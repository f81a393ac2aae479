"""Variants of chess: ends and scores of games equal those by python-chess alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import chess
import chess.variant
import pytest

from tbgen.apps.games.annotate import annotate
from tbgen.apps.games.decide import Adjudicator
from tbgen.apps.games.read import PgnGame, read_games
from tbgen.apps.match.settings import VARIANTS
from tbgen.errors import EngineStartError, UsageError
from tbgen.probe import open_tablebase
from tbgen.rules.game import Game
from tests.apps.games.plain import only_game, their_game
from tests.apps.match.matches import run, scripted, walker
from tests.apps.match.test_real_engines import needs_engines
from tests.reference.scores import end_of, plies_of

NAMES = VARIANTS[2:]
ORDINARY = ("kingofthehill", "antichess")
"""Those of which the ordinary suite plays games."""
CASES = [name if name in ORDINARY else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
ABSENT = ("atomic",)
"""The Fairy-Stockfish of the distribution does not play these."""


def told(board: chess.Board, moves: Iterable[chess.Move]) -> tuple[str, str | None]:
    """The final score of a game, and why its last ply ends it, which no ply before does."""
    score, ends = end_of(board, moves)
    assert not any(ends[:-1])
    return score, ends[-1]


def board_of(name: str) -> chess.Board:
    return next(each for each in chess.variant.VARIANTS if each.uci_variant == name)()


@pytest.mark.parametrize("name", CASES)
def test_random_games_end_and_are_scored_as_the_board_says(name: str) -> None:
    """Until they end, or for 300 plies; every ply is compared."""
    chance = random.Random(f"{name} 1")
    ends = Counter[str | None]()
    for _ in range(12):
        game = Game(board_of(name))
        moves = list[chess.Move]()
        found = list[tuple[str, str | None]]()
        while game.last.end is None and len(moves) < 300:
            moves.append(chance.choice(sorted(game.board.legal_moves, key=chess.Move.uci)))
            ply = game.push(moves[-1])
            found.append((str(ply.accrued), ply.end and ply.end.value))
        _, *expected = plies_of(board_of(name), moves)
        assert found == expected
        ends[game.last.end and game.last.end.value] += 1
    assert ends["variant end"] or name in ("atomic", "crazyhouse", "horde")


def played(name: str, words: list[str], pgn: Path) -> list[PgnGame]:
    """The games of a match, each compared with the script."""
    run([*words, "-variant", name, "-pgnout", str(pgn)])
    games = [game for game in read_games(str(pgn)) if isinstance(game, PgnGame)]
    for game, text in zip(games, pgn.read_text().rstrip().split("\n\n[Event"), strict=True):
        other = their_game(text if text.startswith("[Event") else f"[Event{text}")
        assert type(other.board()) is type(board_of(name))
        score, why = told(other.board(), other.mainline_moves())
        assert (game.tags["RMobilityResult"], str(game.final), game.warnings) == (score, score, ())
        assert game.end == (why or "adjudication")
        assert game.tags["TerminationDetails"] == (why or game.tags["TerminationDetails"])
        verdict = Adjudicator().decide_read(game)
        assert (str(verdict.final), verdict.source.value) == (score, "game")
    return games


@pytest.mark.parametrize("name", CASES)
def test_a_match_of_a_variant_is_written_read_and_decided_alike(
    name: str, pgn: Path, table_folder: Path
) -> None:
    games = played(name, [*walker("Ann"), *walker("Bob"), "-games", "2", "-maxmoves", "80"], pgn)
    assert len(games) == 2
    with open_tablebase(table_folder) as tables:
        for game in games:
            assert str(Adjudicator(tables).decide_read(game).final) == str(game.final)
            assert annotate(tables, game).missing == {}
            with pytest.raises(UsageError, match="tables and solvers know nothing of"):
                tables.probe(game.replayed.board)


@pytest.mark.slow
@needs_engines
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ABSENT])
def test_twenty_games_of_fairy_stockfish_against_itself(name: str, pgn: Path) -> None:
    each = (
        ["-engine", "cmd=fairy-stockfish", f"name={who}", f"nodes={nodes}"]
        for who, nodes in (("A", 60), ("B", 200))
    )
    words = [
        *(word for engine in each for word in engine),
        "-each",
        "option.Hash=1",
        "option.Threads=1",
        "-games",
        "20",
    ]
    books = {"racingkings": None, "horde": None, "antichess": None}
    if name not in books:
        book = pgn.with_name("book.pgn")
        firsts = ("e3", "d3", "c3", "b3", "a3", "h3", "g3", "Nf3", "Nc3", "a4")
        book.write_text("".join(f'[Variant "{name}"]\n\n1. {first} *\n\n' for first in firsts))
        words += ["-openings", f"file={book}"]
    assert len(played(name, words, pgn)) == 20


@pytest.mark.parametrize("name", ["atomic", "chess960"])
def test_an_engine_that_does_not_play_the_variant_is_named(name: str) -> None:
    with pytest.raises(EngineStartError, match=f"it does not play {name}"):
        run([*scripted("Ann"), *walker("Bob"), "-variant", name])


def test_a_variant_win_can_belong_to_the_side_to_move() -> None:
    """In antichess White captures the last man, and Black has won."""
    game = Game(chess.variant.AntichessBoard("8/8/8/3p4/4P3/8/8/8 w - - 0 1"))
    ply = game.push_text("exd5")
    assert ply.end is not None
    assert (str(ply.accrued), str(game.lowest[0]), ply.end.value) == (
        "-G0.0",
        "-G0.0",
        "variant end",
    )


def test_a_file_of_a_variant_is_scored_by_its_board() -> None:
    text = (
        '[Variant "Three-check"]\n\n'
        "1. e4 f6 2. Qh5+ g6 3. Qxg6+ hxg6 4. e5 fxe5 5. Bd3 Rh3 6. Bxg6# 1-0\n"
    )
    game = only_game(text)
    assert (str(game.final), game.end, game.warnings) == ("G0.0", "variant end", ())
