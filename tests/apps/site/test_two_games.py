"""The page and the picture that compare two games, from what `tbgen study compare -o` writes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tbgen.apps.records.record import Record
from tbgen.apps.records.two_games import totals_of
from tbgen.apps.site.pages import write_site
from tbgen.apps.site.two_games import draw_games, write_games_page
from tbgen.errors import UsageError
from tests.apps.site.faults import faults_of

FACTS = {
    "tables": [
        {
            "material": "KBvK",
            "positions": 417228,
            "differing": 20000,
            "better_for_white": 5000,
            "better_for_black": 15000,
            "other_holder": 10000,
            "points_to_white": -0.0012,
            "points_where_differing": 0.05,
            "resets": {"capture frees": 30, "only threatened": 10},
        },
        {
            "material": "KvK",
            "positions": 7224,
            "differing": 0,
            "better_for_white": 0,
            "better_for_black": 0,
            "other_holder": 0,
            "points_to_white": 0.0,
            "points_where_differing": 0.0,
            "resets": {},
        },
    ],
    "longest": {
        "r-mobility": [
            {
                "outcome": "G1.5",
                "material": "KBvK",
                "fen": "8/8/8/4KBk1/8/8/8/8 b - - 0 1",
                "dtg": 2,
                "line": "Kh4 Kf4",
                "other": {"outcome": "G1.5", "dtg": 2},
            }
        ],
        "whole-game": [],
    },
    "positions": [
        {
            "material": "KBvK",
            "fen": "8/8/8/8/8/1k6/2B5/5K2 b - - 0 1",
            "r_mobility": {"outcome": "-G1.5", "dtg": 3, "line": "Kxc2 Ke2 Kc3"},
            "whole_game": {"outcome": "G1.5", "dtg": 0, "line": ""},
            "reset": "capture frees, ply 1: Kxc2",
        }
    ],
}


def test_the_page_has_every_table_and_position(tmp_path: Path) -> None:
    write_games_page(FACTS, tmp_path / "games.html")
    page = (tmp_path / "games.html").read_text()
    assert "KBvK" in page
    assert "4.79&nbsp;%" in page
    assert "1...Kxc2 2.Ke2 Kc3" in page


def test_the_page_is_sound_and_no_link_of_a_site_is_dead(some: list[Record], tmp_path: Path) -> None:
    write_site(some[:2], tmp_path)
    write_games_page(FACTS, tmp_path / "games.html")
    assert faults_of(tmp_path) == []


def test_other_pages_of_a_site_lead_to_the_page(some: list[Record], tmp_path: Path) -> None:
    write_site(some[:2], tmp_path)
    assert "games.html" not in (tmp_path / "index.html").read_text()
    write_games_page(FACTS, tmp_path / "games.html")
    write_site(some[:2], tmp_path)
    assert '<a href="games.html">' in (tmp_path / "records.html").read_text()
    assert faults_of(tmp_path) == []


def test_tables_are_added_up_by_men() -> None:
    two, three = totals_of(FACTS)
    assert (two.name, two.tables, two.positions, two.shares) == ("2", 1, 7224, (0, 0, 0, 0))
    assert (three.name, three.shares[0]) == ("3", 20000 / 417228)


def test_the_picture_is_xml_and_leaves_out_tables_that_do_not_differ(tmp_path: Path) -> None:
    path = tmp_path / "games.svg"
    draw_games(FACTS, path)
    texts = [element.text for element in ET.parse(path).iter() if element.tag.endswith("text")]
    assert "KBvK" in texts
    assert "KvK" not in texts


def test_a_picture_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        draw_games(FACTS, tmp_path / "games.png")
