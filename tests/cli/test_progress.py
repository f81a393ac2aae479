"""Every command whose work may take long shows its progress, unless it is to be quiet."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tbgen import cli
from tbgen.cli import reporter
from tests.cli.calls import tbgen
from tests.project import RECORDS, S18

BLOCKED = "8/8/3p4/3P4/1k6/3Kp3/4P3/8 b - - 0 1"
GAME = f'[FEN "{BLOCKED}"]\n[White "a"]\n[Black "b"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n'

PROGRESS = re.compile(r"^[^:]+, \d+ s(: |$)", re.MULTILINE)
LONG = {
    "adjudicate": "adjudicate games.pgn -o out.pgn",
    "annotate": "annotate games.pgn -o out.pgn",
    "build": "build KvK --data new",
    "build --for": "build --plan --for games.pgn",
    "fetch": "",
    "hold": "",
    "list": "list KvK",
    "match": "",
    "pair": "pair games.pgn --rounds 30",
    "score": "score --pgn games.pgn --json",
    "site": "site --records records",
    "solve": f'solve "{BLOCKED}" --budget 6',
    "solve --for": "solve --for six.pgn --budget 6",
    "solve --for --plan": "solve --for six.pgn --plan",
    "standings": "standings games.pgn",
    "standings --pages": "standings games.pgn --pages www",
    "study find": "study find KBvK --where check --count",
    "study record": "study record KvK -o new",
    "verify": "verify KvK",
}
"""Commands that may take long, with words that take no time here.

The progress of `fetch`, `hold` and `match` is tested where their work is.
"""
READS_GAMES = {"adjudicate", "annotate", "build --for", "score", "standings", "standings --pages"}
OTHERS = {"completion", "probe", "serve", "uci"}
"""Commands that answer at once, or until they are stopped."""


def test_every_command_has_progress_or_answers_at_once() -> None:
    tried = {name.split()[0] for name in LONG}
    assert tried | OTHERS == set(cli.COMMANDS)
    assert not tried & OTHERS


@pytest.mark.parametrize("name", [name for name, words in LONG.items() if words])
def test_a_command_that_takes_long_shows_its_progress_unless_it_is_to_be_quiet(
    name: str, own_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if every step took long: all that is said at some time is said at once."""
    monkeypatch.setattr(reporter, "LINE_SECONDS", 1e-9)
    monkeypatch.setattr(reporter, "QUIET_SECONDS", 1e-9)
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', LONG[name])]
    said = list[str]()
    for more in ([], ["-q"]):
        place = tmp_path / f"place{len(more)}"
        (place / "records").mkdir(parents=True)
        monkeypatch.chdir(place)
        shutil.copy(S18, "games.pgn")
        Path("six.pgn").write_text(GAME)
        shutil.copy(RECORDS / "KvK.json", "records")
        said.append(tbgen(*words, *more, folder=own_folder, progress=True).stderr)
    loud, quiet = said
    assert PROGRESS.search(loud), loud
    assert not PROGRESS.search(quiet), quiet
    if name in READS_GAMES:
        assert re.search(r"^games.pgn, \d+ s: 20 games, 100 %", loud, re.MULTILINE)
