"""`tbgen annotate`: games ply by ply, with values from tables. `tbgen standings`: the cross table of an event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from tbgen.apps.games.annotate import Annotation, annotate
from tbgen.apps.games.batch import GamesTask, total
from tbgen.apps.games.crosstable import tcec_json
from tbgen.apps.games.edits import commented
from tbgen.apps.games.event import games_of_event
from tbgen.apps.games.read import PgnGame, game_of
from tbgen.apps.games.standings import (
    DEFAULT_ORDER,
    PRESETS,
    TIE_BREAKS,
    Standings,
    TieBreak,
    in_decimals,
)
from tbgen.apps.games.tags import Rules, Source
from tbgen.apps.games.text import GameText, chunks_in
from tbgen.cli import complain, complain_of, options, say
from tbgen.cli.options import Command, argument, flag, option
from tbgen.cli.output import Outputs
from tbgen.cli.reading import (
    adjudicated,
    asked_files,
    building,
    say_whom_the_clock_did_not_stop,
)
from tbgen.cli.reporter import reading
from tbgen.cli.showing import (
    Form,
    print_facts,
    show_facts,
    table_lines,
    terminal_width,
    text_of,
)
from tbgen.errors import MissingTableError, PgnError, UsageError, build_options
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.system.outputs import STANDARD_OUTPUT
from tbgen.text import counted, printable


@click.command("annotate", cls=Command, alone=[("--pgn", "--html", "--format")])
def annotate_command(
    *,
    file: str = argument(metavar="IN.pgn", type=options.NAME),
    number: int | None = option("Show only the Nth game of the file.", type=click.IntRange(min=1)),
    as_pgn: bool = flag("Print the games with comments behind their moves.", "--pgn"),
    as_page: bool = flag("Print a page that needs no other file.", "--html"),
    output: str | None = option(
        "Write to this file; PGN, unless --html or --json is given.", "-o", type=options.NAME
    ),
    force: bool = options.FORCE,
    rules: Rules = options.RULES,
    folders: tuple[Path, ...] = options.FOLDERS,
    form: Form = options.FORM,
) -> int:
    """Show the values of games ply by ply, and find the mistakes.

    Every ply has its own score and the accrued score. Where tables know the position, it also has its value: the final
    score by best play, with the accrued score. For a move that gave something away, tbgen shows its cost in points, and
    the moves that would have kept the value. Tables ignore the fifty-move rule.

    With --pgn or -o, tbgen writes comments behind the moves: "{tbgen: G1.5 in 5 plies}". They replace those of an
    earlier run, and every other byte stays. IN.pgn may be packed, and - is the standard input.

    \b
    Examples:
      tbgen annotate game.pgn
      tbgen annotate event.pgn --number 12 --html -o game.html
      tbgen annotate event.pgn -o annotated.pgn --scoring harmonic
    """
    outputs = Outputs(
        {"the games": output or STANDARD_OUTPUT},
        read=[file],
        most_games=None if number is None else 1,
        force=force,
    )
    with ExitStack() as stack:
        reader = _Reader(file, stack.enter_context(open_tablebase(folders)), rules)
        pieces = reader.pieces(number, prints=output in (None, STANDARD_OUTPUT))
        answers = (answer for answer, _ in pieces if answer is not None)
        if form is Form.TABLE and not (as_page or as_pgn or output):
            for answer in answers:
                if isinstance(answer, Annotation):
                    _show(answer)
        else:
            sheet = stack.enter_context(outputs.open("the games"))
            assert sheet is not None
            if form is not Form.TABLE:
                facts = [answer.facts() for answer in answers]
                sheet.write(text_of(form, facts, _rows_of(facts)).encode())
            elif as_page:
                from tbgen.apps.site.standalone import annotated_page

                annotations = [answer for answer in answers if isinstance(answer, Annotation)]
                page = annotated_page(annotations, Path(file).name, reader.faults)
                sheet.write(page.encode())
            else:
                sheet.writelines(text for _, text in pieces)
    if reader.missing:
        missing = ", ".join(
            f"{material} ({times})" for material, times in reader.missing.most_common()
        )
        build = f"tbgen build {' '.join(map(str, reader.missing))}{build_options(str(folders[0]))}"
        say(f"positions whose table is missing: {missing}; build with: {build}")
    return complain_of(reader.faults)


@dataclass
class _Reader:
    """Annotates the games of a file, and collects their faults and missing tables."""

    file: str
    tables: Tablebase
    rules: Rules
    faults: list[PgnError] = field(default_factory=list)
    missing: Counter[Material] = field(default_factory=Counter)

    def pieces(
        self, wanted: int | None, *, prints: bool
    ) -> Iterator[tuple[Annotation | PgnError | None, bytes]]:
        """The games one by one, and the text after them; PgnError is raised if the wanted game is not there.

        Each game, or the error in its place, comes with its text, which has comments if the game is readable.
        """
        games, chunks = 0, chunks_in(self.file)
        for chunk in reading(
            self.file, chunks, lambda chunk: (len(chunk.text), len(chunk.games)), prints=prints
        ):
            yield from (
                self._annotated(text) for text in chunk.games if wanted in (None, text.number)
            )
            games += len(chunk.games)
            if wanted is None:
                yield None, chunk.rest()
            elif games >= wanted:
                return
        if wanted is not None:
            raise PgnError(
                self.file, f"it holds {counted(games, 'game', 'games')}, and no game {wanted}"
            )

    def _annotated(self, text: GameText) -> tuple[Annotation | PgnError, bytes]:
        game = game_of(text, self.file, self.rules)
        if isinstance(game, PgnGame):
            found = annotate(self.tables, game)
            self.missing.update(found.missing)
            comments = {ply.ply.number: ply.comment for ply in found.plies if ply.comment}
            return found, commented(text, comments)
        self.faults.append(game)
        return game, text.chunk.text[text.span]


def _rows_of(games: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The plies of annotated games as rows of a table; an error in the place of a game is a row of its own."""
    for game in games:
        if "error" in game:
            yield game
        else:
            for ply in game["plies"]:
                yield {"number": game["number"], **ply}


def _show(annotation: Annotation) -> None:
    """Print all plies, and the points that each side gave away."""
    game = annotation.game
    players = f"{game.tags.get('White', '?')} - {game.tags.get('Black', '?')}, {game.result}"
    click.echo(printable(f"{game.number}. {players}: {annotation.known_from}"))
    show_facts(
        annotation.plies,
        {
            "ply": lambda each: each.ply.number,
            "move": lambda each: each.move,
            "own": lambda each: each.ply.own,
            "accrued": lambda each: each.ply.accrued,
            "outcome": lambda each: each.value.outcome if each.value else "",
            "DTG": lambda each: each.value.dtg if each.value else "",
            "lost": lambda each: each.lost_in_words,
            "": lambda each: each.remark,
        },
        note=annotation.lost_in_words if annotation.first else "",
    )
    click.echo()


_MOST_ACROSS = 20
_NAMES = ", ".join(TIE_BREAKS)


@click.command("standings", cls=Command, alone=[("--format", "--crosstable", "--html")])
def standings(
    *,
    files: tuple[str, ...] = options.FILES,
    tiebreak: str = option(
        f"Rank by these criteria or presets, in order: {_NAMES}; {', '.join(PRESETS)}.",
        metavar="LIST",
        default=",".join(DEFAULT_ORDER),
    ),
    event: str | None = option(
        "Rank only the games whose tag Event has this name.",
        type=options.NAME,
        metavar="NAME",
    ),
    unreadable: str = option(
        "Count an unreadable game by its score sheet, or skip it.",
        type=click.Choice(["sheet", "skip"]),
        default="sheet",
    ),
    as_crosstable: bool = flag(
        "Print JSON in the shape that the site of TCEC reads.", "--crosstable"
    ),
    as_page: bool = flag("Print a page that needs no other file.", "--html"),
    rules: Rules = options.RULES,
    folders: tuple[Path, ...] = options.OPTIONAL_FOLDERS,
    jobs: int = options.JOBS,
    strict: bool = options.STRICT,
    form: Form = options.FORM,
) -> int:
    """Show the cross table and the standings of an event.

    Mate and stalemate on the board decide a game, then its tag RMobilityResult, then the verdict of `tbgen adjudicate`.
    `classical` are points by the ordinary result, `points` the sum of r-mobility points in exact fractions,
    `net` counts stalemates given less suffered, then the same for G1.0, G1.5 and so on.
    The other criteria follow FIDE's regulations and TCEC's rules.
    Over the board only G3.5 and better count: --scoring otb. Standings ignore games without a result.

    \b
    Examples:
      tbgen standings scored.pgn
      tbgen standings scored.pgn --tiebreak points,direct-encounter,net --scoring komi --komi G5.75
      tbgen standings scored.pgn --tiebreak tcec-swiss
      tbgen standings scored.pgn --html > standings.html
    """
    names, order = asked_files(files), _order(tiebreak)
    parts = list(
        adjudicated(names, GamesTask(rules, tables=folders, texts=False, results=True), jobs)
    )
    whole, games = total(parts), [game for part in parts for game in part.results]
    complain(*whole.contradicted)
    say_whom_the_clock_did_not_stop(whole)
    if event is not None:
        games = games_of_event(games, event)
    found = Standings(
        games,
        order,
        counts_unreadable=unreadable == "sheet",
        faults=[fault for fault in whole.skipped if getattr(fault, "number", None) is None],
    )
    complain(*(f"warning: {doubt}" for doubt in found.doubts()))
    if as_crosstable:
        print_facts(Form.JSON, tcec_json(found))
    elif form is not Form.TABLE:
        print_facts(form, found.facts(), found.csv_rows())
    elif as_page:
        from tbgen.apps.site.standalone import standings_page

        click.echo(standings_page(found), nl=False)
    else:
        _show_table(found, building(names, folders))
    provisional = any(game.source is Source.PROVISIONAL for game in games)
    return complain_of(whole.skipped) or (
        MissingTableError.exit_code if strict and provisional else 0
    )


def _order(text: str) -> list[TieBreak]:
    """The criteria in a list; a preset stands for several."""
    known: dict[str, tuple[TieBreak, ...]] = {**{by: (by,) for by in TIE_BREAKS}, **PRESETS}
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise UsageError(
                f"{name!r} is no tie-break; there are {_NAMES}, and the presets {', '.join(PRESETS)}"
            )
    return list(dict.fromkeys(by for name in names for by in known[name]))


def _show_table(standings: Standings, building: str) -> None:
    """Print the rows of all players, with a column for each of them if the table stays readable."""
    rows = standings.rows
    heads = ["", "player", "games", "classical", "points", *(rows[0].figures if rows else ())]
    cells = [
        [
            str(row.rank),
            row.name,
            str(row.games),
            *map(in_decimals, (row.classical, row.points, *row.figures.values())),
        ]
        for row in rows
    ]
    lines = list(table_lines(heads, cells))
    if len(rows) <= _MOST_ACROSS:
        met = [
            [
                "x" if row is other else " ".join(map(in_decimals, row.points_against(other.name)))
                for other in rows
            ]
            for row in rows
        ]
        crossed = [line + more for line, more in zip(cells, met, strict=True)]
        across = list(table_lines([*heads, *(str(row.rank) for row in rows)], crossed))
        lines = across if max(map(len, across)) <= terminal_width() else lines
    click.echo("\n".join(lines))
    order, schemes = (
        ", then ".join(standings.order),
        ", ".join(scheme.value for scheme in standings.schemes),
    )
    click.echo(f"ranked by {order}; points: {schemes}")
    if standings.unfinished:
        click.echo(f"{counted(standings.unfinished, 'game', 'games')} without a result left out")
    for text, errors in (
        ("counted by the score sheet, for it is unreadable", standings.by_sheet),
        ("left out", standings.skipped),
    ):
        for error in errors:
            click.echo(printable(f"{text}: {error}"))
    if standings.provisional:
        lacking = len(standings.provisional) - (None in standings.provisional)
        advice = f"; build {'it' if lacking == 1 else 'them'} with: {building}" if lacking else ""
        click.echo(standings.caveat + advice)
