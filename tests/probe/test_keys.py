"""Which boards have a table."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import chess

from tbgen.board.board import words_of
from tbgen.material import Material
from tbgen.probe.keys import has_table, keys_of


def test_tables_are_asked_of_positions_without_castling_rights_whose_material_is_there() -> None:
    there = [Material.parse(name) for name in ("KvK", "KRvK", "KPvKP")]
    materials = keys_of(cast("Any", SimpleNamespace(available=lambda: there)))
    for fen, expected in {
        "4k3/8/8/8/8/8/8/4K2R w - - 0 1": True,
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1": False,
        "4k2r/8/8/8/8/8/8/4K3 w - - 0 1": True,
        "4k3/7p/8/8/8/8/P7/4K3 w - - 0 1": True,
        "4k3/8/8/8/8/8/8/4K2Q w - - 0 1": False,
        "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1": False,
    }.items():
        assert cast("Any", has_table).py_func(words_of(chess.Board(fen)), materials) == expected, fen
