"""`tbgen score`: the scores of positions, lines and games by the rules."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from tbgen.apps.games.contradictions import moves_after_the_end
from tbgen.apps.games.rules import Rules
from tbgen.cli import complain, complain_of, options
from tbgen.cli.command import PositionCommand, refuse_without
from tbgen.cli.output import GamesWriter
from tbgen.cli.positions import position_argument, read_position, warn_of_ignored_score
from tbgen.cli.reporter import reading
from tbgen.cli.showing import Form, ShownRow, print_facts, show_pairs, show_table
from tbgen.errors import InputFileError, TbgenError, UnreadableFileError, UsageError
from tbgen.rules.facts import to_json
from tbgen.rules.game import Game
from tbgen.rules.notation import parse_fen
from tbgen.rules.points import format_points
from tbgen.score import Mobility
from tbgen.system.inputs import matching_files
from tbgen.system.outputs import STANDARD_OUTPUT, written_whole
from tbgen.text import printable

if TYPE_CHECKING:
    from tbgen.apps.games.read import PgnGame
    from tbgen.apps.games.text import Chunk


@click.command("score", cls=PositionCommand)
@position_argument
@click.option(
    "--pgn",
    "files",
    metavar="FILE...",
    type=options.NAME,
    multiple=True,
    help="Score the games of PGN files, packed or not; - reads the standard input.",
)
@click.option(
    "--summary", is_flag=True, help="With --pgn: print one line a game, without its plies."
)
@options.rules_options
@options.mobility_option
@options.json_option
def command(
    *,
    words: tuple[str, ...],
    files: tuple[str, ...],
    summary: bool,
    rules: Rules,
    mobility: Mobility,
    form: Form,
) -> int:
    """Score a position, a line of moves or the games of PGN files.

    FEN may carry the accrued score as its seventh field; `startpos` is the first position of a
    game. It needs no quotes. Moves are written as e4 or e2e4, with or without numbers.

    No table is asked: `tbgen adjudicate` continues games that stopped by best play.

    Contradictions between tags and moves, and moves after the end of a game, are reported on the
    standard error.

    \b
    Examples:
      tbgen score "8/8/4k3/5q2/6K1/8/8/8 w - - 0 1"
      tbgen score startpos e4 e5 Qh5 Nc6
      tbgen score startpos "1. e4 e5 2. Qh5" --json
      tbgen score --pgn games.pgn --summary
      tbgen score --pgn "season*.pgn.zst" more.pgn --json
    """
    refuse_without("--pgn", "--summary")
    if files:
        names = matching_files([*files, *words])
        return _score_files(names, rules, form=form, summary=summary)
    _score_position(words, rules, mobility, form)
    return 0


def _score_position(words: Sequence[str], rules: Rules, mobility: Mobility, form: Form) -> None:
    """Score a position, and the moves after it."""
    scoring = rules.scoring()
    fifty = rules.fifty()
    options.refuse_idle_cutoff(rules, scoring.scheme, fifty.setting)
    if words and os.path.isfile(words[0]):
        name = words[0]
        raise UsageError(f"{name} is a file; its games are scored by: tbgen score --pgn {name}")
    fen, moves = read_position(words)
    board, carried = parse_fen(fen, mobility=mobility)
    warn_of_ignored_score(fen, mobility)
    game = Game(board, accrued=carried, fifty_moves=fifty, mobility=mobility)
    game.push_line(moves)
    warnings = list(moves_after_the_end(game.last, game.ended))
    if form is Form.TABLE:
        points = format_points(scoring.points(game.accrued), scoring.scheme)
        _show_plies(game, f"{points} ({scoring.scheme.value})")
    else:
        print_facts(form, {**game.facts(scoring), "warnings": warnings})
    complain(*(f"warning: {warning}" for warning in warnings))


def _score_files(files: Sequence[str], rules: Rules, *, form: Form, summary: bool) -> int:
    """Score every game that can be read; the exit code says whether all could."""
    faults: list[TbgenError] = []
    warnings: list[str] = []
    with written_whole(STANDARD_OUTPUT) as out:
        writer = GamesWriter(out) if form is Form.JSON else None
        for game in _games_of(files, rules):
            if isinstance(game, TbgenError):
                faults.append(game)
                continue
            if form is Form.TABLE:
                file = f"{game.file}, " if len(files) > 1 else ""
                _show_game(game, file, summary=summary)
            elif writer is not None:
                writer.add(to_json(game.facts(plies=not summary)))
            for warning in game.warnings:
                warnings.append(f"{game.file}, game {game.number}: warning: {warning}")
        if writer is not None:
            writer.finish(skipped=[fault.facts() for fault in faults])
    complain(*warnings)
    return complain_of(faults)


def _games_of(files: Sequence[str], rules: Rules) -> Iterator[PgnGame | TbgenError]:
    """The games of all files. An error of a whole file ends that file in the middle."""
    from tbgen.apps.games.read import game_of
    from tbgen.apps.games.text import chunks_in

    for path in files:
        try:
            for chunk in reading(path, chunks_in(path), _size_of, prints=True):
                for text in chunk.games:
                    yield game_of(text, path, rules)
        except (InputFileError, UnreadableFileError) as error:
            yield error


def _size_of(chunk: Chunk) -> tuple[int, int]:
    return len(chunk.text), len(chunk.games)


def _show_game(game: PgnGame, file: str, *, summary: bool) -> None:
    """A game in one line, or with all of its plies."""
    tags = game.tags
    event = f"{tags.get('Event', '?')}, round {tags.get('Round', '?')}"
    players = f"{tags.get('White', '?')} - {tags.get('Black', '?')}"
    title = printable(f"{file}{game.number}. {event}: {players}")
    end = printable(game.end)
    if summary:
        last = game.last
        accrued = f"accrued {last.accrued} at ply {last.since} of {last.number}"
        scored = "no score" if game.final is None else f"scored as {game.final}"
        click.echo(f"{title}: {accrued}, {end}, {scored}, {_points_of(game)}")
    else:
        click.echo(f"{title}: {printable(game.result)}")
        points = _points_of(game)
        scored = "no score"
        if game.final is not None:
            points += f" ({game.scoring.scheme.value})"
            scored = f"scored as {game.final}"
        _show_plies(game.replayed, points)
        click.echo(f"{scored}, end: {end}\n")


def _points_of(game: PgnGame) -> str:
    """The points of both sides, or the result of a game that no score expresses."""
    if game.final is None:
        return f"{game.result} on the score sheet"
    return format_points(game.points, game.scoring.scheme)


def _show_plies(game: Game, points: str) -> None:
    """Print all plies, the resulting score, and the points for it in words."""
    show_table(_row_of(ply.facts()) for ply in game.plies)
    last = game.last
    ended = game.ended
    lowest, since = game.lowest
    end = None
    if ended is not None and ended.end is not None:
        end = f"by {ended.end.value} at ply {ended.number}"
    show_pairs(
        {
            "accrued": f"{last.accrued} since ply {last.since}: {last.accrued.in_words()}",
            "whole game": f"{lowest} since ply {since}",
            "ended": end,
            "points": points,
        },
        "{:12}{}",
    )


def _row_of(ply: dict[str, Any]) -> ShownRow:
    return {
        "ply": ply["ply"],
        "move": ply["san"] or "",
        "own": ply["own"],
        "accrued": ply["accrued"],
        "since": ply["reached_at_ply"],
        "end": ply["end"] or "",
    }
