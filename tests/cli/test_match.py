from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.apps.match.matches import games_of, scripted, walker
from tests.cli.calls import complaint, printed, tbgen
from tests.cli.terminals import shown_on_terminal

TWO = [*scripted("Ann"), *scripted("Bob")]


def test_the_standings_are_written_as_json(tmp_path: Path) -> None:
    path = tmp_path / "standings.json"
    printed(
        "match",
        *TWO,
        "-games",
        "2",
        "-srand",
        "5",
        "-sprt",
        "elo0=0",
        "elo1=5",
        "-jsonout",
        str(path),
    )
    facts = json.loads(path.read_text())
    (meeting,) = facts["meetings"]
    assert (facts["seed"], facts["scheduled"], facts["games"], facts["engines"]) == (
        5,
        2,
        2,
        ["Ann", "Bob"],
    )
    assert (meeting["engine"], meeting["against"], meeting["games"]) == ("Ann", "Bob", 2)
    assert list(meeting["scorings"]) == ["exponential", "harmonic", "classical", "winner", "komi"]
    assert meeting["scorings"]["classical"] == {
        "points": 1.0,
        "share": 0.5,
        "elo": 0.0,
        "error": None,
        "superiority": None,
        "wins": 1,
        "draws": 0,
        "losses": 1,
        "variance_of_games": 0.25,
        "variance_of_pairs": 0.0,
        "pairs": [0, 0, 1, 0, 0],
    }
    assert (facts["sprt"]["model"], facts["sprt"]["decision"], facts["forfeits"]) == (
        "logistic",
        "open",
        [],
    )


def test_the_cross_table_is_written_as_the_site_of_tcec_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "crosstable.json"
    printed("match", *TWO, "-games", "2", "-crosstable", str(path), "-event", "Open")
    facts = json.loads(path.read_text())
    assert (facts["Event"], facts["Type"], sorted(facts["Order"])) == (
        "Open",
        "round-robin",
        ["Ann", "Bob"],
    )
    met = facts["Table"]["Ann"]["Results"]["Bob"]
    assert (met["H2h"], sorted(met["Text"])) == (1.0, ["0", "1"])
    assert [(score["Game"], score["Color"]) for score in met["Scores"]] == [(1, 0), (2, 1)]


@pytest.mark.parametrize(("concurrency", "numbers"), [("1", ("9",)), ("2", ("9", "10"))])
def test_a_match_stops_when_its_test_is_decided(concurrency: str, numbers: tuple[str, ...]) -> None:
    """Ann has White in every game and is mated each time; LLR falls by about a third with each.

    Of two games in play the other one may end at the same moment as the ninth.
    """
    test = [
        "-sprt",
        "elo0=0",
        "elo1=100",
        "model=logistic",
        "-noswap",
        "-games",
        "200",
        "-concurrency",
        concurrency,
    ]
    said = printed("match", *TWO, *test)
    assert "H0 accepted" in said
    assert re.findall("the test is decided after ([0-9]+) games", said)[0] in numbers


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_match_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*walker("Ann"), *walker("Bob"), "-games", "500", "-pgnout", str(pgn)]
    command = [sys.executable, "-m", "tbgen", "match", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while not process.stdout.readline().startswith("Finished game 1 "):
            pass
        os.kill(process.pid, number)
        rest = process.stdout.read()
        complaints = process.stderr.read()
        assert process.wait() == code
    assert complaints == ""
    assert re.search(
        r"interrupted with \d+ games? to play; the same command with -recover goes on", rest
    )
    assert len(games_of(pgn)) >= 1


@pytest.mark.parametrize("name", ["missing/standings.json", "."])
def test_a_file_that_cannot_be_written_is_named_before_an_engine_starts(
    tmp_path: Path, name: str
) -> None:
    path, seen = tmp_path / name, tmp_path / "seen"
    watched = scripted("Ann", "--seen", str(seen))
    for option in ("-jsonout", "-crosstable"):
        done = tbgen("match", *watched, *scripted("Bob"), option, str(path))
        assert (
            done.returncode,
            len(done.stderr.splitlines()),
            str(path.parent) in done.stderr,
        ) == (1, 1, True)
    assert not seen.exists()


def test_an_engine_that_fails_for_good_leaves_the_standings_of_what_was_played(
    tmp_path: Path,
) -> None:
    once = scripted("Once", "--once", str(tmp_path / "born"), "--at", "0", "--do", "crash")
    path = tmp_path / "facts"
    done = tbgen("match", *once, *scripted("Good"), "-games", "6", "-jsonout", str(path))
    assert done.returncode != 0
    assert "'Once' cannot be started" in done.stderr
    assert "Once forfeited: 3 × abandoned" in done.stdout
    assert (json.loads(path.read_text())["games"], json.loads(path.read_text())["scheduled"]) == (
        3,
        6,
    )


def test_a_match_that_is_killed_leaves_the_standings_that_it_has_shown(tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    deaf = scripted("Deaf", "--at", "0", "--do", "hang")  # it has White in the second game
    words = [*scripted("Good"), *deaf, "-ratinginterval", "1", "-jsonout", str(path), "-debug"]
    command = [sys.executable, "-m", "tbgen", "match", *words]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as match:
        assert match.stderr is not None
        assert any("deaf" in line for line in match.stderr)
        match.kill()
    facts = json.loads(path.read_text())
    assert (facts["games"], facts["scheduled"]) == (1, 2)


def test_a_full_disk_leaves_the_standings_of_what_was_played(tmp_path: Path) -> None:
    """The file of games is a link to /dev/full; the first game cannot be kept."""
    pgn, path = tmp_path / "games.pgn", tmp_path / "facts.json"
    pgn.symlink_to("/dev/full")
    done = tbgen("match", *TWO, "-pgnout", str(pgn), "-jsonout", str(path))
    assert (
        done.stderr
        == f"tbgen: {pgn}: No space left on device; make room, and go on with -recover\n"
    )
    assert json.loads(path.read_text())["games"] == 0


@pytest.mark.parametrize(
    ("name", "code", "problem"),
    [
        ("nowhere/games.pgn", 1, "there is no folder"),
        ("games.pgn.gz", 2, "would be plain text, not packed"),
    ],
)
def test_a_file_of_games_that_cannot_be_is_refused(
    tmp_path: Path, name: str, code: int, problem: str
) -> None:
    found, line = complaint("match", *TWO, "-pgnout", str(tmp_path / name))
    assert found == code
    assert problem in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("deed", ["start", "move"])
def test_a_match_ends_within_two_seconds_of_ctrl_c_whatever_its_engines_do(
    tmp_path: Path, deed: str
) -> None:
    """An engine that does not answer at its start, or at its move, and does not read `quit`."""
    deaf = ["--deaf-after", "0"] if deed == "start" else ["--at", "0", "--do", "hang"]
    seen, path = tmp_path / "seen", tmp_path / "facts.json"
    path.write_text("{}")
    words = [*scripted("Ann", *deaf, "--seen", str(seen)), *scripted("Bob"), "-jsonout", str(path)]
    asked = "isready" if deed == "start" else "go nodes"
    with subprocess.Popen(
        [sys.executable, "-m", "tbgen", "match", *words], stdout=subprocess.DEVNULL
    ) as process:
        while not (seen.exists() and asked in seen.read_text()):
            assert process.poll() is None
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(2) == 130
    assert (path.read_text() == "{}") == (deed == "start")


@pytest.mark.parametrize("columns", [80, pytest.param(120, marks=pytest.mark.slow)])
def test_a_terminal_shows_the_games_in_play_in_lines_that_fit(columns: int) -> None:
    engines = [word for name in ("Ann", "Bob") for word in walker(name)]
    text = shown_on_terminal(columns, "match", *engines, "-games", "2")
    drawn = re.split("[\r\n]+", re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", text).strip())
    bars = [line for line in drawn if re.search("[━╸╺]{20}", line)]
    assert {"games", "1 of 2 (Ann vs Bob)"} <= {
        re.split(" {2,}|━", line)[0].strip() for line in bars
    }
    assert max(map(len, bars)) <= columns
    assert "Traceback" not in text
    assert drawn[-1].startswith("2 games in ")


def test_no_output_of_a_match_takes_the_place_of_what_it_reads(tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text("1. e4 *\n\n")
    config = tmp_path / "match.toml"
    config.write_text("games = 2\n")
    for words in (
        ["-openings", f"file={book}", "-pgnout", str(book)],
        ["-openings", f"file={book}", "-crosstable", str(book)],
        ["-config", str(config), "-jsonout", str(config)],
    ):
        done = tbgen("match", *TWO, *words)
        assert done.returncode == 2
        assert "tbgen: only one of " in done.stderr
    assert (book.read_text(), config.read_text()) == ("1. e4 *\n\n", "games = 2\n")


@pytest.mark.parametrize(("games", "notes"), [("2", 0), ("4", 1)])
def test_engines_that_may_repeat_games_are_named_before_the_first(games: str, notes: int) -> None:
    said = printed("match", *TWO, "-games", games, "-fifty", "none")
    assert said.count("note: engines with fixed nodes or depth may repeat games") == notes


def test_wrong_lines_of_an_engine_are_shown_once_and_counted() -> None:
    talker = scripted("Talker", "--then", "info depth 9 score cp 1 pv e2e5")
    said = printed("match", *talker, *scripted("Good"), "-games", "2")
    warning = "warning: Talker, game 1, move 1. illegal principal variation: e2e5 is no move: e2e5"
    assert said.count("warning: ") == 1
    assert warning in said.splitlines()
    assert "Talker: 4 illegal principal variations" in said.splitlines()
