"""Boards: the map of one man against single probes, pictures, and boards on a terminal."""

from __future__ import annotations

import contextlib
import random
from typing import Any
from xml.etree import ElementTree

import chess
import pytest
from starlette.testclient import TestClient

from tbgen.apps.site.boards import map_facts
from tbgen.errors import InputError, UsageError
from tbgen.probe import Tablebase
from tbgen.rules.facts import with_scores
from tbgen.score import Color, Score
from tests.cli.calls import complaint, printed
from tests.positions import BISHOP, random_board


def probed(
    tables: Tablebase, board: chess.Board, man: chess.Square, accrued: Score | None
) -> dict[str, object]:
    """The map of a man by a single probe of a new position for each square."""
    found: dict[str, object] = {}
    for square in chess.SQUARES:
        men = {each: piece for each, piece in board.piece_map().items() if each != man}
        free = square not in men
        moved = chess.Board(None)
        moved.set_piece_map({**men, square: board.piece_map()[man]})
        moved.turn = board.turn
        try:
            value = tables.probe(moved, accrued) if free else None
        except InputError:
            value = None
        found[chess.square_name(square)] = value and {
            "outcome": str(value.outcome),
            "dtg": value.dtg,
        }
    return found


def random_maps(
    tables: Tablebase, seed: int, number: int
) -> list[tuple[chess.Board, Score | None, int, Any]]:
    """Positions with what has accrued and a man, and the map of it, where the score can have been left."""
    draw, found = random.Random(seed), list[tuple[chess.Board, Score | None, int, Any]]()
    while len(found) < number:
        material = draw.choice(tables.available())
        board = random_board(draw, draw.choice((material, material.flipped())))
        accrued = draw.choice((None, Score(draw.randrange(3, 17, 2), draw.choice(list(Color)))))
        man = draw.choice(list(board.piece_map()))
        with contextlib.suppress(InputError):
            found.append(
                (board, accrued, man, map_facts(tables, board, accrued, chess.square_name(man)))
            )
    return found


@pytest.mark.parametrize("number", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_a_map_is_what_sixty_four_probes_say(tables: Tablebase, number: int) -> None:
    for board, accrued, man, found in random_maps(tables, 49, number):
        assert found["squares"] == probed(tables, board, man, accrued), board.fen()


def test_the_server_and_the_command_give_the_same_map(
    client: TestClient, tables: Tablebase, table_folder: str
) -> None:
    expected = map_facts(tables, chess.Board(BISHOP), None, "f5")
    assert client.get("/r-mobility/map", params={"fen": BISHOP, "man": "f5"}).json() == with_scores(
        expected
    )
    shown = printed("probe", BISHOP, "--map", "f5", folder=table_folder)
    outcomes = [each and each["outcome"] for each in expected["squares"].values()]
    lines = [line.split()[1:] for line in shown.splitlines()[:8]]
    assert [cell for line in reversed(lines) for cell in line] == [each or "." for each in outcomes]
    code, line = complaint("probe", BISHOP, "--map", "a1", folder=table_folder)
    assert (code, line) == (2, "tbgen: there is no man on a1; name the square of one")
    assert client.get("/r-mobility/map", params={"fen": BISHOP, "man": "x9"}).status_code == 400


@pytest.mark.parametrize("more", [{}, {"man": "f5"}, {"accrued": "-G4.5"}])
def test_a_picture_is_sound_and_says_the_verdict(client: TestClient, more: dict[str, str]) -> None:
    reply = client.get("/r-mobility/picture.svg", params={"fen": BISHOP, **more})
    assert reply.headers["content-type"] == "image/svg+xml"
    words = ElementTree.fromstring(reply.text).get("aria-label")
    assert words.startswith("White: Ke6, Bf5. Black: Kg5. White to move.")
    facts = client.get(
        "/r-mobility", params={"fen": BISHOP, "brief": "1", "accrued": more.get("accrued", "")}
    ).json()
    assert facts["outcome"].replace("-", "−") in words


def test_the_command_draws_the_same_picture(client: TestClient, table_folder: str) -> None:
    there = client.get("/r-mobility/picture.svg", params={"fen": BISHOP, "accrued": "G4.0"}).text
    assert printed("probe", BISHOP, "--accrued", "G4.0", "--svg", folder=table_folder) == there
    code, _ = complaint("probe", BISHOP, "--svg", "--json", folder=table_folder)
    assert code == UsageError.exit_code
