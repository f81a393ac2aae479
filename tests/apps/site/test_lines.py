"""Lines as pages step through them, and both lines of a mutual zugzwang."""

from __future__ import annotations

import pytest

from tbgen.apps.pages.cards import changes_of, zugzwang_cards
from tbgen.apps.pages.records import Site
from tbgen.apps.records.record import Record, replay
from tbgen.errors import MoveError
from tbgen.probe import Tablebase
from tbgen.score import Color


def test_steps_take_a_pawn_in_passing_first_and_name_what_a_pawn_becomes() -> None:
    found = replay("8/8/8/8/1p6/8/P7/K1k5 w - - 0 1", ["a4", "bxa3", "Ka2"])
    assert found.steps == ("a2a4", "a4,b4a3", "a1a2")
    for letter in "NBRQ":
        assert replay("8/P7/8/8/8/8/8/K1k5 w - - 0 1", [f"a8={letter}"]).steps == (
            f"a7a8{letter.lower()}",
        )


def test_the_accrued_score_is_told_where_it_changes() -> None:
    found = replay("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", ["Ke5", "Kh4", "Kf4"])
    assert [str(each) for each in found.outcomes] == ["-G14.5", "G3.5", "G3.5", "G1.5"]
    assert changes_of(found.outcomes) == "0 -G14.5 1 G3.5 3 G1.5"


def test_a_line_that_cannot_be_played_is_refused_at_its_move() -> None:
    with pytest.raises(MoveError, match="Kh8") as caught:
        replay("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", ["Ke5", "Kh8"])
    assert caught.value.ply == 2
    assert replay("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", []).steps == ()


@pytest.fixture(scope="module")
def pawns(published: list[Record]) -> Record:
    return next(record for record in published if str(record.material) == "KPvK")


def test_best_play_reaches_what_either_side_to_move_is_worth(
    pawns: Record, tables: Tablebase
) -> None:
    cards = zugzwang_cards(pawns, tables)
    longest = pawns.zugzwangs.longest
    assert longest is not None
    values = longest.white, longest.black
    assert [card.side for card in cards] == list(Color)
    assert [(card.outcome, card.longest.dtg) for card in cards] == [
        (each.outcome, each.dtg) for each in values
    ]
    for card in cards:
        assert len(card.longest.moves) == card.longest.dtg
        assert replay(card.longest.fen, card.longest.moves).outcomes[-1] == card.outcome


def test_without_tables_there_are_boards_and_values(
    pawns: Record, published: list[Record], tables: Tablebase
) -> None:
    assert [card.longest.line for card in zugzwang_cards(pawns, None)] == [None, None]
    without = next(record for record in published if record.zugzwangs.longest is None)
    assert zugzwang_cards(without, None) == []
    five = next(
        record for record in published if record.zugzwangs.longest and record.material.men == 5
    )
    assert [card.longest.line for card in zugzwang_cards(five, tables)] == [None, None]


def test_a_page_plays_the_zugzwang_of_an_ending_with_tables(
    pawns: Record, tables: Tablebase
) -> None:
    for there, steps in ((None, 0), (tables, 2)):
        page = dict(Site([pawns], tables=there).files())["material/KPvK.html"]
        zugzwang = str(page).partition('id="lines"')[0]
        assert zugzwang.count('id="zugzwang-') == 2
        assert zugzwang.count('data-steps="') == steps
