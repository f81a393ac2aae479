"""`tbgen annotate`: games ply by ply, with values from tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent

import click

from tbgen.apps.games.annotate import AnnotatedPly, Annotation, annotate
from tbgen.apps.games.decide import FindSolved
from tbgen.apps.games.edits import JoinedGames, commented
from tbgen.apps.games.read import PgnGame, game_of
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.solved import finding_solved
from tbgen.apps.games.text import Chunk, GameText, chunks_in
from tbgen.cli import complain_of, options, say
from tbgen.cli.command import Command
from tbgen.cli.output import Outputs
from tbgen.cli.reading import asked_files
from tbgen.cli.reporter import reading
from tbgen.cli.showing import Form, ShownRow, show_table
from tbgen.errors import PgnError, UsageError, build_command
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.rules.facts import to_json
from tbgen.system.outputs import STANDARD_OUTPUT
from tbgen.text import counted, printable

_PAGE_SUFFIX = ".html"


@click.command("annotate", cls=Command)
@options.files_argument
@click.option(
    "--number",
    metavar="N",
    type=click.IntRange(min=1),
    help="Show only the Nth game of a file.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=options.NAME,
    help="Write the games with comments to this file, - for the standard output; a name in .html "
    "gets a page that needs no other file.",
)
@options.rules_options
@options.folders_option
@options.json_option
def command(
    *,
    files: tuple[str, ...],
    number: int | None,
    output: str | None,
    rules: Rules,
    folders: tuple[Path, ...],
    form: Form,
) -> int:
    """Show the values of games ply by ply, and find the mistakes.

    Every ply has its own score and the accrued score. Where tables know the position, it also has
    its value: the final score by best play, with the accrued score. For a move that gave something
    away, tbgen shows its cost in points, and the moves that would have kept the value. Tables
    ignore the fifty-move rule. If "tbgen solve" has solved the last position, tbgen shows its
    value, and a line that keeps it.

    With -o, tbgen writes comments behind the moves: "{tbgen: G1.5 in 5 plies}". They replace those
    of an earlier run, and every other byte stays. IN.pgn may be packed, and - is the standard
    input.

    \b
    Examples:
      tbgen annotate game.pgn
      tbgen annotate event.pgn --number 12 -o game.html
      tbgen annotate event.pgn -o annotated.pgn --scoring harmonic
      tbgen annotate round*.pgn -o event.html
    """
    names = asked_files(files)
    if number is not None and len(names) > 1:
        raise UsageError(f"--number is of one file, and there are {len(names)}; name one")
    if form is Form.JSON and Path(str(output)).suffix == _PAGE_SUFFIX:
        raise UsageError(f"--json writes no page; give {output} another ending than {_PAGE_SUFFIX}")
    outputs = Outputs({"the games": output or STANDARD_OUTPUT}, read=names)
    is_for_people = form is Form.TABLE and output is None
    with ExitStack() as stack:
        tables = stack.enter_context(Tablebase(folders, missing_ok=True))
        reader = _Reader(names, tables, rules, stack.enter_context(finding_solved(folders)))
        is_printed = output in (None, STANDARD_OUTPUT)
        pieces = reader.pieces(number, prints=is_printed)
        if is_for_people:
            for answer in _answers(pieces):
                if isinstance(answer, Annotation):
                    _show(answer, has_files=len(names) > 1)
        else:
            sheet = stack.enter_context(outputs.open("the games"))
            assert sheet is not None
            if form is Form.JSON:
                for part in _json_of(_answers(pieces)):
                    sheet.write(part.encode())
            elif Path(str(output)).suffix == _PAGE_SUFFIX:
                from tbgen.apps.pages.standalone import annotated_page

                answers = list(_answers(pieces))
                annotations = [answer for answer in answers if isinstance(answer, Annotation)]
                title = ", ".join(Path(name).name for name in names)
                page = annotated_page(annotations, title, reader.faults)
                sheet.write(page.encode())
            else:
                joined = JoinedGames(sheet)
                for name in names:
                    joined.begin(name)
                    for _, text in reader.pieces_of(name, number, prints=is_printed):
                        joined.write(text)
    if reader.missing:
        _say_missing(reader.missing, folders)
    return complain_of(reader.faults)


_AnnotatedText = tuple[Annotation | PgnError | None, bytes]
"""A game or the error in its place, and its text, which has comments if the game is readable.

Text between games has None.
"""


@dataclass
class _Reader:
    """Annotates the games of files, and collects their faults and missing tables."""

    names: Sequence[str]
    tables: Tablebase
    rules: Rules
    find_solved: FindSolved | None
    faults: list[PgnError] = field(default_factory=list)
    missing: Counter[Material] = field(default_factory=Counter)

    def pieces(self, wanted: int | None, *, prints: bool) -> Iterator[_AnnotatedText]:
        """The games one by one, and the text after them; PgnError without the wanted game."""
        for name in self.names:
            yield from self.pieces_of(name, wanted, prints=prints)

    def pieces_of(self, name: str, wanted: int | None, *, prints: bool) -> Iterator[_AnnotatedText]:
        """The same of one file."""
        number = 0
        for chunk in reading(name, chunks_in(name), _size_of, prints=prints):
            for text in chunk.games:
                if wanted in (None, text.number):
                    yield self._annotated(name, text)
            number += len(chunk.games)
            if wanted is None:
                yield None, chunk.rest()
            elif number >= wanted:
                return
        if wanted is not None:
            reason = f"it holds {counted(number, 'game', 'games')}, and no game {wanted}"
            raise PgnError(name, reason)

    def _annotated(self, name: str, text: GameText) -> _AnnotatedText:
        game = game_of(text, name, self.rules)
        if not isinstance(game, PgnGame):
            self.faults.append(game)
            return game, text.chunk.text[text.span]
        annotation = annotate(self.tables, game, self.find_solved)
        self.missing.update(annotation.missing)
        comments = {ply.ply.number: ply.comment for ply in annotation.plies if ply.comment}
        if annotation.solved_in_words:
            comments[annotation.plies[-1].ply.number] = annotation.solved_in_words
        return annotation, commented(text, comments)


def _size_of(chunk: Chunk) -> tuple[int, int]:
    return len(chunk.text), len(chunk.games)


def _answers(pieces: Iterator[_AnnotatedText]) -> Iterator[Annotation | PgnError]:
    for answer, _ in pieces:
        if answer is not None:
            yield answer


def _json_of(answers: Iterator[Annotation | PgnError]) -> Iterator[str]:
    """The list of the games as JSON, game by game, because an archive takes much memory."""
    before = "["
    for answer in answers:
        game = to_json(answer.facts(), indent=2)
        yield f"{before}\n{indent(game, '  ')}"
        before = ","
    yield "\n]\n" if before == "," else "[]\n"


def _say_missing(missing: Counter[Material], folders: Sequence[Path]) -> None:
    tables = ", ".join(f"{material} ({times})" for material, times in missing.most_common())
    build = build_command([str(material) for material in missing], str(folders[0]))
    say(f"positions whose table is missing: {tables}; build with: {build}")


def _show(annotation: Annotation, *, has_files: bool) -> None:
    """Print all plies, and the points that each side gave away."""
    game = annotation.game
    place = f"{game.file}, {game.number}" if has_files else str(game.number)
    players = f"{game.tags.get('White', '?')} - {game.tags.get('Black', '?')}, {game.result}"
    click.echo(printable(f"{place}. {players}: {annotation.known_from}"))
    show_table(
        map(_row_of, annotation.plies),
        note=annotation.lost_in_words if annotation.first else "",
    )
    if annotation.solved_in_words:
        click.echo(annotation.solved_in_words)
    click.echo()


def _row_of(ply: AnnotatedPly) -> ShownRow:
    return {
        "ply": ply.ply.number,
        "move": ply.move,
        "own": ply.ply.own,
        "accrued": ply.ply.accrued,
        "outcome": ply.value.outcome if ply.value else "",
        "DTG": ply.value.dtg if ply.value else "",
        "lost": ply.lost_in_words,
        "": ply.remark,
    }
