#!/usr/bin/env python3
"""Draw ends of games in which the fifty-move rule leaves too few plies, and let the slow twin answer them.

    scripts/clock_ends.py --data DIR > tests/golden/clock_ends.csv

Three ends of each material, drawn with a fixed seed, whose value under the rule is not the table's.
They have 2, 3 and 4 plies left.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbgen.probe import Tablebase

ROOT = Path(__file__).resolve().parent.parent
NAMES = ["KBvKN", "KNNvK", "KNvKN", "KRvKN", "KRvKB", "KRvKR", "KQvKR", "KQvKQ", "KRvKP", "KNPvK", "KBPvK", "KPvKP"]
MOST_MOVES = {2: 30, 3: 30, 4: 10}
"""By plies left: the slow twin plays every line."""


def ends(tables: Tablebase, name: str) -> Iterator[str]:
    """Lines of the file."""
    from bench.probing import random_boards

    from tbgen.errors import AccruedError
    from tbgen.material import Material
    from tbgen.rules.position import own_score
    from tbgen.score import Color, Score
    from tests.apps.play.twin import said_by_twin

    chance, done = random.Random(f"ends {name}"), 0
    for board in random_boards(Material.parse(name), 900):
        plies, own = list(MOST_MOVES)[done], own_score(board)
        if own.code < 3:
            continue
        accrued = Score(chance.randrange(3, 13), chance.choice(list(Color))).after(own, reset=False)
        with contextlib.suppress(AccruedError):
            found = tables.probe(board, accrued)
            is_far = found.dtg is not None and found.dtg > plies and found.outcome != found.accrued.outcome
            if is_far and board.legal_moves.count() <= MOST_MOVES[plies]:
                board.halfmove_clock, board.fullmove_number = 100 - plies, 80
                fide, reset = (said_by_twin(tables, board, found.accrued, plies, how) for how in ("fide", "reset"))
                if {fide, reset} != {found.outcome}:
                    yield f"{board.fen()} {found.accrued},{plies},{found.outcome},{found.dtg},{fide},{reset}"
                    done += 1
        if done == len(MOST_MOVES):
            return


def main() -> None:
    from tbgen.probe import open_tablebase

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="tables of two to four men")
    print("fen,plies_left,table,dtg,fide,reset")
    with open_tablebase(parser.parse_args().data) as tables:
        for name in NAMES:
            for line in ends(tables, name):
                print(line, flush=True)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    main()
