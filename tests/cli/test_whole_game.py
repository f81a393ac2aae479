"""The commands under `--game whole-game`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.cli.calls import tbgen

TAKEN = "8/8/8/8/8/1k6/2B5/5K2 b - - 0 1 G1.5"


def call(*arguments: str, folder: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = tbgen(*arguments, "--game", "whole-game", folder=folder)
    assert done.returncode == code, done.stderr
    return done


def test_tables_are_proved_and_their_mates_are_the_published_ones(whole_game_folder: Path) -> None:
    facts = json.loads(call("verify", "KvK", "KBvK", "--json", folder=whole_game_folder).stdout)
    assert [table["right"] for table in facts["tables"]] == [True, True]
    call("verify", "--against", "ordinary", folder=whole_game_folder)


def test_records_are_counted(whole_game_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(whole_game_folder, folder)
    call("study", "record", "KvK", "KBvK", "-o", str(tmp_path / "records"), folder=folder)
    facts = json.loads((tmp_path / "records" / "KBvK.json").read_text())
    assert facts["quiet"] is None
    assert facts["changes"] is None


def test_a_game_is_decided_by_tables_of_the_game_that_was_asked_for(whole_game_folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(f'[SetUp "1"]\n[FEN "{TAKEN.removesuffix(" G1.5")}"]\n\n1... Kxc2 *\n')
    decided = call("adjudicate", str(path), folder=whole_game_folder).stdout
    assert '[RMobilityTablebase "KvK 0"]' in decided
    assert '[RMobilityGame "whole-game"]' in decided
    lacking = call("adjudicate", str(path), folder=tmp_path).stderr
    assert f"tbgen build --for {path} --game whole-game" in lacking
    call("build", "--for", str(path), folder=tmp_path)
    assert (tmp_path / "whole-game" / "KvK.whole-game.h5").is_file()


def test_both_games_are_compared(whole_game_folder: Path, table_folder: Path, tmp_path: Path) -> None:
    folder, output = tmp_path / "data", tmp_path / "games.json"
    shutil.copytree(table_folder, folder)
    shutil.copytree(whole_game_folder / "whole-game", folder / "whole-game")
    done = tbgen("study", "compare", "KvK", "KBvK", "-o", str(output), folder=folder)
    assert done.returncode == 0, done.stderr
    kings, bishop = json.loads(output.read_text())["tables"]
    assert kings["shares"]["differing"] == 0
    assert bishop["positions"] == 193_284 + 223_944
    assert bishop["shares"]["differing"] > 0
