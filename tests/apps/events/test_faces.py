"""Shell, JSON, CSV, Python and page say the same of an event, of each in one list."""

from __future__ import annotations

import csv
import html
import io
import itertools
import json
import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tbgen.apps.events.standings import Standings
from tbgen.apps.events.told import Told, facts_of_event, told_of
from tbgen.apps.games.batch import GamesDecider, GamesTask
from tbgen.apps.games.event_game import EventGame
from tbgen.rules.facts import to_json
from tests.cli.calls import tbgen

WHITE = "1-0"
BLACK = "0-1"
DRAWN = "1/2-1/2"
OPEN = "*"
MOVES = "1. e4 e5"
NO_MOVES = ""
LACKS_A_TABLE = "8/8/4K3/5Bk1/8/8/8/n7 w - - 33 30 G4.0"


class Played(NamedTuple):
    """A game of an event."""

    round: str
    white: str
    black: str
    result: str
    moves: str = MOVES
    tags: tuple[tuple[str, str], ...] = ()


def pgn_of(games: list[Played], event: str) -> str:
    """The games as a file."""
    texts = []
    for game in games:
        tags = {"Event": event, "Round": game.round, "White": game.white, "Black": game.black}
        heads = "".join(
            f'[{name} "{value}"]\n' for name, value in (*tags.items(), *game.tags) if value
        )
        moves = f"{game.moves} {game.result}".strip()
        texts.append(f'{heads}[Result "{game.result}"]\n\n{moves}\n\n')
    return "".join(texts)


def league(rounds: int) -> list[Played]:
    """So many rounds in each of which four players meet all others; Ann wins every game."""
    games = []
    for number in range(1, rounds + 1):
        for one, other in itertools.combinations(("Ann", "Bob", "Cid", "Dan"), 2):
            games.append(Played(str(number), one, other, WHITE if one == "Ann" else DRAWN))
    return games


def knockout(*ties: Played, players: int) -> list[Played]:
    tags = (("EventType", "k.o."), ("MeetingGames", "1"), ("MatchPlayers", str(players)))
    return [tie._replace(tags=tags) for tie in ties]


@dataclass(frozen=True)
class Counted:
    """What everybody counts."""

    games: int
    players: int
    byes: int = 0
    unfinished: int = 0
    unread: int = 0
    """The games whose moves cannot be read."""
    doubtful: int = 0


class Case(NamedTuple):
    """An event, with what a reader counts in it by hand."""

    name: str
    games: list[Played]
    counted: Counted
    headline: str
    words: tuple[str, ...] = ()
    exit_code: int = 0


CASES = [
    Case(
        "a league that is over",
        league(2),
        Counted(games=12, players=4),
        "Ann wins with 6 points on the score sheet, from 6 games.",
        ("--final", "*", "--tiebreak", "classical"),
    ),
    Case(
        "a league at half time",
        league(1),
        Counted(games=6, players=4),
        "Ann leads with 3 points on the score sheet, from 3 games.",
        ("--tiebreak", "classical"),
    ),
    Case(
        "a Swiss tournament with byes and a forfeit",
        [
            Played("1", "Ann", "Bob", WHITE),
            Played("1", "Cid", "bye", WHITE, NO_MOVES),
            Played("2", "Cid", "Ann", BLACK),
            Played("2", "Bob", "Half-point bye", DRAWN, NO_MOVES),
            Played("3", "Bob", "Cid", WHITE, NO_MOVES),
            Played("3", "Ann", "bye", WHITE, NO_MOVES),
        ],
        Counted(games=3, players=3, byes=3),
        "Ann leads with 3.0 points, from 2 games.",
    ),
    Case(
        "a Swiss tournament whose next round is paired",
        [
            Played("1", "Ann", "Bob", WHITE),
            Played("1", "Cid", "Dan", BLACK),
            Played("2", "Ann", "Dan", OPEN, NO_MOVES),
            Played("2", "Bob", "Cid", OPEN),
        ],
        Counted(games=2, players=4, unfinished=2),
        "Ann and Dan share the lead with 1 point.",
    ),
    Case(
        "a knockout that is over",
        knockout(
            Played("1", "Ann", "Bob", BLACK),
            Played("1", "Cid", "Dan", WHITE),
            Played("2", "Bob", "Cid", WHITE),
            players=4,
        ),
        Counted(games=3, players=4),
        "Bob wins the knockout.",
    ),
    Case(
        "a knockout with a bye that is running",
        knockout(
            Played("1", "Bob", "Cid", WHITE),
            Played("2", "Ann", "Bob", OPEN),
            players=3,
        ),
        Counted(games=1, players=2, unfinished=1),
        "Round 2: 1 meeting is not decided.",
    ),
    Case(
        "a knockout whose bye is in the file",
        knockout(
            Played("1", "Bob", "Cid", WHITE),
            Played("1", "Ann", "bye", WHITE, NO_MOVES),
            players=3,
        ),
        Counted(games=1, players=3, byes=1),
        "Round 1: 1 meeting is decided.",
    ),
    Case(
        "a knockout in which a beaten player goes on",
        knockout(
            Played("1", "Ann", "Bob", WHITE),
            Played("1", "Cid", "Dan", WHITE),
            Played("2", "Bob", "Cid", WHITE),
            players=4,
        ),
        Counted(games=3, players=4),
        "Bob wins the knockout.",
    ),
    Case(
        "damaged games",
        [
            Played("1", "Ann", "Bob", WHITE),
            Played("2", "Bob", "Ann", WHITE, "1. Ke3"),
            Played("3", "", "", WHITE, "1. Ke3"),
            Played("4", "Ann", "Bob", WHITE),
        ],
        Counted(games=3, players=2, unread=2),
        "Ann leads with 2 points, from 3 games.",
        exit_code=2,
    ),
    Case(
        "an event that lacks a table",
        [
            Played("1", "Ann", "Bob", WHITE),
            Played("2", "Ann", "Bob", DRAWN, "30. Bh3 Kg6", (("FEN", LACKS_A_TABLE),)),
        ],
        Counted(games=2, players=2, doubtful=1),
        "Ann leads with 1.5020 points, from 2 games. Nobody has won yet: scores that are not final "
        "can change the first place.",
        ("--final", "*"),
    ),
    Case(
        "results that an arbiter gave",
        [
            Played("1", "Ann", "Bob", "0-0"),
            Played("2", "Bob", "Ann", "1/2-0"),
            Played("3", "Ann", "Bob", DRAWN, NO_MOVES),
        ],
        Counted(games=3, players=2),
        "Bob leads with 1.0 points, from 3 games.",
    ),
    Case(
        "an event in which no game counts yet",
        [Played("1", "Ann", "Bob", OPEN, NO_MOVES)],
        Counted(games=0, players=0, unfinished=1),
        "",
    ),
    Case(
        "games without an event and without rounds",
        [Played("?", "Ann", "Bob", WHITE), Played("?", "Bob", "Ann", WHITE)],
        Counted(games=2, players=2),
        "Ann and Bob share first place with 1 point.",
        ("--final", "*"),
    ),
]


class Faces(NamedTuple):
    """What each face says of an event."""

    standings: Standings
    told: Told
    facts: Any
    """JSON."""
    published: Any
    """The JSON beside the page."""
    entry: Any
    """The event in the list of the folder."""
    rows: list[dict[str, str]]
    """CSV."""
    shell: str
    page: str


def games_of(path: Path, folder: Path) -> list[EventGame]:
    task = GamesTask(tables=[folder], texts=False, results=True)
    games = list[EventGame]()
    with closing(GamesDecider(task)) as decider:
        for part in decider.decide_file(str(path)):
            games += part.results
    return games


@pytest.fixture(scope="module", params=CASES, ids=[case.name for case in CASES])
def shown(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Case, Faces]:
    case: Case = request.param
    folder = tmp_path_factory.mktemp("event")
    path = folder / "event.pgn"
    event = "" if "without an event" in case.name else "Cup"
    path.write_text(pgn_of(case.games, event))
    (folder / "empty").mkdir()
    words = ("standings", str(path), *case.words, "--data", str(folder / "empty"))
    shell = tbgen(*words)
    as_json = tbgen(*words, "--json", "--pages", str(folder / "www"))
    as_csv = tbgen(*words, "--csv")
    assert {shell.returncode, as_json.returncode, as_csv.returncode} == {case.exit_code}
    (facts,) = json.loads(as_json.stdout)["events"]
    (entry,) = json.loads((folder / "www" / "events.json").read_text())
    order = facts["tiebreak"]
    standings = Standings(games_of(path, folder / "empty"), order, is_over="--final" in case.words)
    return case, Faces(
        standings=standings,
        told=told_of(standings),
        facts=facts,
        published=json.loads((folder / "www" / entry["folder"] / "standings.json").read_text()),
        entry=entry,
        rows=list(csv.DictReader(io.StringIO(as_csv.stdout))),
        shell=shell.stdout,
        page=(folder / "www" / "index.html").read_text(),
    )


def words_of(page: str) -> str:
    """A page without its marks."""
    return html.unescape(re.sub("<[^>]*>", "", page))


def test_every_face_has_the_headline(shown: tuple[Case, Faces]) -> None:
    case, faces = shown
    assert faces.told.headline == case.headline
    assert faces.facts["headline"] == case.headline
    assert faces.entry["headline"] == case.headline
    assert (
        re.findall('<p class="headline">(.*)</p>', faces.page)
        == [case.headline][: len(case.headline)]
    )
    assert faces.shell.splitlines()[1] == (case.headline or "no game counts yet")


def test_every_face_counts_games_byes_and_what_is_left_out(shown: tuple[Case, Faces]) -> None:
    case, faces = shown
    counted = case.counted
    standings = faces.standings
    assert counted == Counted(
        games=standings.games,
        players=len(standings.rows),
        byes=standings.byes,
        unfinished=len(standings.unfinished),
        unread=len(standings.by_sheet) + len(standings.skipped),
        doubtful=len(standings.doubtful),
    )
    facts = faces.facts
    assert (facts["games"], facts["byes"], facts["unfinished"]) == (
        counted.games,
        counted.byes,
        counted.unfinished,
    )
    assert len(facts["by_sheet"]) + len(facts["skipped"]) == counted.unread
    entry = faces.entry
    assert (entry["games"], entry["players"]) == (counted.games, counted.players)
    assert entry["doubtful"] == counted.doubtful
    left_out = [row["unfinished"] for row in faces.rows if row.get("unfinished")]
    assert left_out == [str(counted.unfinished)][: counted.unfinished]
    unread = [row for row in faces.rows if row.get("counted_by_score_sheet") or row.get("left_out")]
    assert len(unread) == counted.unread
    games = "game" if counted.unfinished == 1 else "games"
    told = f"{counted.unfinished} {games} without a result left out"
    assert (told in faces.shell) == (counted.unfinished > 0)
    assert f"{faces.told.counts}." in words_of(faces.page)
    assert faces.shell.splitlines()[0].endswith(f", {faces.told.counts}")
    for number, what in (
        (counted.byes, "bye"),
        (counted.unfinished, "game without a result"),
    ):
        plural = what.replace("bye", "byes").replace("game", "games")
        said = f"{number} {what if number == 1 else plural}"
        assert (said in faces.told.counts) == (number > 0)


def test_every_face_has_the_players_with_their_games_and_points(shown: tuple[Case, Faces]) -> None:
    _, faces = shown
    rows = [(row.rank, row.name, row.games) for row in faces.standings.rows]
    players = faces.facts["players"]
    assert [(each["rank"], each["name"], each["games"]) for each in players] == rows
    in_csv = [row for row in faces.rows if row.get("rank")]
    assert [(int(row["rank"]), row["name"], int(row["games"])) for row in in_csv] == rows
    assert [row["points_exact"] for row in in_csv] == [each["points_exact"] for each in players]
    assert [row["byes"] for row in in_csv] == [str(each["byes"]) for each in players]
    in_shell = re.findall(
        r"^(\d+) +(\w+) +(\d+) +([\d.]+)(?: +([\d.]+))?", faces.shell, re.MULTILINE
    )
    assert [(int(rank), name, int(games)) for rank, name, games, *_ in in_shell] == rows
    for each, (*_, classical, points) in zip(players, in_shell, strict=True):
        assert float(classical) == each["classical"]
        assert float(points) == pytest.approx(each["points"], abs=5e-5)
    on_page = re.findall(
        r'<tr><td class="n">(\d+)</td><th scope="row" class="who">(?:<a [^>]*>)?(\w+)(?:</a>)?</th>'
        r'<td class="n spare">(\d+)</td>',
        faces.page,
    )
    assert [(int(rank), name, int(games)) for rank, name, games in on_page] == rows


def test_every_face_has_the_bracket_the_doubts_and_the_ties(shown: tuple[Case, Faces]) -> None:
    case, faces = shown
    page = words_of(faces.page)
    told = faces.told
    assert ("knockout" in case.name) == bool(told.bracket) == ("knockout" in faces.facts)
    lines = [told.note] if told.note else []
    for bracket_round in told.bracket:
        lines += [f"{winner}{rest}" for winner, rest in bracket_round.ties]
        lines += bracket_round.byes
    for sentences in told.ties:
        lines.append(" ".join(sentences))
    for line in lines:
        assert line in faces.shell
        assert line in page
    caveat = faces.facts["caveat"]
    assert (caveat is not None) == ("not final" in faces.shell) == (case.counted.doubtful > 0)
    assert ("Not final." in page) == (case.counted.doubtful > 0)
    if caveat is not None:
        assert caveat == faces.standings.caveat
        assert caveat in faces.shell
        assert f"{caveat[0].upper()}{caveat[1:]}" in page


def test_a_program_reads_the_same_from_the_shell_python_and_the_folder(
    shown: tuple[Case, Faces],
) -> None:
    """But for the faults, which name a file with its folder in the shell alone."""
    _, faces = shown
    from_python = json.loads(to_json(facts_of_event(faces.standings)))
    for facts in (faces.published, from_python):
        for name in faces.facts.keys() - {"skipped", "by_sheet", "scores"}:
            assert facts[name] == faces.facts[name], name
