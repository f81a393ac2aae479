"""A wrong position is wrong everywhere: in words, in lines, in Python, over HTTP and in C."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tbgen.errors import FenError, IllegalPositionError
from tbgen.rules.notation import parse_fen
from tests.apps.site.conftest import client_of
from tests.cli.calls import tbgen
from tests.readers.bindings import Library, Status
from tests.readers.c_reader import needs_compiler

MEN = "8/8/8/4KBk1/8/8/8/8"
BAD = {
    f"{MEN} x - - 0 1": FenError,
    f"{MEN} b KX - 0 1": FenError,
    f"{MEN} b - a9 0 1": FenError,
    f"{MEN} b - a9": FenError,
    f"{MEN} b - e 0 1": FenError,
    f"{MEN} b - e4 0 1": IllegalPositionError,
    f"{MEN} b - e3 0 1": IllegalPositionError,
    f"{MEN} b - - -1 1": FenError,
    f"{MEN} b - - x 1": FenError,
    f"{MEN} b - - 100000 1": FenError,
    f"{MEN} b - - 0 -1": FenError,
    f"{MEN} b - - 0 1.5": FenError,
    f"{MEN} b - - 0 G2.5": FenError,
}
"""[FEN] -> the error that tells of it."""


@pytest.fixture(scope="module")
def client(table_folder: Path) -> Iterator[TestClient]:
    with client_of(table_folder) as made:
        yield made


@pytest.mark.parametrize(("fen", "error"), BAD.items())
def test_python_refuses_it(fen: str, error: type[FenError]) -> None:
    with pytest.raises(error):
        parse_fen(fen)


@pytest.mark.parametrize(("fen", "error"), BAD.items())
def test_http_refuses_it_in_every_spelling(
    client: TestClient, fen: str, error: type[FenError]
) -> None:
    said = list[dict[str, str]]()
    for spelling in (fen, fen.replace(" ", "_")):
        said.append(client.get("/r-mobility", params={"fen": spelling}).json())
        said += client.post("/r-mobility", json=[spelling, {"fen": spelling}]).json()
    assert {answer["error"] for answer in said} == {error.__name__}


def test_the_shell_refuses_it_as_an_argument_as_words_and_in_lines(table_folder: Path) -> None:
    lines = "".join(f"{fen}\n" for fen in BAD)
    in_lines = tbgen("probe", "-", "--json", "--brief", folder=table_folder, given=lines.encode())
    told = [json.loads(line) for line in in_lines.stdout.splitlines()]
    assert [answer["error"] for answer in told] == [error.__name__ for error in BAD.values()]
    for fen, answer in zip(BAD, told, strict=True):
        for words in ([fen], fen.split()):
            done = tbgen("probe", *words, folder=table_folder)
            assert done.returncode == 2, fen
            assert done.stderr == f"tbgen: {answer['message']}\n"


@needs_compiler
def test_the_reader_in_c_refuses_it(tmp_path: Path) -> None:
    library = Library(tmp_path)
    for fen in BAD:
        assert library.read_fen(fen).status is Status.BAD_POSITION, fen
    for fen in (f"{MEN} b - -", f"{MEN} b - - 33 30", f"  {MEN} b - - 0 1 G2.5"):
        assert library.read_fen(fen).status is Status.OK, fen
    assert library.read_fen(f"{MEN} b - - 0 1 G2.5 more").status is Status.BAD_POSITION
