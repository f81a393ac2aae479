"""What the pages on matches tell people to type is understood."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tbgen.apps.match.bench import r_mobility_options
from tbgen.apps.match.engine import HANDSHAKE
from tbgen.apps.match.options import settings_of
from tbgen.apps.match.words import ALIASES, OPTIONS
from tbgen.cli.match import command
from tests.project import ROOT

MATCHES, UCI, README = (
    (ROOT / name).read_text() for name in ("docs/matches.md", "docs/uci.md", "README.md")
)
PAGES = "\n".join((MATCHES, UCI, README, command.help or ""))
COMMANDS = [
    words
    for words in re.findall(r"^ +(?:\$ )?tbgen match (-engine .*)$", PAGES, re.M)
    if " ..." not in words
]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_of_the_pages_is_understood(words: str) -> None:
    assert len(COMMANDS) >= 4
    assert len(settings_of(shlex.split(words)).engines) >= 2


def test_the_file_of_the_page_is_understood(tmp_path: Path) -> None:
    block = MATCHES.partition("`tbgen match -config match.toml`:\n\n")[2].partition(
        "\n\nThe command line overrides"
    )[0]
    path = tmp_path / "match.toml"
    path.write_text(re.sub("^    ", "", block, flags=re.M))
    settings = settings_of(["-config", str(path)])
    assert [spec.name for spec in settings.engines] == ["Stockfish", "Fairy"]
    assert settings.sprt is not None


def test_the_options_of_other_programs_are_known_unless_the_page_says_that_they_are_not() -> None:
    table, _, foreign = (
        MATCHES.partition("## Coming from")[2].partition("## Read the PGN file")[0]
    ).partition("Not offered:")
    named = set(re.findall(r"(?<![\w`-])`?-([A-Za-z][A-Za-z0-9-]+)\b", table))
    known = set(OPTIONS) | set(ALIASES)
    assert named - {"help", "mobility", "move", "cli"} <= known
    assert {"engine", "each", "openings", "sprt", "recover", "legacyMode"} <= named
    not_offered = set(re.findall(r"`-([A-Za-z][A-Za-z0-9-]+)`", foreign.partition("\n\n")[0]))
    assert {"draw", "reverse", "book", "strict"} <= not_offered - known


def test_the_options_of_the_handshake_are_those_of_the_page() -> None:
    settings = settings_of(["-engine", "cmd=a", "depth=1", "-engine", "cmd=b", "depth=1"])
    assert set(re.findall(rf"`({HANDSHAKE}\w*)`", UCI)) == set(r_mobility_options(settings))
