"""Attacks by what is written elsewhere: tags of games in pages, and clocks that jump."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from tbgen.system.outputs import written_whole
from tests.apps.site.faults import HTML, parsed
from tests.cli.calls import printed

HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
)


def pages_of(names: tuple[str, ...], tables: Path, folder: Path) -> list[Path]:
    """Every page that is made of games between players of some names."""
    folder.mkdir()
    games = folder / "games.pgn"
    verdicts = folder / "verdicts.json"
    decided = folder / "decided.pgn"
    with games.open("w") as file:
        for name in names:
            tags = "".join(
                f'[{tag} "{name}"]\n'
                for tag in ("Event", "Site", "Round", "White", "Black", "Annotator")
            )
            file.write(f'{tags}[FEN "8/8/8/4KBk1/8/8/8/8 b - - 0 1"]\n[SetUp "1"]\n\n')
            file.write(f"1... Kh4 2. Kf4 {{{name}}} *\n\n")
    printed(
        "adjudicate",
        str(games),
        "-o",
        str(decided),
        "--verdicts",
        str(verdicts),
        "-q",
        folder=tables,
    )
    www = folder.with_name(f"{folder.name}-www")
    printed("standings", str(decided), "--pages", str(www))
    for number, entry in enumerate(json.loads((www / "events.json").read_text())):
        page = (www / entry["folder"] / "index.html").read_text()
        (folder / f"standings-{number:02}.html").write_text(page)
    printed(
        "annotate",
        str(decided),
        "-o",
        str(folder / "annotated.html"),
        "-q",
        folder=tables,
    )
    assert {each["white"] for each in json.loads(verdicts.read_text())["games"]} == set(names)
    return sorted(folder.rglob("*.html"))


def test_no_tag_of_a_game_becomes_a_part_of_a_page(table_folder: Path, tmp_path: Path) -> None:
    harmless = pages_of(
        tuple(f"Player {number}" for number in range(len(HOSTILE))),
        table_folder,
        tmp_path / "harmless",
    )
    hostile = pages_of(HOSTILE, table_folder, tmp_path / "hostile")
    assert [page.name for page in harmless] == [page.name for page in hostile]
    assert len(hostile) > 1
    for one, other in zip(harmless, hostile, strict=True):
        before, after = (
            Counter(str(each.tag) for each in parsed(page.read_text()).iter())
            for page in (one, other)
        )
        assert (before[f"{HTML}script"], before[f"{HTML}img"]) == (
            after[f"{HTML}script"],
            after[f"{HTML}img"],
        )
        for each in parsed(other.read_text()).iter():
            assert not [name for name in each.attrib if str(name).startswith("on")]
            assert not str(each.get("href", "")).startswith("javascript:")
        assert "49" not in re.findall(r">(\d+){%", other.read_text())


def test_a_clock_that_jumps_costs_no_file_that_is_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pgn"
    now = time.time()
    with written_whole(str(path)) as first:
        first.write(b"first")
        monkeypatch.setattr(time, "time", lambda: now + 1e9)
        with written_whole(str(path)) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
