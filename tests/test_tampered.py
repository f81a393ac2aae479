"""Files that somebody tampered with.

Every reader says in one line what is wrong, or reads what can be read.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tbgen.apps.match.options import settings_of
from tbgen.apps.records.record import read_record
from tbgen.errors import TbgenError
from tbgen.library.catalog import MANIFEST, read_manifest
from tests.project import RECORDS

JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    1 << 80,
    0.5,
    "",
    "x",
    "G9.9",
    [],
    [1],
    {},
    {"a": 1},
    "\udcff",
    "1e999",
)
CONFIG = """games = 4
rounds = 2
concurrency = 1
openings = { file = "book.epd", format = "epd", order = "random", plies = 4 }
sprt = { elo0 = 0, elo1 = 5, alpha = 0.05, beta = 0.05 }
scoring = "komi"
komi = "G5.75"
each = { tc = "10+0.1", "option.Hash" = 16 }
[[engine]]
cmd = "one"
name = "Ann"
[[engine]]
cmd = "two"
name = "Bob"
"""


TOML_VALUES = (
    "1",
    "-1",
    "0.5",
    '"x"',
    "[]",
    "[1]",
    "{}",
    "true",
    "1979-05-27",
    "[[1]]",
    "nan",
    "inf",
)


def tampered(value: Any, draw: random.Random) -> Any:
    """A copy of some JSON in which one value is junk, or one member is gone."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        name = draw.choice(list(value))
        copied = dict(value)
        if draw.random() < 0.1:
            del copied[name]
        else:
            copied[name] = tampered(value[name], draw)
        return copied
    if isinstance(value, list) and value and draw.random() < 0.9:
        place = draw.randrange(len(value))
        items = list(value)
        items[place] = tampered(value[place], draw)
        return items
    return draw.choice(JUNK)


def flipped(data: bytes, draw: random.Random) -> bytes:
    """Bytes of which a few are changed, removed or doubled."""
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(data))
        other = draw.choice([b"", bytes([draw.randrange(256)]), data[place : place + 9] * 2])
        data = data[:place] + other + data[place + 1 :]
    return data


def text_of(value: Any, draw: random.Random) -> bytes:
    """Some JSON that was tampered with as a value or as a text."""
    if draw.random() < 0.3:
        return flipped(json.dumps(value).encode(), draw)
    return json.dumps(tampered(value, draw)).encode()


DEEP = b"[" * 100_000


def one_line_or_fine(read: Callable[[], object]) -> None:
    fault = ""
    try:
        read()
    except (TbgenError, OSError) as error:
        fault = str(error)
    assert len(fault.splitlines()) < 2, fault


@pytest.mark.parametrize("seed", range(2))
def test_a_record_that_was_tampered_with(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    path = tmp_path / "KvK.json"
    facts = json.loads((RECORDS / "KvK.json").read_bytes())
    texts = [text_of(facts, draw) for _ in range(40)]
    for text in (DEEP, *texts):
        path.write_bytes(text)
        one_line_or_fine(lambda: read_record(path))


@pytest.mark.parametrize("seed", range(2))
def test_a_manifest_that_was_tampered_with_stops_nothing(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    path = tmp_path / MANIFEST
    fields = {"bytes": 1, "sha256": "a" * 64, "wall_seconds": 0.5, "phase_seconds": {"solve": 0.1}}
    manifest = {"format": 1, "tables": {"KvK": fields}}
    texts = [text_of(manifest, draw) for _ in range(100)]
    for text in (DEEP, *texts):
        path.write_bytes(text)
        for record in read_manifest(tmp_path).values():
            numbers = (record.bytes, record.wall_seconds or 0, *record.phase_seconds.values())
            assert {type(number) for number in numbers} <= {int, float}
            assert len(record.sha256.upper()) == len(record.sha256)


@pytest.mark.parametrize("seed", range(2))
def test_a_match_file_that_was_tampered_with(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    path = tmp_path / "match.toml"
    for number in range(100):
        lines = CONFIG.splitlines()
        place = draw.randrange(len(lines))
        name, _, value = lines[place].partition(" = ")
        other = draw.choice(TOML_VALUES)
        lines[place] = f"{name} = {other if value else name}"
        text = "\n".join(lines).encode()
        if number % 3 == 0:
            text = flipped(CONFIG.encode(), draw)
        if number == 1:
            text = b"games = " + DEEP
        path.write_bytes(text)
        one_line_or_fine(lambda: settings_of(["-config", str(path)]))
