"""How a match is shown: plain lines in a pipe, boards and standings on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, Self

import click

from tbgen.apps.match.match import Match, MatchSettings
from tbgen.apps.match.play import Sheet
from tbgen.apps.match.record import GameRecord
from tbgen.apps.match.schedule import Pairing
from tbgen.cli.match_report import Table, forfeit_lines, hours, meeting_table, ranking_table, test_line, time_hint
from tbgen.cli.terminal import show_rows
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import format_points
from tbgen.text import counted, printable

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live
    from rich.panel import Panel

_SWITCH_SECONDS = 0.0005
"""The drawing thread lets go this soon, so that no engine waits for it."""
_PANEL_COLUMNS = 36
_WIDE_COLUMNS = 110
_NARROW_HEADS = 9
"""What of the standings is shown where the terminal is narrow."""
_COUNT_SECONDS = 0.5
"""The standings are counted anew no more often."""


class PlainView:
    """A line when a game begins and when it is over, and the standings now and then."""

    def __init__(self, settings: MatchSettings) -> None:
        self._settings = settings
        self._match: Match
        self._begun = time.monotonic()
        self._played = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the terminal as it was."""

    def says(self, text: str) -> None:
        click.echo(printable(text))

    def begins(self, match: Match) -> None:
        self._match = match
        settings, done = match.settings, len(match.standings.results)
        self.says(f"{', '.join(match.names)}: {counted(len(match.pairings), 'game', 'games')}, seed {match.seed}")
        if done:
            rest = "there is nothing left to play" if match.is_over() else "going on with the others"
            self.says(f"{counted(done, 'game', 'games')} played already; {rest}")
        cores = os.cpu_count() or 1
        if settings.concurrency > cores:
            self.says(f"note: {settings.concurrency} games at a time share {cores} cores; engines may lose on time")
        plain = [name for name, knows in zip(match.names, match.knows_variant, strict=True) if not knows]
        if plain and settings.rules.fifty_moves.setting is FiftyMoveSetting.RESET:
            self.says(f"note: {', '.join(plain)} may know only the ordinary fifty-move rule; -fifty legacy plays by it")

    def game_begins(self, board: int, pairing: Pairing, sheet: Sheet) -> None:
        self.says(f"Started game {self._title(pairing)}")

    def moved(self, board: int, sheet: Sheet) -> None:
        """Moves are not shown."""

    def game_over(self, board: int, record: GameRecord) -> None:
        self._played += 1
        ending = record.ending
        points = format_points(record.scoring.points(ending.outcome), record.scoring.scheme)
        self.says(f"Finished game {self._title(record.pairing)}: {ending.outcome} {points} {{{ending.details}}}")
        interval = self._settings.rating_interval
        if interval and self._played % interval == 0 and not self._match.is_over():
            self._show_standings(final=False)

    def ends(self, match: Match, *, interrupted: bool) -> None:
        """The last word on a match."""
        self.close()
        self._match = match
        standings = match.standings
        if standings.results:
            click.echo()
            self._show_standings(final=True)
            for line in forfeit_lines(standings):
                click.echo(line)
            if hint := time_hint(standings):
                click.echo(hint)
        left = len(match.pairings) - len(standings.results)
        if match.is_decided():
            click.echo(f"the test is decided after {counted(len(standings.results), 'game', 'games')}")
        elif interrupted and match.settings.pgn is not None:
            click.echo(
                f"interrupted with {counted(left, 'game', 'games')} to play; the same command with -recover goes on"
            )
        click.echo(f"{counted(self._played, 'game', 'games')} in {hours(time.monotonic() - self._begun)}")

    def _title(self, pairing: Pairing) -> str:
        names = self._match.names
        return f"{pairing.number} of {len(self._match.pairings)} ({names[pairing.white]} vs {names[pairing.black]})"

    def _show_standings(self, *, final: bool) -> None:
        """The ranking, and at the end every meeting under every scoring."""
        standings = self._match.standings
        if len(standings.players) > 2:
            heads, rows, right = ranking_table(standings)
            show_rows(heads, rows, right=right)
        if final or len(standings.players) == 2:
            for first, second in standings.meetings():
                games = standings.record(first, standings.scoring, against=second).games.games
                click.echo(
                    f"{standings.players[first]} against {standings.players[second]}, {counted(games, 'game', 'games')}"
                )
                heads, rows, right = meeting_table(standings, first, second)
                show_rows(heads, rows, right=right)
        line = test_line(self._match)
        if line is not None:
            click.echo(line)

    def _progress(self) -> str:
        """Games so far, their pace, and when the last one will be over."""
        match = self._match
        done, total = len(match.standings.results), len(match.pairings)
        elapsed = time.monotonic() - self._begun
        text = f"{done} of {total} games"
        if self._played and elapsed > 1:
            pace = self._played / elapsed
            text += f", {3600 * pace:.0f} an hour, {hours((total - done) / pace)} to go"
        return text


class QuietView(PlainView):
    """The standings at the end, and nothing before."""

    def says(self, text: str) -> None:
        """Nothing is said."""

    def game_over(self, board: int, record: GameRecord) -> None:
        self._played += 1


class LiveView(PlainView):
    """Boards in play, standings, and how long it will take; drawn by a thread from what is prepared for it."""

    def __init__(self, settings: MatchSettings) -> None:
        super().__init__(settings)
        self._boards: dict[int, tuple[str, str, str]] = {}
        self._live: Live | None = None
        self._last: list[str] = []
        self._table: Table = ((), [], "")
        self._test = ""
        self._counted = 0
        self._counted_at = 0.0

    def begins(self, match: Match) -> None:
        super().begins(match)
        from rich.live import Live

        self._count()
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._live = Live(get_renderable=self._draw, refresh_per_second=4, transient=True)
        self._live.start()

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def says(self, text: str) -> None:
        if self._live is None:
            super().says(text)
        else:
            self._live.console.print(printable(text), markup=False, highlight=False)

    def game_begins(self, board: int, pairing: Pairing, sheet: Sheet) -> None:
        names = self._match.names
        title = f"{pairing.number}. {names[pairing.white]} - {names[pairing.black]}"
        self._boards[board] = (title, sheet.placement, self._facts(sheet))

    def moved(self, board: int, sheet: Sheet) -> None:
        title, _, _ = self._boards[board]
        self._boards[board] = (title, sheet.placement, self._facts(sheet))
        self._count()

    def game_over(self, board: int, record: GameRecord) -> None:
        self._played += 1
        ending = record.ending
        self._last = [*self._last[-4:], f"{self._title(record.pairing)}: {ending.outcome} {ending.details}"]
        self._count()

    def _count(self) -> None:
        """Prepare the standings, if they have changed and it is time."""
        standings, now = self._match.standings, time.monotonic()
        if self._table[0] and (self._counted == len(standings.results) or now - self._counted_at < _COUNT_SECONDS):
            return
        self._counted, self._counted_at = len(standings.results), now
        self._table = meeting_table(standings, 0, 1) if len(standings.players) == 2 else ranking_table(standings)
        self._test = test_line(self._match) or ""

    @staticmethod
    def _facts(sheet: Sheet) -> str:
        last = sheet.game.last
        clocks = " ".join("-" if clock.remaining is None else f"{clock.remaining:.1f}" for clock in sheet.clocks)
        return f"{sheet.move_text}, accrued {last.accrued}\n{clocks}"

    def _draw(self) -> Group:
        from rich.box import SIMPLE_HEAD
        from rich.columns import Columns
        from rich.console import Group
        from rich.table import Table as RichTable
        from rich.text import Text

        heads, rows, right = self._table
        shown = len(heads) if shutil.get_terminal_size().columns >= _WIDE_COLUMNS else _NARROW_HEADS
        table = RichTable(box=SIMPLE_HEAD, pad_edge=False)
        for head, side in zip(heads[:shown], right[:shown], strict=True):
            table.add_column(head, justify="right" if side == "r" else "left", no_wrap=True)
        for row in rows:
            table.add_row(*map(Text, row[:shown]))
        boards = [self._panel(*board) for _, board in sorted(dict(self._boards).items())]
        lines = [*self._last, self._progress(), self._test]
        return Group(Columns(boards), table, Text("\n".join(lines)))

    @staticmethod
    def _panel(title: str, placement: str, facts: str) -> Panel:
        from rich.panel import Panel
        from rich.text import Text

        return Panel(
            Text(f"{board_text(placement)}\n{facts}", justify="center"), title=Text(title), width=_PANEL_COLUMNS
        )


def board_text(placement: str) -> str:
    """The first field of a FEN as eight lines.

    >>> board_text("8/8/4K3/5Bk1/8/8/8/8").splitlines()[2:4]
    ['· · · · K · · ·', '· · · · · B k ·']
    """
    ranks = ["".join("·" * int(each) if each.isdigit() else each for each in rank) for rank in placement.split("/")]
    return "\n".join(" ".join(rank) for rank in ranks)
