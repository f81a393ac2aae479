"""Blocks that are solved at some cuts, against tables whose promotions are hidden."""

import itertools
import random
from pathlib import Path

import numpy as np
import pytest

from tbgen.closures.bounds import ANYTHING, Bound, Bracket, CutQuestion, Cuts
from tbgen.closures.closure import Closure
from tbgen.closures.closure_solver import ClosureSolver
from tbgen.closures.placements import RootNode, node_of
from tbgen.closures.policy import CutSearch, Way
from tbgen.closures.reading import Plane
from tbgen.closures.store import BlockStore
from tbgen.index.outcomes import ranks_of
from tbgen.material import Material
from tbgen.probe.opened import OpenTables
from tbgen.retro.words.block import bare_block, enter_block, find_legal
from tbgen.retro.words.geometry import geometry_of
from tbgen.score import Color, Score

SCORES = sorted(Score(code, color) for code in range(127) for color in Color)
MATES = (Score("G0.0"), Score("-G0.5"))


class Fewer(OpenTables):
    """The tables of fewer men: promotions are hidden."""

    men = 0

    def digest(self, material: Material) -> str:
        return super().digest(material) if material.men < self.men else ""


def bounds_of(name: str, tables: Path, folder: Path, file: int, *cuts: Cuts) -> np.ndarray:
    """[lower bound, value, upper bound][position] of the blocks with a pawn on a file.

    They are worths to White.
    """
    material = Material.parse(name).canonical()
    known = Fewer([tables], 1 << 20, outcomes_only=True)
    known.men = material.men
    way = Way(0, 0, 0, coarse_free=0)
    closures = [Closure(known, way, CutQuestion(bound, cuts[bound])) for bound in Bound]
    for closure, rank in itertools.product(closures, range(1, 7)):
        closure.add(RootNode(node_of(material, [rank * 8 + file])))
    lower_blocks, upper_blocks = (
        ClosureSolver(closure, BlockStore(folder)) for closure in closures
    )
    worths = list[np.ndarray]()
    for node in closures[0].blocks:
        block = bare_block(geometry_of(node.layout), node.layout.block_words)
        enter_block(block, 0, np.array(node.pawns, np.int64))
        find_legal(block, np.zeros(node.layout.others, np.int64), 0, node.layout.block_words)
        for side in range(2):
            lower = lower_blocks.plane(Plane(node, side, Bound.LOWER))
            value = known.plane(material, node.pawns, side)
            upper = upper_blocks.plane(Plane(node, side, Bound.UPPER))
            signed = np.stack([lower, value, upper]).astype(np.int64)
            legal = np.unpackbits(block.legal[side].view(np.uint8), bitorder="little") != 0
            worths.append(ranks_of(signed[:, legal]))
    known.close()
    return np.concatenate(worths, axis=1)


def test_bounds_by_mates_hold_the_mates_of_a_table(table_folder: Path, tmp_path: Path) -> None:
    for file in range(4):
        bounds = bounds_of("KPvK", table_folder, tmp_path, file, MATES[:1], MATES[:1])
        assert (np.diff(bounds, axis=0) >= 0).all()
        at_once, sooner_or_later, at_most = (bounds == Score("G0.0").rank).sum(axis=1)
        assert 0 < at_once < sooner_or_later == at_most, "nobody is saved after a promotion"


@pytest.mark.parametrize("cuts", ["G2.0", "G6.5 -G3.5", "G0.0 G1.5 G8.0 -G9.5 -G4.0 -G1.5 -G0.5"])
def test_bounds_are_no_closer_than_cuts_and_hold_every_value(
    table_folder: Path, tmp_path: Path, cuts: str
) -> None:
    scores = tuple(map(Score, cuts.split()))
    half = len(scores) // 2
    lower_cuts = scores[half:]
    upper_cuts = scores[: len(scores) - half]
    lower, value, upper = bounds_of("KPvK", table_folder, tmp_path, 2, lower_cuts, upper_cuts)
    possible = {cut.rank for cut in lower_cuts} | {Score("-G0.0").rank}
    assert set(lower.tolist()) <= possible
    assert (lower <= value).all()
    assert (value <= upper).all()
    for cut in scores:
        least, _, most = bounds_of("KPvK", table_folder, tmp_path, 2, (cut,), (cut,))
        is_at_least = least >= cut.rank
        is_below = most < cut.rank
        assert (is_at_least | is_below).mean() > 0.2
        if cut in lower_cuts:
            assert np.array_equal(lower >= cut.rank, is_at_least)
        if cut in upper_cuts:
            assert np.array_equal(upper < cut.rank, is_below)


def asked_of(
    ends: Bracket, within: Bracket, side: Color, *, singly: bool, both: bool = True
) -> tuple[Bracket, list[Cuts]]:
    """The bracket that a way finds, and the cuts that it asks with each bound."""
    tried: dict[Bound, Cuts] = dict.fromkeys(Bound, ())
    likely_bound = Bound.UPPER if side is Color.BLACK else Bound.LOWER
    while True:
        search = CutSearch(within, tried, side, {})
        question = search.next_question(asks_singly=singly, asks_both=lambda: both)
        if question is None:
            return within, [tried[bound] for bound in Bound]
        bound, cuts = question
        assert cuts
        for cut in cuts:
            assert within.lower < cut <= within.upper
            assert cut not in tried[bound]
        if not singly and bound is not likely_bound:
            assert ends.ends[bound - 1] in within.ends, "the likely one first"
        lower = within.lower
        upper = within.upper
        for cut in cuts:
            if bound is Bound.LOWER and cut <= ends.lower:
                lower = max(lower, cut)
            if bound is Bound.UPPER and cut > ends.upper:
                upper = min(upper, SCORES[SCORES.index(cut) - 1])
        within = Bracket(lower, upper)
        tried[bound] += cuts


@pytest.mark.parametrize("side", Color)
def test_cuts_find_one_bound_and_then_the_other_one(side: Color) -> None:
    for seed in range(12):
        ends = Bracket(*sorted(random.Random(seed).choices(SCORES[::7], k=2)))
        found, tried = asked_of(ends, ANYTHING, side, singly=False)
        assert found == ends
        assert len(tried[0] + tried[1]) < 80, "by parts"
        found, tried = asked_of(ends, ANYTHING, side, singly=False, both=False)
        assert found.ends[side] == ends.ends[side]
        assert len(tried[side.other]) < 2, "one proof"


def first_cuts(within: Bracket, side: Color | None, shares: dict[Score, float]) -> Cuts:
    """The first cuts that are asked between two bounds after the worst one of the lower bound."""
    tried: dict[Bound, Cuts] = {Bound.LOWER: (ANYTHING.lower,), Bound.UPPER: ()}
    question = CutSearch(within, tried, side, shares).next_question(
        asks_singly=False, asks_both=lambda: False
    )
    return question.cuts if question else ()


def test_positions_without_pawns_ask_the_same_cut_while_it_is_open() -> None:
    for seed in range(40):
        low, least, most, high = sorted(random.Random(seed).choices(SCORES, k=4))
        whole = first_cuts(Bracket(low, high), None, {})
        part = first_cuts(Bracket(least, most), None, {})
        assert len(whole) == (low < high)
        assert len(part) == (least < most)
        assert part == whole or not any(least < cut <= most for cut in whole)


@pytest.mark.parametrize(
    ("lower", "upper", "found", "asked"),
    [
        ("G3.0", "G3.0", "G3.0", ["", "G2.5"]),
        ("G2.0", "G2.0", "G2.0", ["G2.5 G2.0", "G2.5 G2.0 G1.5"]),
        ("G2.5", "G2.0", "G2.5 to G0.0", ["G2.5 G2.0", "G2.5 G2.0"]),
        ("G0.0", "G0.0", "G0.0", ["G2.5 G2.0 G1.5 G1.0 G0.5 G0.0"] * 2),
    ],
)
def test_a_way_that_asks_singly_asks_a_cut_of_both_bounds_before_the_next(
    lower: str, upper: str, found: str, asked: list[str]
) -> None:
    ends = Bracket(Score(lower), Score(upper))
    known = Bracket(Score("G3.0"), Score("G0.0"))
    within, tried = asked_of(ends, known, Color.WHITE, singly=True)
    assert str(within) == found
    assert [" ".join(map(str, cuts)) for cuts in tried] == asked
    flipped, _ = asked_of(ends.flipped(), known.flipped(), Color.BLACK, singly=True)
    assert str(flipped.flipped()) == found


def test_first_cuts_are_beside_what_is_common_in_tables_with_fewer_pawns(
    table_folder: Path,
) -> None:
    tables = OpenTables([table_folder], 1 << 20, outcomes_only=True)
    of_white, of_black, of_both = (
        tables.shares(Material.parse(name)) for name in ("KPPvK", "KvKPP", "KPvKP")
    )
    assert sum(of_white.values()) == pytest.approx(2.0, abs=5e-10)
    assert sum(of_both.values()) == pytest.approx(3.0, abs=5e-10), "bare kings count once"
    turned = {score.flipped(): share for score, share in of_white.items() if score.code}
    assert of_black == pytest.approx(turned)
    shares = {Score("-G2.0"): 0.6, Score("G3.0"): 0.1, Score("-G6.0"): 0.1}
    cuts = first_cuts(ANYTHING, Color.WHITE, shares)
    assert Score("-G2.5") in cuts
    assert Score("-G2.0") in cuts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KQvKP", "KRvKP", "KPvKB", "KPvKQ", "KBPvK"])
def test_bounds_of_four_men_hold_the_values_of_their_tables(
    four_men_folder: Path, tmp_path: Path, name: str
) -> None:
    mate = Score("G0.0").rank
    white_mates = MATES[:1]
    black_mates = MATES[1:]
    likely_of_white = (Score("G0.0"), Score("G2.0"))
    likely_of_black = (Score("-G2.5"), Score("-G0.5"))
    for file in range(4):
        proved = 0
        for cuts in (white_mates, black_mates):
            lower, value, upper = bounds_of(name, four_men_folder, tmp_path, file, cuts, cuts)
            assert (lower <= value).all()
            assert (value <= upper).all()
            proved += int(np.count_nonzero(lower == upper))
        certain = proved / np.count_nonzero(abs(value) == mate)
        assert (0.95 if name == "KQvKP" else 0) < certain <= 1
        lower, value, upper = bounds_of(
            name, four_men_folder, tmp_path, file, likely_of_black, likely_of_white
        )
        assert (lower <= value).all()
        assert (value <= upper).all()
