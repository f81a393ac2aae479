"""What `tbgen study compare` counts, beside the slow solvers of both games; and its lines, played by python-chess."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import chess
import pytest

from tbgen.apps.records.two_games import SHOWN, Comparer, joined, read_comparison, shown
from tbgen.cli.watch import BuildWatcher
from tbgen.errors import UsageError
from tbgen.library.build import Settings, build
from tbgen.material import Material, build_order, materials
from tbgen.score import Mobility
from tbgen.storage.folders import folder_of_game
from tests import reference
from tests.apps.records.slow import Entries, comparison_of, differing_pairs
from tests.reference.whole_game import WholeGame

SMALL = ("KvK", "KNvK", "KBvK")


def compared_in(folder: Path, names: Iterable[str]) -> dict[str, Any]:
    """The comparison of some tables, as JSON has it."""
    comparer = Comparer([folder])
    for name in names:
        comparer.compare(Material.parse(name))
    to_play, played = comparer.lines_to_play, list[int]()
    comparer.finish(lambda: played.append(1))
    facts = comparer.facts()
    assert len(played) == to_play == sum(map(len, facts["longest"].values()))
    return facts


def as_file_of(folder: Path, facts: dict[str, Any]) -> Path:
    """What `tbgen study compare -o` would have written."""
    path = folder / f"{facts['tables'][0]['material']}.json"
    path.write_text(json.dumps(facts))
    return path


@pytest.fixture(scope="module")
def folder(table_folder: Path, whole_game_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables of two and three men of both games."""
    made = tmp_path_factory.mktemp("both")
    for path in table_folder.glob("*.h5"):
        (made / path.name).symlink_to(path)
    (made / "whole-game").symlink_to(whole_game_folder / "whole-game")
    return made


@pytest.fixture(scope="module")
def compared(folder: Path) -> dict[str, Any]:
    return compared_in(folder, map(str, build_order(materials(3))))


@cache
def entries(name: str) -> Entries:
    """Entry values of whole-game mobility by the definition alone."""
    twin = WholeGame(name, reduced=len(name) > 4)
    twin.solve()
    return twin.table(name, twin.entry)


def assert_counts(compared: dict[str, Any], name: str, whole: Entries) -> None:
    found = next(table for table in compared["tables"] if table["material"] == name)
    expected = comparison_of(reference.solve(name).entry, whole, with_pawns="P" in name)
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("name", SMALL)
def test_every_count_is_that_of_the_slow_solvers(compared: dict[str, Any], name: str) -> None:
    assert_counts(compared, name, entries(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KRvK", "KQvK", "KPvK"])
def test_every_count_is_that_of_the_slow_solvers_of_the_other_three_men(compared: dict[str, Any], name: str) -> None:
    assert_counts(compared, name, entries(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KNNvK", "KBvKN"])
def test_every_count_of_four_men_is_that_of_the_slow_solvers(name: str, tmp_path: Path) -> None:
    for game in Mobility:
        build(folder_of_game(tmp_path, game), [Material.parse(name)], BuildWatcher(), Settings(threads=2))
    assert_counts(compared_in(tmp_path, [name]), name, entries(name))


def own_code(board: chess.Board) -> int:
    return 2 * board.legal_moves.count() + (not board.is_check())


def scores_of(fen: str, line: str) -> Iterator[tuple[str, str, str]]:
    """The moves of a line, and the score after each when resets forget and when nothing does; the first is no move."""
    board, words = chess.Board(fen), ["", *line.split()]
    kept: list[tuple[int, str]] = []
    since = 0
    for ply, san in enumerate(words):
        if san:
            move = board.parse_san(san)
            since = ply if board.is_zeroing(move) else since
            board.push(move)
        kept.append((own_code(board), "-" if board.turn == chess.WHITE else ""))
        scores = (min(kept[start:], key=lambda each: each[0]) for start in (since, 0))
        one, other = (f"{sign}G{code / 2}" for code, sign in scores)
        yield san, one, other


def test_every_line_reaches_its_score_and_no_sooner(compared: dict[str, Any]) -> None:
    lines = [
        (each["fen"], each[game], n)
        for each in compared["positions"]
        for n, game in enumerate(("r_mobility", "whole_game"))
    ]
    for n, game in enumerate(("r-mobility", "whole-game")):
        lines += [(each["fen"], each, n) for each in compared["longest"][game]]
    assert len(lines) > 30
    for fen, facts, forgets in lines:
        scores = [each[1 + forgets] for each in scores_of(fen, facts["line"])]
        assert len(scores) == facts["dtg"] + 1
        assert scores[-1] == facts["outcome"]
        assert forgets == 0 or facts["outcome"] not in scores[:-1]


def test_the_reset_that_is_named_is_the_first_after_which_the_scores_differ(compared: dict[str, Any]) -> None:
    named = 0
    for each in compared["positions"]:
        scores = enumerate(scores_of(each["fen"], each["r_mobility"]["line"]))
        first = next(((ply, san) for ply, (san, one, other) in scores if one != other), None)
        assert (each["reset"] is None) == (first is None)
        if first is not None:
            assert each["reset"].endswith(f", ply {first[0]}: {first[1]}")
            named += 1
    assert named > 3


def test_positions_are_those_of_which_the_games_disagree(compared: dict[str, Any]) -> None:
    for each in compared["positions"]:
        assert each["r_mobility"]["outcome"] != each["whole_game"]["outcome"]
    for game, other in (("r-mobility", "whole-game"), ("whole-game", "r-mobility")):
        known = {each["fen"]: each["outcome"] for each in compared["longest"][other]}
        for each in compared["longest"][game]:
            assert known.get(each["fen"], each["other"]["outcome"]) == each["other"]["outcome"]


def test_parts_joined_are_what_one_run_finds(compared: dict[str, Any], folder: Path, tmp_path: Path) -> None:
    names = [each["material"] for each in compared["tables"]]
    parts = [as_file_of(tmp_path, compared_in(folder, some)) for some in (names[4:], names[:2], names[2:4])]
    whole = joined([compared])
    assert joined([read_comparison(path) for path in parts]) == json.loads(json.dumps(whole))
    assert joined([compared, compared]) == whole
    assert whole["tables"] == compared["tables"]


def test_positions_that_are_shown_are_of_all_kinds(compared: dict[str, Any]) -> None:
    chosen = shown(compared["positions"])
    assert len({each["material"] for each in chosen}) == len(chosen) > 3
    assert {str(each["reset"]).partition(",")[0] for each in chosen} >= {"None", "capture frees"}


def test_the_games_may_lie_in_folders_of_their_own(
    compared: dict[str, Any], table_folder: Path, whole_game_folder: Path
) -> None:
    comparer = Comparer([table_folder, whole_game_folder])
    assert comparer.compare(Material.parse("KNvK")).items() <= compared["tables"][1].items()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tables": [{}], "longest": {}, "positions": []}', "[" * 100_000])
def test_a_file_that_no_comparison_has_written_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "games.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=re.escape(str(path))):
        read_comparison(path)


PAIRS = {"KBvK": (15_815_352, 954_724, 185_904)}
"""docs/whole-game.md has these."""


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_pairs_in_which_the_games_differ_are_as_many_as_the_page_says(name: str) -> None:
    counts = differing_pairs(name, WholeGame(name))
    assert (counts["pairs"], counts["white"], counts["black"]) == PAIRS[name]


DOCS = Path(__file__).parent.parent.parent.parent / "docs"


def test_every_line_of_the_page_of_records_reaches_its_score_and_no_sooner() -> None:
    page = (DOCS / "whole-game-records.md").read_text()
    blocks = re.findall(r"\*\*(.+)\*\* in (\d+) pl(?:y|ies), .*:\n\n    (.+)\n((?:    .+\n)+)", page)
    assert len(blocks) == page.count("\n**") > 10
    for score, plies, fen, words in blocks:
        line = " ".join(word.rpartition(".")[2] for word in words.split())
        scores = [each[2] for each in scores_of(fen, line)]
        assert scores.index(score) == len(scores) - 1 == int(plies)


def test_every_position_of_the_page_of_both_games_is_played_to_its_scores() -> None:
    page = (DOCS / "two-games.md").read_text()
    text = r"(-?G\d+\.\d), (?:in (\d+) pl(?:y|ies)|on the board)(?:: ((?:.|\n)+?))?\n"
    found = re.findall(rf"\n    (\S+ [wb] - - 0 1)\n    r-mobility {text}    whole game {text}\n", page)
    assert len(found) == page.count("\n**") == SHOWN
    for fen, *both in found:
        for forgets, (score, plies, words) in enumerate((both[:3], both[3:])):
            line = " ".join(word.rpartition(".")[2] for word in words.split())
            scores = [each[1 + forgets] for each in scores_of(fen, line)]
            assert (scores[-1], len(scores) - 1) == (score, int(plies or 0))
