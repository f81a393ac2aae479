"""`tbgen score`: the scores of positions, lines and games by the rules."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from tbgen.apps.games.tags import Rules, moves_after_the_end
from tbgen.cli import complain, complain_of, options
from tbgen.cli.options import Asked, Command, flag, option, refuse_idle
from tbgen.cli.output import GamesWriter
from tbgen.cli.reporter import reading
from tbgen.cli.showing import (
    Facts,
    Form,
    present,
    print_facts,
    show_facts,
    show_pairs,
)
from tbgen.errors import InputFileError, TbgenError, UnreadableFileError, UsageError
from tbgen.rules.facts import to_json
from tbgen.rules.game import Game
from tbgen.rules.notation import parse_fen, with_score
from tbgen.rules.points import Scoring, format_points
from tbgen.score import Mobility, Score
from tbgen.system.inputs import matching_files
from tbgen.system.outputs import STANDARD_OUTPUT, written_whole
from tbgen.text import printable

if TYPE_CHECKING:
    from tbgen.apps.games.read import PgnGame


@click.command("score", cls=Command, alone=[("--pgn", "--accrued")])
def command(
    *,
    asked: Asked = options.ASKED,
    files: tuple[str, ...] = option(
        "Score the games of PGN files, packed or not; - reads the standard input.",
        "--pgn",
        type=options.NAME,
        metavar="FILE...",
        multiple=True,
    ),
    summary: bool = flag("Print one line a game, without its plies.", needs="--pgn"),
    rules: Rules = options.RULES,
    mobility: Mobility = options.MOBILITY,
    form: Form = options.FORM,
) -> int:
    """Score a position, a line of moves or the games of PGN files.

    FEN may carry the accrued score as its seventh field; `startpos` is the first position of a game. It needs
    no quotes. Moves are written as e4 or e2e4, with or without numbers.

    Contradictions between tags and moves, and moves after the end of a game, are reported on the standard error.

    \b
    Examples:
      tbgen score "8/8/4k3/5q2/6K1/8/8/8 w - - 0 1"
      tbgen score startpos e4 e5 Qh5 Nc6
      tbgen score startpos "1. e4 e5 2. Qh5" --json
      tbgen score --pgn games.pgn --summary
      tbgen score --pgn "season*.pgn.zst" more.pgn --json
    """
    if files:
        return _score_files(
            matching_files([*files, *asked.words]), rules, form=form, summary=summary
        )
    scoring, fifty = rules.scoring(), rules.fifty()
    refuse_idle(rules, scoring.scheme, fifty.setting)
    if asked.words and os.path.isfile(asked.words[0]):
        name = asked.words[0]
        raise UsageError(f"{name} is a file; its games are scored by: tbgen score --pgn {name}")
    fen, moves, accrued = asked.read()
    board, carried = parse_fen(fen, mobility=mobility)
    if accrued is not None:
        board, carried = with_score(board, accrued, mobility)
    played = Game(board, accrued=carried, fifty_moves=fifty, mobility=mobility)
    played.push_line(moves)
    warnings = list(moves_after_the_end(played.last, played.ended))
    facts = {**played.facts(scoring), "warnings": warnings}
    present(form, facts, lambda: _show_plies(played, played.accrued, scoring))
    complain(*(f"warning: {warning}" for warning in warnings))
    return 0


def _score_files(files: Sequence[str], rules: Rules, *, form: Form, summary: bool) -> int:
    """Score every game that can be read; the exit code says whether all could."""
    faults, warnings, rows = list[TbgenError](), list[str](), list[Facts]()
    with written_whole(STANDARD_OUTPUT) as out:
        writer = GamesWriter(out) if form is Form.JSON else None
        for game in _games_of(files, rules):
            if isinstance(game, TbgenError):
                faults.append(game)
                if form is Form.CSV:
                    rows.append(game.facts())
                continue
            if form is Form.TABLE:
                _show_game(game, f"{game.file}, " if len(files) > 1 else "", summary=summary)
            elif writer is not None:
                writer.add(to_json(game.facts(plies=not summary)))
            else:
                rows.append(game.facts(plies=not summary))
            warnings += (
                f"{game.file}, game {game.number}: warning: {warning}" for warning in game.warnings
            )
        if writer is not None:
            writer.finish(skipped=[fault.facts() for fault in faults])
    if form is Form.CSV:
        print_facts(form, rows)
    complain(*warnings)
    return complain_of(faults)


def _games_of(files: Sequence[str], rules: Rules) -> Iterator[PgnGame | TbgenError]:
    """The games of all files. An error of a whole file ends that file in the middle."""
    from tbgen.apps.games.read import game_of
    from tbgen.apps.games.text import chunks_in

    for path in files:
        try:
            for chunk in reading(
                path,
                chunks_in(path),
                lambda chunk: (len(chunk.text), len(chunk.games)),
                prints=True,
            ):
                yield from (game_of(text, path, rules) for text in chunk.games)
        except (InputFileError, UnreadableFileError) as error:
            yield error


def _show_game(scored: PgnGame, file: str, *, summary: bool) -> None:
    """A game in one line, or with all of its plies."""
    tags = scored.tags
    players = f"{tags.get('White', '?')} - {tags.get('Black', '?')}"
    title = printable(
        f"{file}{scored.number}. {tags.get('Event', '?')}, round {tags.get('Round', '?')}: {players}"
    )
    end = printable(scored.end)
    if summary:
        last, points = (
            scored.last,
            format_points(scored.scoring.points(scored.final), scored.scoring.scheme),
        )
        accrued = f"accrued {last.accrued} at ply {last.since} of {last.number}"
        click.echo(f"{title}: {accrued}, {end}, final {scored.final}, {points}")
    else:
        click.echo(f"{title}: {printable(scored.result)}")
        _show_plies(scored.replayed, scored.final, scored.scoring)
        click.echo(f"scored as {scored.final}, end: {end}\n")


def _show_plies(game: Game, final: Score, scoring: Scoring) -> None:
    """Print all plies, and the resulting score."""
    show_facts(
        [ply.facts() for ply in game.plies],
        {
            "ply": "ply",
            "move": lambda ply: ply["san"] or "",
            "own": "own",
            "accrued": "accrued",
            "since": "reached_at_ply",
            "end": lambda ply: ply["end"] or "",
        },
    )
    last, ended, (lowest, since) = game.last, game.ended, game.lowest
    show_pairs(
        {
            "accrued": f"{last.accrued} since ply {last.since}: {last.accrued.in_words()}",
            "whole game": f"{lowest} since ply {since}",
            "ended": None
            if ended is None or ended.end is None
            else f"by {ended.end.value} at ply {ended.number}",
            "points": f"{format_points(scoring.points(final), scoring.scheme)} ({scoring.scheme.value})",
        },
        "{:12}{}",
    )
