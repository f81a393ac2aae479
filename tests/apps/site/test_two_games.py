"""The page that compares two games, from the file that the repository publishes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.apps.records.record import Record
from tbgen.apps.records.two_games import FILE, Comparison, read_comparison
from tbgen.apps.site.pages import Site, totals_of, write_site
from tests.apps.site.faults import faults_of
from tests.project import RECORDS


@pytest.fixture(scope="module")
def games() -> Comparison:
    return read_comparison(RECORDS / FILE)


def test_the_page_is_sound_and_others_lead_to_it(some: list[Record], games: Comparison, tmp_path: Path) -> None:
    write_site(Site(some[:2], games=games), tmp_path)
    assert faults_of(tmp_path) == []
    assert '<a href="games.html">' in (tmp_path / "records.html").read_text()
    page = (tmp_path / "games.html").read_text()
    assert page.count("<figure") == len(games.positions)
    assert all(f">{table.material}<" in page for table in games.tables)
    assert "29.19&nbsp;%" in page
    assert "1... Qxb1+" in page
    assert read_comparison(tmp_path / "data" / FILE) == games


def test_tables_are_added_up_by_men(games: Comparison) -> None:
    """The sums that were published with exact counts."""
    sums = {each["men"]: (each["tables"], each["positions"], *each["shares"]) for each in totals_of(games.tables)}
    expected = {
        2: (1, 7_224, 0, 0, 0, 0),
        3: (5, 1_945_584, 0.0524, 0.0051, 0.0473, 0.0269),
        4: (30, 621_706_550, 0.0422, 0.0115, 0.0307, 0.0109),
        5: (110, 120_150_762_280, 0.0545, 0.0218, 0.0326, 0.0169),
    }
    assert sums == {men: pytest.approx(figures, abs=1e-4) for men, figures in expected.items()}
