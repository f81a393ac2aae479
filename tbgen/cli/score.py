"""`tbgen score`: what positions, lines and games are worth under the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from tbgen.cli.terminal import complain, progress, show_rows
from tbgen.errors import PgnError, UsageError
from tbgen.pgn.reader import PgnGame, Settings, read_games
from tbgen.pgn.tags import GameTags, parse_cutoff
from tbgen.rules.fen import parse_fen
from tbgen.rules.game import FiftyMoveSetting, Game
from tbgen.rules.points import Scheme, Scoring, format_points, parse_komi
from tbgen.score import Outcome

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@click.command("score")
@click.argument("fen", required=False)
@click.argument("moves", nargs=-1)
@click.option("--pgn", metavar="FILE", help="Score the games of a PGN file; - reads the standard input.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--summary", is_flag=True, help="With --pgn: one line a game, without its plies.")
@click.option(
    "--fifty",
    type=click.Choice([setting.value for setting in FiftyMoveSetting]),
    help="What the fifty-move rule means; reset unless the game's tags say otherwise.",
)
@click.option(
    "--scoring",
    type=click.Choice([scheme.value for scheme in Scheme]),
    help="How the score becomes points; exponential unless the game's tags say otherwise.",
)
@click.option("--cutoff", metavar="G", help="Scores from here on make no difference (default G6.0).")
@click.option("--komi", metavar="G", help="The score to beat under --scoring komi (default G5.75).")
def command(
    fen: str | None,
    moves: tuple[str, ...],
    pgn: str | None,
    *,
    as_json: bool,
    summary: bool,
    fifty: str | None,
    scoring: str | None,
    cutoff: str | None,
    komi: str | None,
) -> int:
    """Score a position, a line of moves or the games of a PGN file.

    FEN may carry the accrued score as its seventh field; `startpos` is the first position of a game.
    MOVES are written as e4 or e2e4.

    \b
    Examples:
      tbgen score "8/8/4k3/5q2/6K1/8/8/8 w - - 0 1"
      tbgen score startpos e4 e5 Qh5 Nc6
      tbgen score --pgn games.pgn --summary
    """
    settings = Settings(
        scheme=None if scoring is None else Scheme(scoring),
        cutoff_code=None if cutoff is None else parse_cutoff(cutoff),
        komi=None if komi is None else parse_komi(komi),
        fifty_moves=None if fifty is None else FiftyMoveSetting(fifty),
    )
    if pgn is not None:
        if fen is not None:
            raise UsageError("give either a FEN or --pgn, not both")
        return _score_pgn(pgn, settings, as_json=as_json, summary=summary)
    if fen is None:
        raise UsageError("give a FEN, or a file with --pgn; tbgen score --help says more")
    _score_line(_START if fen == "startpos" else fen, moves, settings, as_json=as_json)
    return 0


def _score_line(fen: str, moves: tuple[str, ...], settings: Settings, *, as_json: bool) -> None:
    board, accrued = parse_fen(fen)
    game = Game(board, accrued=accrued, fifty_moves=settings.fifty_moves_of(GameTags()))
    game.push_line(moves)
    scoring = settings.scoring(GameTags())
    if as_json:
        click.echo(json.dumps(game.facts(scoring), indent=2))
        return
    _show_plies(game)
    _show_verdict(game, game.accrued.outcome, scoring)


def _score_pgn(path: str, settings: Settings, *, as_json: bool, summary: bool) -> int:
    """Score every game that can be read; the exit code says whether all could."""
    games = _readable(path, settings)
    faults: list[PgnError] = []
    with progress(f"scoring {path}") as shown:
        separator = '{"games": ['
        for game in games:
            shown.advance()
            if isinstance(game, PgnError):
                faults.append(game)
            elif as_json:
                click.echo(f"{separator}\n  {json.dumps(game.facts(moves=not summary))}", nl=False)
                separator = ","
            else:
                _show_game(game, summary=summary)
        if as_json:
            click.echo("\n], " if separator == "," else separator + "], ", nl=False)
            click.echo(f'"skipped": {json.dumps([fault.facts() for fault in faults])}}}')
    for fault in faults:
        complain(str(fault))
    return faults[0].exit_code if faults else 0


def _readable(path: str, settings: Settings) -> Iterator[PgnGame | PgnError]:
    """The games of a file; an error of the file as a whole ends it in their midst."""
    try:
        yield from read_games(path, settings)
    except PgnError as error:
        yield error


def _show_plies(game: Game) -> None:
    rows = [
        (
            str(ply.number),
            ply.san,
            str(ply.own),
            str(ply.accrued),
            str(ply.since),
            "" if ply.end is None else ply.end.value,
        )
        for ply in game.plies
    ]
    show_rows(("ply", "move", "own", "accrued", "since", "end"), rows, right="r.rrr.")


def _show_game(scored: PgnGame, *, summary: bool) -> None:
    tags = scored.tags
    players = f"{tags.get('White', '?')} - {tags.get('Black', '?')}"
    title = f"{scored.number}. {tags.get('Event', '?')}, round {tags.get('Round', '?')}: {players}"
    if summary:
        last, points = scored.game.last, scored.scoring.points(scored.final)
        accrued = f"accrued {last.accrued} at ply {last.since} of {last.number}"
        scheme = scored.scoring.scheme
        click.echo(f"{title}: {accrued}, {scored.end}, final {scored.final}, {format_points(points, scheme)}")
        return
    click.echo(f"{title}: {scored.result}")
    _show_plies(scored.game)
    _show_verdict(scored.game, scored.final, scored.scoring)
    click.echo(f"scored as {scored.final}, end: {scored.end}\n")


def _show_verdict(game: Game, final: Outcome, scoring: Scoring) -> None:
    last, ended = game.last, game.ended
    click.echo(f"accrued {last.accrued} since ply {last.since}: {last.accrued.outcome.in_words()}")
    click.echo(f"whole-game mobility {last.lowest} since ply {last.lowest_since}")
    if ended is not None and ended.end is not None:
        click.echo(f"ended by {ended.end.value} at ply {ended.number}")
    points = format_points(scoring.points(final), scoring.scheme)
    click.echo(f"points {points} ({scoring.scheme.value})")
