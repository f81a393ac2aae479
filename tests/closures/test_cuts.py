"""Blocks that are solved at some cuts, against tables whose promotions are hidden."""

import itertools
import random
from pathlib import Path

import numpy as np
import pytest

from tbgen.closures.blocks import SolvedBlocks
from tbgen.closures.bracket import ANYTHING, Bracket
from tbgen.closures.closure import Closure
from tbgen.closures.cuts import Bound, CutQuestion, Cuts
from tbgen.closures.folder import BlockFolder
from tbgen.closures.nodes import node_of
from tbgen.closures.policy import CutSearch
from tbgen.closures.ways import Way
from tbgen.index.outcomes import worth_to_white
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
    """[lower bound, value, upper bound][position] of the blocks with a pawn on a file, as they are
    worth to White.
    """
    material, found = Material.parse(name).canonical(), list[np.ndarray]()
    known = Fewer([tables], 1 << 20, outcomes_only=True)
    known.men = material.men
    closures = [
        Closure(known, Way(0, 0, 0, coarse_free=0), CutQuestion(bound, cuts[bound]))
        for bound in Bound
    ]
    for closure, rank in itertools.product(closures, range(1, 7)):
        closure.add(node_of(material, [rank * 8 + file]))
    blocks = [SolvedBlocks(closure, BlockFolder(folder)) for closure in closures]
    for node in closures[0].blocks:
        block = bare_block(geometry_of(node.layout), node.layout.block_words)
        enter_block(block, 0, np.array(node.pawns, np.int64))
        find_legal(block, np.zeros(node.layout.others, np.int64), 0, node.layout.block_words)
        for side in range(2):
            lower, upper = (blocks[bound].plane(node, side, bound) for bound in Bound)
            values = np.stack([lower, known.plane(material, node.pawns, side), upper]).astype(
                np.int64
            )
            legal = np.unpackbits(block.legal[side].view(np.uint8), bitorder="little") != 0
            found.append(worth_to_white(values[:, legal]))
    known.close()
    return np.concatenate(found, axis=1)


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
    some, half = tuple(map(Score, cuts.split())), len(cuts.split()) // 2
    lower, value, upper = bounds_of(
        "KPvK", table_folder, tmp_path, 2, some[half:], some[: len(some) - half]
    )
    assert {*lower.tolist()} <= {Score("-G0.0").rank, *(cut.rank for cut in some[half:])}
    assert ((lower <= value) & (value <= upper)).all()
    alone = {cut: bounds_of("KPvK", table_folder, tmp_path, 2, (cut,), (cut,)) for cut in some}
    assert all(
        ((least >= cut.rank) | (most < cut.rank)).mean() > 0.2
        for cut, (least, _, most) in alone.items()
    )
    assert all(((lower >= cut.rank) == (alone[cut][0] >= cut.rank)).all() for cut in some[half:])
    assert all(
        ((upper < cut.rank) == (alone[cut][2] < cut.rank)).all() for cut in some[: len(some) - half]
    )


def asked_of(
    ends: Bracket, within: Bracket, promoter: Color, *, singly: bool, both: bool = True
) -> tuple[Bracket, list[Cuts]]:
    """What a way makes of a bracket, and the cuts that it asks with each bound."""
    tried: dict[Bound, Cuts] = dict.fromkeys(Bound, ())
    while True:
        search = CutSearch(within, tried, promoter, {})
        question = search.next_question(asks_singly=singly, asks_both=both)
        if question is None:
            return within, [tried[bound] for bound in Bound]
        bound, cuts = question
        assert cuts
        assert all(within.lower < cut <= within.upper and cut not in tried[bound] for cut in cuts)
        assert (
            singly
            or (bound is Bound.UPPER) == (promoter is Color.BLACK)
            or ends.ends[bound - 1] in within.ends
        ), "the likely one first"
        least = [cut for cut in cuts if cut <= ends.lower and bound is Bound.LOWER]
        most = [
            SCORES[SCORES.index(cut) - 1]
            for cut in cuts
            if cut > ends.upper and bound is Bound.UPPER
        ]
        within = Bracket(max([within.lower, *least]), min([within.upper, *most]))
        tried[bound] += cuts


@pytest.mark.parametrize("promoter", Color)
def test_cuts_find_one_bound_and_then_the_other_one(promoter: Color) -> None:
    for seed in range(200):
        ends = Bracket(*sorted(random.Random(seed).choices(SCORES[::7], k=2)))
        found, tried = asked_of(ends, ANYTHING, promoter, singly=False)
        assert (found, len(tried[0] + tried[1]) < 80) == (ends, True), "by parts"
        found, tried = asked_of(ends, ANYTHING, promoter, singly=False, both=False)
        assert (found.ends[promoter], len(tried[promoter.other]) < 2) == (
            ends.ends[promoter],
            True,
        ), "one proof"


def first_cuts(within: Bracket, promoter: Color | None, shares: dict[Score, float]) -> Cuts:
    """The first cuts that are asked between two bounds, of which another way has found the likely
    one or not.
    """
    tried: dict[Bound, Cuts] = {Bound.LOWER: (ANYTHING.lower,), Bound.UPPER: ()}
    question = CutSearch(within, tried, promoter, shares).next_question(
        asks_singly=False, asks_both=False
    )
    return question.cuts if question else ()


def test_positions_without_pawns_ask_the_same_cut_while_it_is_open() -> None:
    for seed in range(200):
        low, least, most, high = sorted(random.Random(seed).choices(SCORES, k=4))
        whole = first_cuts(Bracket(low, high), None, {})
        part = first_cuts(Bracket(least, most), None, {})
        assert (len(whole), len(part)) == (low < high, least < most)
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
    ends, known = Bracket(Score(lower), Score(upper)), Bracket(Score("G3.0"), Score("G0.0"))
    within, tried = asked_of(ends, known, Color.WHITE, singly=True)
    assert (str(within), [" ".join(map(str, cuts)) for cuts in tried]) == (found, asked)
    assert (
        str(asked_of(ends.flipped(), known.flipped(), Color.BLACK, singly=True)[0].flipped())
        == found
    )


def test_first_cuts_are_beside_what_is_common_in_tables_with_fewer_pawns(
    table_folder: Path,
) -> None:
    tables = OpenTables([table_folder], 1 << 20, outcomes_only=True)
    shares, turned, both = (
        tables.shares(Material.parse(name)) for name in ("KPPvK", "KvKPP", "KPvKP")
    )
    assert [round(sum(each.values()), 9) for each in (shares, both)] == [2.0, 3.0], (
        "bare kings count once"
    )
    assert turned == pytest.approx(
        {score.flipped(): share for score, share in shares.items() if score.code}
    )
    some = {Score("-G2.0"): 0.6, Score("G3.0"): 0.1, Score("-G6.0"): 0.1}
    assert {Score("-G2.5"), Score("-G2.0")} <= {*first_cuts(ANYTHING, Color.WHITE, some)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KQvKP", "KRvKP", "KPvKB", "KPvKQ", "KBPvK"])
def test_bounds_of_four_men_hold_the_values_of_their_tables(
    four_men_folder: Path, tmp_path: Path, name: str
) -> None:
    mate, likely = (
        Score("G0.0").rank,
        (Score("G0.0"), Score("G2.0"), Score("-G2.5"), Score("-G0.5")),
    )
    for file in range(4):
        asked = [MATES[:1]] * 2, [MATES[1:]] * 2, (likely[2:], likely[:2])
        bounds = [bounds_of(name, four_men_folder, tmp_path, file, *cuts) for cuts in asked]
        assert all(((lower <= value) & (value <= upper)).all() for lower, value, upper in bounds)
        certain = (
            sum((lower == upper).sum() for lower, _, upper in bounds[:2])
            / (abs(bounds[0][1]) == mate).sum()
        )
        assert (0.95 if name == "KQvKP" else 0) < certain <= 1
