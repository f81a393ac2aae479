"""Boards: the map of one man by single probes, and pictures."""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import chess
import pytest

from tbgen.errors import InputError, UsageError
from tbgen.probe import Tablebase
from tbgen.score import Color, Score
from tests.cli.calls import complaint, printed
from tests.positions import BISHOP, random_board


def probed(
    tables: Tablebase, board: chess.Board, man: chess.Square, accrued: Score | None
) -> dict[str, dict[str, object] | None]:
    """The map of a man by a single probe of a new position for each square."""
    values = dict[str, dict[str, object] | None]()
    others = board.piece_map()
    moving = others.pop(man)
    for square in chess.SQUARES:
        name = chess.square_name(square)
        values[name] = None
        if square in others:
            continue
        moved = chess.Board(None)
        moved.set_piece_map({**others, square: moving})
        moved.turn = board.turn
        with contextlib.suppress(InputError):
            probe = tables.probe(moved, accrued)
            values[name] = {"outcome": str(probe.outcome), "dtg": probe.dtg}
    return values


def random_maps(
    tables: Tablebase, seed: int, number: int
) -> list[tuple[chess.Board, Score | None, int, Any]]:
    """Positions with a score that can have accrued and a man, and the map of the man."""
    draw = random.Random(seed)
    maps = list[tuple[chess.Board, Score | None, int, Any]]()
    while len(maps) < number:
        material = draw.choice(tables.available())
        board = random_board(draw, draw.choice((material, material.flipped())))
        accrued = draw.choice((None, Score(draw.randrange(3, 17, 2), draw.choice(list(Color)))))
        man = draw.choice(list(board.piece_map()))
        with contextlib.suppress(InputError):
            tables.probe(board, accrued)
            maps.append((board, accrued, man, probed(tables, board, man, accrued)))
    return maps


def test_the_map_of_the_tour_has_five_squares_on_which_the_king_stops_the_pawn(
    tables: Tablebase,
) -> None:
    board = chess.Board("8/8/3k4/8/3K4/3P4/8/8 b - - 0 1")
    outcomes = [
        str(each["outcome"]) for each in probed(tables, board, chess.D6, None).values() if each
    ]
    assert Counter(outcomes) == {"G0.0": 50, "G0.5": 5}


@pytest.mark.parametrize("more", [(), ("G4.0",)])
def test_a_picture_is_sound_and_says_the_verdict(more: tuple[str, ...], table_folder: str) -> None:
    drawing = printed("probe", BISHOP, "--svg", *more, folder=table_folder)
    words = ElementTree.fromstring(drawing).get("aria-label", "")
    assert words.startswith("White: Ke6, Bf5. Black: Kg5. White to move.")
    facts = json.loads(printed("probe", BISHOP, "--json", *more, folder=table_folder))
    assert facts["outcome"].replace("-", "−") in words
    code, _ = complaint("probe", BISHOP, "--svg", "--json", folder=table_folder)
    assert code == UsageError.exit_code
