"""The search at the end of the clock: how many random positions it answers, and what it takes."""

from __future__ import annotations

import argparse
import random
import time
from typing import TYPE_CHECKING

from bench.probing import random_boards
from bench.solving import materials_wanted

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

    from tbgen.material import Material
    from tbgen.probe import Probe, Tablebase

CODES = range(3, 13)
"""Accrued scores are drawn from G1.5 to G6.0, for either side."""


def clock(options: argparse.Namespace) -> None:
    """Search random positions of each material in which the table's value is not the accrued score."""
    from tbgen.apps.play.plies import search
    from tbgen.probe import open_tablebase
    from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting

    rule = FiftyMoves(FiftyMoveSetting(options.fifty))
    print(f"{rule.setting.value}, {options.plies} plies left; CPU seconds")
    print(f"{'material':10} {'positions':>9} {'answered':>8} {'mean':>8} {'most':>8} {'states':>9}")
    with open_tablebase(options.data, cache_bytes=1 << 30) as tables:
        for material in materials_wanted(options):
            answered, seconds, states = 0, list[float](), 0
            for board, probe in open_ends(tables, material, options.positions):
                began = time.process_time()
                found = search(tables, board, probe, options.plies, rule)
                seconds.append(time.process_time() - began)
                answered += found is not None
                states = max(states, 0 if found is None else found.states)
            mean = sum(seconds) / len(seconds)
            print(
                f"{material!s:10} {len(seconds):9} {answered:8} {mean:8.3f} {max(seconds):8.3f} {states:9}", flush=True
            )


def open_ends(tables: Tablebase, material: Material, wanted: int) -> Iterator[tuple[chess.Board, Probe]]:
    """Seeded positions with accrued scores that somebody can better."""
    from tbgen.errors import AccruedError
    from tbgen.rules.position import own_score
    from tbgen.score import Accrued, Color

    chance, found = random.Random(str(material)), 0
    for board in random_boards(material, 20 * wanted):
        accrued = Accrued(chance.choice(CODES), chance.choice(list(Color))).after(own_score(board), reset=False)
        try:
            probe = tables.probe(board, accrued)
        except AccruedError:
            continue
        if probe.outcome != accrued.outcome:
            yield board, probe
            found += 1
            if found == wanted:
                return
