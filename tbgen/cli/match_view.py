"""How a match is shown: plain lines in a pipe, boards and standings on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Self

import click

from tbgen.apps.match.engine import TIME_FORFEIT
from tbgen.apps.match.match import Match
from tbgen.apps.match.play import Sheet
from tbgen.apps.match.record import GameRecord
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.standings import Record, Standings
from tbgen.cli.reporter import clock, duration
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
"""Columns of the standings that a narrow terminal shows."""
_COUNT_SECONDS = 0.5
"""The standings are counted anew no more often."""


class MatchView:
    """A line when a game begins and when it is over, and the standings now and then; if quiet, only at the end."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
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
        if not self._quiet:
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
        interval = 0 if self._quiet else self._match.settings.rating_interval
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
            for line in _forfeits(standings):
                click.echo(line)
        if match.is_decided():
            click.echo(f"the test is decided after {counted(len(standings.results), 'game', 'games')}")
        elif interrupted and match.settings.pgn is not None:
            left = counted(len(match.pairings) - len(standings.results), "game", "games")
            click.echo(f"interrupted with {left} to play; the same command with -recover goes on")
        click.echo(f"{counted(self._played, 'game', 'games')} in {clock(time.monotonic() - self._begun)}")

    def _title(self, pairing: Pairing) -> str:
        names = self._match.names
        return f"{pairing.number} of {len(self._match.pairings)} ({names[pairing.white]} vs {names[pairing.black]})"

    def _show_standings(self, *, final: bool) -> None:
        """The ranking, and at the end every meeting under every scoring."""
        standings, players = self._match.standings, self._match.standings.players
        if len(players) > 2:
            ranking_table(standings).show()
        for first, second in standings.meetings() if final or len(players) == 2 else []:
            games = standings.record(first, standings.scoring, against=second).games.games
            click.echo(f"{players[first]} against {players[second]}, {counted(games, 'game', 'games')}")
            meeting_table(standings, first, second).show()
        for meeting_line in bracket_lines(self._match):
            click.echo(meeting_line)
        if line := test_line(self._match):
            click.echo(line)


class LiveView(MatchView):
    """Boards in play, standings, and how long it will take; drawn by a thread from what is prepared for it."""

    def __init__(self) -> None:
        super().__init__()
        self._boards: dict[int, tuple[str, str, str]] = {}
        self._live: Live | None = None
        self._last: list[str] = []
        self._table, self._test = Table((), [], ""), ""
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
        self._boards[board] = (title, sheet.placement, _facts(sheet))

    def moved(self, board: int, sheet: Sheet) -> None:
        self._boards[board] = (self._boards[board][0], sheet.placement, _facts(sheet))
        self._count()

    def game_over(self, board: int, record: GameRecord) -> None:
        self._played += 1
        ending = record.ending
        self._last = [*self._last[-4:], f"{self._title(record.pairing)}: {ending.outcome} {ending.details}"]
        self._count()

    def _count(self) -> None:
        """Prepare the standings, if it is time."""
        standings, now = self._match.standings, time.monotonic()
        if now - self._counted_at >= _COUNT_SECONDS:
            self._counted_at, self._test = now, test_line(self._match) or ""
            self._table = meeting_table(standings, 0, 1) if len(standings.players) == 2 else ranking_table(standings)

    def _progress(self) -> str:
        """Games so far, their pace, and when the last one will be over."""
        done, total = len(self._match.standings.results), len(self._match.pairings)
        text, elapsed = f"{done} of {total} games", time.monotonic() - self._begun
        if self._played and elapsed > 1:
            pace = self._played / elapsed
            text += f", {3600 * pace:.0f} an hour, {duration((total - done) / pace)} to go"
        return text

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
        boards = [_panel(*board) for _, board in sorted(dict(self._boards).items())]
        lines = [*self._last, self._progress(), self._test]
        return Group(Columns(boards), table, Text("\n".join(lines)))


def _panel(title: str, placement: str, facts: str) -> Panel:
    from rich.panel import Panel
    from rich.text import Text

    board = Text(f"{board_text(placement)}\n{facts}", justify="center")
    return Panel(board, title=Text(title), width=_PANEL_COLUMNS)


def _facts(sheet: Sheet) -> str:
    clocks = " ".join("-" if clock.remaining is None else f"{clock.remaining:.1f}" for clock in sheet.clocks)
    return f"{sheet.move_text}, accrued {sheet.game.last.accrued}\n{clocks}"


def board_text(placement: str) -> str:
    """The first field of a FEN as eight lines.

    >>> board_text("8/8/4K3/5Bk1/8/8/8/8").splitlines()[2:4]
    ['· · · · K · · ·', '· · · · · B k ·']
    """
    ranks = ["".join("·" * int(each) if each.isdigit() else each for each in rank) for rank in placement.split("/")]
    return "\n".join(" ".join(rank) for rank in ranks)


class Table(NamedTuple):
    """Heads, rows, and which columns are flush right."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    right: str

    def show(self) -> None:
        show_rows(self.heads, self.rows, right=self.right)


def meeting_table(standings: Standings, first: int, second: int) -> Table:
    """One engine's results against another, under every scoring."""
    heads = ("scoring", "points", "%", "Elo", "95 %", "LOS", ">½", "=½", "<½", "var game", "var pair", "0-½-1-1½-2")
    rows = [
        (scoring.scheme.value, *_figures(standings.record(first, scoring, against=second)))
        for scoring in standings.scorings()
    ]
    return Table(heads, rows, "." + 11 * "r")


def _figures(record: Record) -> Iterator[str]:
    strength, games, pairs = record.strength, record.games, record.pairs
    yield f"{points_text(strength.points)}-{points_text(strength.games - strength.points)}"
    yield from (f"{float(100 * strength.share):.2f}", f"{strength.elo:+.1f}", _error(strength.error))
    yield "-" if strength.superiority is None else likelihood_text(strength.superiority)
    yield from map(str, games.wins_draws_losses())
    yield f"{float(games.variance):.4f}" if games.units else "-"
    yield f"{float(pairs.variance):.4f}" if pairs.units else "-"
    yield "-".join(map(str, pairs.by_quarters())) if pairs.units else "-"


def ranking_table(standings: Standings) -> Table:
    """All engines, best first under the scoring that decides, with the points of the other scorings."""
    mine, *others = standings.scorings()
    heads = ("", "engine", "games", mine.scheme.value, "%", "Elo", "95 %", *(each.scheme.value for each in others))
    rows = []
    for place, player in enumerate(standings.ranking(), start=1):
        strength = standings.record(player, mine).strength
        figures = (points_text(strength.points), f"{float(100 * strength.share):.2f}", f"{strength.elo:+.1f}")
        totals = (points_text(standings.record(player, each).games.total) for each in others)
        name = standings.players[player]
        rows.append((str(place), name, str(strength.games), *figures, _error(strength.error), *totals))
    return Table(heads, rows, "r." + "r" * (len(heads) - 2))


def _error(error: float | None) -> str:
    return "-" if error is None else f"±{error:.1f}"


def likelihood_text(likelihood: float) -> str:
    """A likelihood in per cent, never 0 or 100.

    >>> likelihood_text(0.00672), likelihood_text(0.5), likelihood_text(0.99999)
    ('0.7 %', '50.0 %', '> 99.9 %')
    """
    percent = 100 * likelihood
    if percent < 0.05:
        return "< 0.1 %"
    return "> 99.9 %" if percent >= 99.95 else f"{percent:.1f} %"


def points_text(points: Fraction) -> str:
    """Points without more decimals than they need, at most four.

    >>> points_text(Fraction(9, 16)), points_text(Fraction(3)), points_text(Fraction(7, 2))
    ('0.5625', '3', '3.5')
    """
    return f"{float(points):.4f}".rstrip("0").rstrip(".")


def bracket_lines(match: Match) -> Iterator[str]:
    """The meetings of a knockout, round by round."""
    names = match.names
    for meetings in match.bracket():
        yield f"Round {meetings[0].round}"
        for meeting in meetings:
            if meeting.second is None:
                yield f"  {names[meeting.first]}: bye"
                continue
            points = "-".join(map(points_text, meeting.points))
            end = "" if meeting.winner is None else f": {names[meeting.winner]} by {meeting.decided_by}"
            yield f"  {names[meeting.first]} - {names[meeting.second]} {points}{end}"


def test_line(match: Match) -> str | None:
    """Where the sequential test stands, if there is one."""
    sprt = match.settings.sprt
    if sprt is None:
        return None
    state = match.standings.test(sprt)
    bounds = f"({sprt.lower:.2f}, {sprt.upper:.2f}) [{sprt.elo0:g}, {sprt.elo1:g}]"
    return f"SPRT {sprt.model.value}: LLR {state.ratio:.2f} {bounds}, {state.conclusion.value}"


def _forfeits(standings: Standings) -> Iterator[str]:
    """How often each engine lost otherwise than on the board, and what to try if every game was lost on time."""
    for player, name in enumerate(standings.players):
        ways = Counter(
            result.game.termination
            for result in standings.forfeits()
            if result.side(player) is not result.game.outcome.holder
            and player in (result.pairing.white, result.pairing.black)
        )
        if ways:
            yield f"{name} forfeited: " + ", ".join(f"{count} × {way}" for way, count in sorted(ways.items()))
    if all(each.game.termination == TIME_FORFEIT for each in standings.results.values()):
        yield "every game was lost on time: allow a margin, such as timemargin=100 with -each, or give more time"
