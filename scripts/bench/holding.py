"""Holds: what frames and proofs take, and how many true holds of random positions each rung proves."""

from __future__ import annotations

import argparse
import dataclasses
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bench.probing import random_boards
from bench.solving import materials_wanted

if TYPE_CHECKING:
    import chess

    from tbgen.apps.hold.closure import Searcher, Tables
    from tbgen.apps.hold.goals import Goal
    from tbgen.apps.hold.strategy import Rung
    from tbgen.material import Material
    from tbgen.probe import Tablebase
    from tbgen.score import Accrued

MIDDLEGAME = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 10"
CLASSICS = {
    "Fine 70, Black to move": ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 0 1", "black", "a7", "a1"),
    "Fine 70, White to move": ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "black", "a7", "a1"),
    "b4 d4 against b5 d5": ("8/8/1k6/1p1p4/1P1P4/8/1K6/8 w - - 0 1", "white", "b2", "b6"),
    "queen's perpetual check": ("6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1", "white", "h5", "g8"),
    "wild rook": ("7k/R7/8/8/8/4p2p/4Pp1P/5K2 w - - 0 1", "white", "a7", "h8"),
    "shut chain": ("8/8/1p1k4/1Pp1p1p1/2PpPpPp/3P1P1P/1K6/8 w - - 0 1", "white", "b2", "d6"),
}


def least(work: Callable[[], object], turns: int = 5) -> float:
    """The fewest CPU milliseconds of several turns, kernels warm."""
    found = []
    for _ in range(turns):
        began = time.process_time_ns()
        work()
        found.append(time.process_time_ns() - began)
    return min(found) / 1e6


def holds(options: argparse.Namespace) -> None:
    """Frames, holds with their check, and all pairs of a middlegame."""
    print(f"CPU milliseconds, the least of {options.runs} turns")
    for name, (fen, side, b, c) in CLASSICS.items():
        show_hold(name, fen, side, (b, c), options.runs)
    show_pairs(options.runs)


def show_hold(name: str, fen: str, side_name: str, men: tuple[str, str], runs: int) -> None:
    """What a frame takes, and the hold with its check if there is one."""
    import chess

    from tbgen.apps.hold.frames import Pair, solve
    from tbgen.apps.hold.goals import not_mated
    from tbgen.apps.hold.ladder import hold
    from tbgen.rules.position import own_score
    from tbgen.score import Color

    board, side, pair = chess.Board(fen), Color[side_name.upper()], Pair(*map(chess.parse_square, men))
    what = board, not_mated(side), own_score(board), pair
    proof = hold(board, side, goal="draw", nodes=1000).proof
    frame = least(lambda: solve(*what), runs)
    print(f"{name:28} frame {frame:8.2f}", end="")
    if proof is not None:
        whole = least(lambda: hold(board, side, goal="draw"), runs)
        print(f"   with proof and check {whole:8.2f}, {proof.checked.positions} positions", end="")
    print(flush=True)


def show_pairs(runs: int) -> None:
    """What all pairs of a middlegame take, as `hold` looks at them and with every frame solved."""
    import chess

    from tbgen.apps.hold.frames import solve, survivors
    from tbgen.apps.hold.goals import not_mated
    from tbgen.apps.hold.pairs import all_pairs
    from tbgen.rules.position import own_score
    from tbgen.score import Color

    board, goal = chess.Board(MIDDLEGAME), not_mated(Color.WHITE)
    pairs, own = all_pairs(board, Color.WHITE), own_score(board)
    sifted = least(lambda: survivors(board, Color.WHITE, pairs), runs)
    solved = least(lambda: [solve(board, goal, own, pair) for pair in pairs], runs)
    print(f"middlegame, {len(pairs)} pairs: those that can last {sifted:.2f}, all frames solved {solved:.2f}")


class Case(NamedTuple):
    """A goal of a random position, and whether its side can reach it by the tables."""

    board: chess.Board
    accrued: Accrued
    goal: Goal
    is_true: bool


def proofs(options: argparse.Namespace) -> None:
    """Which share of true holds each rung proves with the tables of fewer men, and that nothing false is proved."""
    from tbgen.apps.hold.closure import Searcher, Tables
    from tbgen.apps.hold.strategy import Rung
    from tbgen.probe import open_tablebase

    searcher, rungs = Searcher(options.nodes), (Rung.FRAME, Rung.FRAME_TABLES, Rung.ONE_MAN)
    print(f"up to {options.nodes} nodes a search; per cent of true goals proved, false goals proved")
    print(f"{'':10} {'true':>6} {'false':>6}  {'  '.join(rung.value for rung in rungs)}")
    whole = Counter[str]()
    with open_tablebase(options.data, cache_bytes=1 << 30) as tables:
        there = Tables.of(tables)
        for material in materials_wanted(options):
            leant, seen = dataclasses.replace(there, most_men=material.men - 1), Counter[str]()
            for case in cases(tables, material, options.positions):
                if case.is_true and options.only_false:
                    continue
                kind = "true" if case.is_true else "false"
                seen[kind] += 1
                for rung in rungs:
                    proved = is_proved(searcher, None if rung is Rung.FRAME else leant, case, rung)
                    seen[f"{kind} {rung.value}"] += proved
            whole += seen
            show_proved(str(material), seen, rungs)
    show_proved("all", whole, rungs)


def show_proved(name: str, seen: Counter[str], rungs: Sequence[Rung]) -> None:
    """A line of figures."""
    shares = (100 * seen[f"true {rung.value}"] / max(1, seen["true"]) for rung in rungs)
    wrong = sum(seen[f"false {rung.value}"] for rung in rungs)
    print(f"{name:10} {seen['true']:6} {seen['false']:6}  {'  '.join(f'{each:5.1f}' for each in shares)}  {wrong}")


def cases(tables: Tablebase, material: Material, positions: int) -> Iterator[Case]:
    """For either side the best goal that it can reach, and better ones that what has accrued meets: the next, the best.

    And that it is not mated, in ordinary chess, with the position's own score.
    """
    from tbgen.apps.hold.goals import Goal, not_mated
    from tbgen.errors import AccruedError
    from tbgen.rules.position import own_score
    from tbgen.score import Accrued, Color, Outcome

    chance = random.Random(str(material))
    for board in random_boards(material, positions):
        own = own_score(board)
        given = Accrued(chance.randrange(2, 24), chance.choice(list(Color))).after(own, reset=False)
        for accrued in dict.fromkeys((own, given)):
            try:
                value = tables.probe(board, accrued).outcome
            except AccruedError:
                continue
            for side in Color:
                if accrued == own and not_mated(side).is_met_by(value) and not_mated(side).is_met_by(own):
                    yield Case(board, accrued, not_mated(side), True)
                if value.worth_to(side) >= accrued.worth_to(side):
                    yield Case(board, accrued, Goal(side, accrued.outcome), True)
                    continue
                yield Case(board, accrued, Goal(side, value), True)
                better = Outcome(value.holder, value.code + (-1 if value.holder is side else 1))
                for wanted in dict.fromkeys((better, accrued.outcome)):
                    yield Case(board, accrued, Goal(side, wanted), False)


def is_proved(searcher: Searcher, leant: Tables | None, case: Case, rung: Rung) -> bool:
    """Whether a rung proves a goal, with tables of fewer men to lean on, or none; its proof is checked."""
    from tbgen.apps.hold.check_large import check_large
    from tbgen.apps.hold.closure import Attempt, Found
    from tbgen.apps.hold.pairs import all_pairs
    from tbgen.apps.hold.strategy import Rung

    pairs = all_pairs(case.board, case.goal.side)
    whom = [(pair.b, None) for pair in pairs] if rung is Rung.ONE_MAN else [(pair.b, pair.c) for pair in pairs]
    for b, c in dict.fromkeys(whom):
        attempt = Attempt(rung, b, c)
        found = searcher.search(case.board, case.goal, case.accrued, attempt, leant, lambda _: None)
        if found is Found.HELD:
            strategy = searcher.strategy(case.board, case.goal, case.accrued, attempt)
            check_large(strategy, None if leant is None else leant.base)
            return True
    return False
