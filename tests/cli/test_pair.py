from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import complaint, printed, tbgen

pytest.importorskip("py4swiss")

PLAYERS = "Ann\nBob | half 2\nCid\nDan | until 1\nEve | from 2\n"


def played(text: str, results: list[str]) -> str:
    """The games of a round with their results, each after a move."""
    for result in results:
        text = text.replace('[Result "*"]\n\n*', f'[Result "{result}"]\n\n1. e4 e5 {result}', 1)
    return text


def test_a_tournament_goes_from_round_to_round_by_one_file(tmp_path: Path) -> None:
    players = tmp_path / "players.txt"
    players.write_text(PLAYERS)
    event = tmp_path / "event.pgn"
    new = tmp_path / "next.pgn"
    words = ["pair", "--rounds", "3", "--players", str(players), "--scoring", "classical"]
    said = printed(*words, "--event", "Open", "-o", str(new))
    assert said.splitlines() == [
        "round 1 of 3",
        "board  white  points  black  points",
        "    1  Ann         0  Cid         0",
        "    2  Dan         0  Bob         0",
        "not here: Eve",
    ]
    event.write_text(played(new.read_text(), ["1-0", "0-1"]))
    said = printed(*words, str(event), "-o", str(new))
    assert said.splitlines() == [
        "round 2 of 3",
        "board  white  points  black  points",
        "    1  Eve         0  Ann         1",
        "Cid: bye",
        "Bob: half-point bye",
        "not here: Dan",
    ]
    code, line = complaint(*words, str(event), str(new))
    assert (code, line) == (2, "tbgen: round 2 has 1 game without a result: Eve - Ann")
    event.write_text(event.read_text() + played(new.read_text(), ["0-1"]))
    assert event.read_text().count('[Event "Open"]') == 5
    facts = json.loads(printed(*words, str(event), "--json"))
    found = [(*pair.values(),) for pair in facts["pairs"]]
    assert found == [(1, "Bob", "Ann", 1.5, 2.0), (2, "Cid", "Eve", 1.0, 0.0)]
    assert (facts["number"], facts["rounds"], facts["byes"], facts["absent"]) == (3, 3, [], ["Dan"])


def test_points_of_r_mobility_pair_by_default(tmp_path: Path) -> None:
    """A draw on the score sheet has a holder, who is paired as the better of both."""
    event = tmp_path / "event.pgn"
    draws = [
        f'[Round "1"]\n[White "{white}"]\n[Black "{black}"]\n[WhiteElo "{elo}"]\n'
        '[Result "1/2-1/2"]\n\n1. e4 e5 2. Qh5 Nc6 1/2-1/2\n'
        for white, black, elo in [("Ann", "Bob", 2400), ("Cid", "Dan", 2300)]
    ]
    event.write_text("\n".join(draws))
    words = ["pair", str(event), "--rounds", "3", "--json"]
    assert pairs_in(printed(*words)) == [{"Ann", "Cid"}, {"Bob", "Dan"}]
    assert pairs_in(printed(*words, "--scoring", "classical")) == [{"Ann", "Dan"}, {"Cid", "Bob"}]


def test_games_that_would_count_twice_are_said_before_a_round_is_paired_by_them(
    tmp_path: Path,
) -> None:
    event = tmp_path / "event.pgn"
    won = '[Round "1"]\n[White "{}"]\n[Black "{}"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
    first = won.format("Ann", "Bob")
    event.write_text(first + won.format("Cid", "Dan") + first)
    done = tbgen("pair", str(event), "--rounds", "3")
    twice = '"Ann" - "Bob", round 1, games 1 and 3, stands twice and counts twice'
    assert (done.returncode, done.stderr) == (0, f"tbgen: warning: {twice}\n")


def test_players_of_the_list_are_players_though_none_has_made_a_move_yet(tmp_path: Path) -> None:
    event = tmp_path / "event.pgn"
    event.write_text(
        '[Round "1"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
        '[Round "1"]\n[White "Cid"]\n[Black "Dan"]\n[Result "1-0"]\n\n1-0\n\n'
        '[Round "1"]\n[White "Eve"]\n[Black "bye"]\n[Result "1-0"]\n\n1-0\n\n'
    )
    players = tmp_path / "players.txt"
    players.write_text("Ann\nBob\nCid\nDan\nEve\n")
    assert "board" in printed("pair", str(event), "--rounds", "3", "--players", str(players))


def test_a_table_of_a_round_has_its_byes_below_its_pairs(tmp_path: Path) -> None:
    players = tmp_path / "players.txt"
    players.write_text("Ann\nBob\nCid\nDan | half 1\n")
    said = printed("pair", "--rounds", "3", "--players", str(players), "--csv")
    assert said.splitlines() == [
        "board,white,black,white_points,black_points",
        "1,Ann,Bob,0.0,0.0",
        ",Cid,bye,,",
        ",Dan,half-point bye,,",
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_a_list_of_players_is_read_like_games(tmp_path: Path, encoding: str) -> None:
    """Editors of Windows begin a file with a mark, and old ones write Latin-1."""
    players = tmp_path / "players.txt"
    players.write_bytes("Göran\r\nBob\r\n".encode(encoding))
    said = printed("pair", "--rounds", "1", "--players", str(players), "--json")
    assert pairs_in(said) == [{"Göran", "Bob"}]


def pairs_in(text: str) -> list[set[str]]:
    """The players of each pair."""
    return [{pair["white"], pair["black"]} for pair in json.loads(text)["pairs"]]


def test_an_unreadable_game_counts_by_its_score_sheet_or_is_refused(tmp_path: Path) -> None:
    event = tmp_path / "event.pgn"
    whole = '[Round "1"]\n[White "Cid"]\n[Black "Dan"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
    cut = '[Round "1"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf'
    event.write_text(whole + cut)
    done = tbgen("pair", str(event), "--rounds", "3", "--json")
    assert done.returncode == 2
    assert f"{event}, game 2, ply 3: " in done.stderr
    assert pairs_in(done.stdout) == [{"Cid", "Ann"}, {"Dan", "Bob"}]
    event.write_text(whole + cut.replace("1-0", "*"))
    done = tbgen("pair", str(event), "--rounds", "3")
    assert done.returncode == 2
    assert "round 1 has a game that nobody can count" in done.stderr


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "round 1 has fewer than two players"),
        ("Ann\nBob | half x", "'half x' names no round"),
        ("Ann\nBob | half 4", "Bob: round 4 is after the last one, 3"),
        ("Ann | from 9\nBob\nCid", "Ann: round 9 is after the last one, 3"),
    ],
)
def test_a_list_of_players_without_sense_is_named(tmp_path: Path, text: str, problem: str) -> None:
    players = tmp_path / "players.txt"
    players.write_text(text)
    code, line = complaint("pair", "--rounds", "3", "--players", str(players))
    assert code == 2
    assert problem in line


def test_neither_games_nor_players_are_not_enough() -> None:
    code, line = complaint("pair", "--rounds", "3")
    assert code == 2
    assert "--players for the first" in line


def test_games_of_several_events_are_refused_until_one_is_chosen(tmp_path: Path) -> None:
    event = tmp_path / "season.pgn"
    game = '[Event "{}"]\n[Round "1"]\n[White "Ann"]\n[Black "{}"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
    names = (("Open", "Bob"), ("Blitz", "Bob"))
    texts = [game.format(event_name, black) for event_name, black in names]
    texts.append(game.format("Open", "Dan").replace("Ann", "Cid"))
    event.write_text("".join(texts))
    code, line = complaint("pair", "--rounds", "3", str(event))
    assert code == 2
    assert line == (
        'tbgen: the games are of 2 events: "Open" (2 games), "Blitz" (1 game); '
        "choose one with --event NAME"
    )
    assert "board" in printed("pair", "--rounds", "3", str(event), "--event", "open")
