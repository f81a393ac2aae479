"""A client in JavaScript, which reads no score as text."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tbgen.material import materials
from tbgen.probe import Tablebase
from tests.positions import random_boards

NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_a_client_in_javascript_sorts_positions_and_moves_by_rank(server: str, tables: Tablebase) -> None:
    boards = [board for board in random_boards(7, 30, materials(3)) if any(board.legal_moves)]
    fens = [*(board.fen() for board in boards), "no position"]
    command = [str(NODE), str(Path(__file__).with_name("client.mjs")), server]
    found = json.loads(
        subprocess.run(command, input=json.dumps(fens), capture_output=True, text=True, check=True).stdout
    )
    answers = {board.fen(): tables.probe(board) for board in boards}
    outcomes = [answers[each["fen"]].outcome for each in found]
    assert len(found) == len(boards)
    assert outcomes == sorted(outcomes, reverse=True)
    kept = {board.fen(): {each.move.uci() for each in tables.probe_moves(board) if each.keeps} for board in boards}
    for each, outcome in zip(found, outcomes, strict=True):
        assert (each["holder"], each["moves"], each["check"]) == (
            str(outcome.holder).lower(),
            outcome.moves,
            outcome.check,
        )
        assert set(each["best"]) == kept[each["fen"]]
