"""`tbgen annotate`: games ply by ply, from where tables know them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

import click

from tbgen.apps.games.annotate import Annotation, annotate
from tbgen.apps.games.chunks import ScannedChunk, chunks_of
from tbgen.apps.games.files import STANDARD_INPUT, open_bytes
from tbgen.apps.games.game import GameSettings, PgnGame
from tbgen.apps.games.reader import game_of
from tbgen.apps.games.splice import commented
from tbgen.cli.folders import folders_option
from tbgen.cli.options import a_file, declared, flag, form_option, option, settings_options
from tbgen.cli.output import STANDARD_OUTPUT, Form, is_same_file, show_rows, text_of, written_whole
from tbgen.cli.reporter import compile_for, reading
from tbgen.cli.terminal import complain_of, say
from tbgen.compiled.known import Purpose
from tbgen.errors import InputError, PgnError, UsageError
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.text import counted, printable


@declared("annotate", ("--pgn", "--html", "--format"))
@click.argument("file", metavar="IN.pgn", shell_complete=a_file)
@option("--number", type=click.IntRange(min=1), help="Show only the Nth game of the file.")
@flag("--pgn", "as_pgn", help="Print the games with comments behind their moves.")
@flag("--html", "as_page", help="Print a page that needs no other file.")
@option("-o", "--output", metavar="FILE", help="Write to this file; PGN, unless --html or --json is given.")
@settings_options
@folders_option
@form_option
def command(
    file: str,
    *,
    number: int | None,
    as_pgn: bool,
    as_page: bool,
    output: str | None,
    settings: GameSettings,
    folders: tuple[Path, ...],
    form: Form,
    quiet: bool,
) -> int:
    """Show the values of games ply by ply, and find the mistakes.

    Annotations begin where tables know the position. The value after a ply is the final score by best play, with the
    accrued score. For a move that gave something away, tbgen shows its cost in points, and the moves that would have
    kept the value. Tables ignore the fifty-move rule.

    With --pgn or -o, tbgen writes comments behind the moves: "{tbgen: G1.5 in 5 plies}". They replace those of an
    earlier run, and every other byte stays. IN.pgn may be packed, and - is the standard input.

    \b
    Examples:
      tbgen annotate game.pgn
      tbgen annotate event.pgn --number 12 --html -o game.html
      tbgen annotate event.pgn -o annotated.pgn --scoring harmonic
    """
    if output is not None and file != STANDARD_INPUT and is_same_file(file, output):
        raise UsageError(f"{output} is what is read; name another file")
    compile_for(Purpose.GAMES, quiet=quiet)
    with ExitStack() as stack:
        reader = _Reader(file, stack.enter_context(open_tablebase(folders)), settings)
        prints = output in (None, STANDARD_OUTPUT) and sys.stdout.isatty()
        tell = stack.enter_context(reading(file, quiet=quiet or prints))
        games = reader.games(number, tell)
        annotations = (each.annotation for each in games if each.annotation is not None)
        if form.is_table and not (as_page or as_pgn or output):
            for each in annotations:
                _show(each)
        else:
            out = stack.enter_context(written_whole(output or STANDARD_OUTPUT))
            if not form.is_table:
                facts = [each.facts() for each in annotations]
                plies = ({"number": game["number"], **ply} for game in facts for ply in game["plies"])
                out.write(text_of(form, facts, plies).encode())
            elif as_page:
                from tbgen.apps.site.alone import annotated_page

                out.write(annotated_page(list(annotations), Path(file).name).encode())
            else:
                _write_pgn(games, out)
    if reader.missing and not quiet:
        missing = ", ".join(f"{material} ({times})" for material, times in reader.missing.most_common())
        names = " ".join(map(str, reader.missing))
        say(f"positions whose table is missing: {missing}; build with: tbgen build {names}")
    return complain_of(reader.faults)


class _Read(NamedTuple):
    """A game of the file, and what tables say of it if it can be read."""

    chunk: ScannedChunk
    place: int
    """In the chunk; -1 stands for the text behind its games."""
    annotation: Annotation | None = None


@dataclass
class _Reader:
    """Annotates the games of a file; what is wrong with them, and what they lack, is kept."""

    file: str
    tables: Tablebase
    settings: GameSettings
    faults: list[PgnError] = field(default_factory=list)
    missing: Counter[Material] = field(default_factory=Counter)

    def games(self, wanted: int | None, tell: Callable[[int, int], None]) -> Iterator[_Read]:
        """The games one by one; PgnError if the one that is wanted is not there."""
        games = 0
        with open_bytes(self.file) as stream:
            for chunk in chunks_of(stream, self.file):
                for place in range(len(chunk.games)):
                    games += 1
                    if wanted in (None, games):
                        yield _Read(chunk, place, self._annotation(chunk, place))
                if wanted is None:
                    yield _Read(chunk, -1)
                elif games >= wanted:
                    return
                tell(len(chunk.text), len(chunk.games))
        if wanted is not None:
            raise PgnError(self.file, f"it holds {counted(games, 'game', 'games')}, and no game {wanted}")

    def _annotation(self, chunk: ScannedChunk, place: int) -> Annotation | None:
        game = game_of(chunk, place, self.file, self.settings)
        try:
            if isinstance(game, PgnGame):
                found = annotate(self.tables, game)
                self.missing.update(found.missing)
                return found
        except InputError as error:  # a score that its tags say has accrued, but cannot have
            game = PgnError(self.file, str(error), number=game.number)
        self.faults.append(game)
        return None


def _write_pgn(games: Iterator[_Read], out: IO[bytes]) -> None:
    for each in games:
        if each.place < 0:
            out.write(each.chunk.rest())
        elif each.annotation is None:
            start, end = each.chunk.bounds(each.place)
            out.write(each.chunk.text[start:end])
        else:
            comments = {ply.ply.number: ply.comment for ply in each.annotation.plies if ply.comment}
            out.write(commented(each.chunk, each.place, comments))


def _show(annotation: Annotation) -> None:
    """The plies that tables know, and what each side gave away."""
    game = annotation.game
    players = f"{game.tags.get('White', '?')} - {game.tags.get('Black', '?')}, {game.result}"
    click.echo(printable(f"{game.number}. {players}: {annotation.known_from}"))
    if annotation.first is None:
        return
    rows = [
        (
            str(each.ply.number),
            each.move,
            str(each.value.outcome) if each.value else "?",
            each.distance,
            str(each.ply.accrued),
            each.lost_in_words,
            each.remark,
        )
        for each in annotation.plies
    ]
    show_rows(("ply", "move", "outcome", "DTG", "accrued", "lost", ""), rows)
    click.echo(f"{annotation.lost_in_words}\n")
