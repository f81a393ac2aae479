"""What docs/results.md says is what the records of the repository and its games give."""

from __future__ import annotations

import json
import re

from tbgen.apps.games.batch import GamesTask, adjudicate_file
from tbgen.apps.pages.cards import best_cards
from tbgen.apps.pages.records import Drawn, drawn_in
from tbgen.apps.records.record import Record
from tbgen.men import own_men
from tbgen.score import Color, Score
from tests.own_men import MEN
from tests.project import RECORDS, ROOT, S18, golden_rows

OWN = RECORDS / "own-men.json"

PAGE, ADJUDICATION, RESEARCH = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("docs/results.md", "docs/adjudication.md", "research/README.md")
)


def rows(pattern: str) -> list[tuple[str, ...]]:
    return re.findall(rf"^\| {pattern} \|$", PAGE, re.MULTILINE)


def decided(drawn: Drawn, code: int) -> str:
    return f"{100 * drawn.decided(code) / drawn.positions:.1f}"


def test_the_longest_lines_are_those_of_the_records(published: list[Record]) -> None:
    best = best_cards(published)
    expected = [
        (
            str(outcome),
            str(card.longest.dtg),
            str(card.material),
            str(card.side),
            card.longest.fen.split()[0],
        )
        for outcome, card in best.items()
    ]
    shown = rows(r"`(-?G[0-9.]+)` \| ([0-9]+) \| (\w+) \| (White|Black) \| `(\S+)`")
    assert [row for row in expected if row in shown] == shown
    assert f"selected scores, {len(shown)} of {len(best)}." in PAGE
    longest = max(best.values(), key=lambda card: card.longest.dtg)
    assert (str(longest.material), str(longest.outcome), longest.longest.dtg) == (
        "KQPvKQ",
        "G4.5",
        553,
    )
    assert "takes 553 plies: with queen and pawn against queen, White holds Black to `G4.5`" in PAGE


def test_drawn_positions_are_those_of_the_records(published: list[Record]) -> None:
    every = drawn_in(published)
    assert f"hold {every.all:,} positions" in PAGE
    assert f"{100 * every.positions / every.all:.1f} % of all positions have no winner" in PAGE
    assert [share for _, share in rows(r"`(G\d\.5)`[^|]* \| ([0-9.]+) %")] == [
        decided(every, code) for code in (1, 3, 7)
    ]
    endings = {str(record.material): drawn_in([record]) for record in published}
    shown = rows(r"(K\w+) \| ([0-9.]+) % \| ([0-9.]+) % \| ([0-9.]+) % \| ([0-9.]+) %")
    assert len(shown) == 7
    for name, share, *shares in shown:
        drawn = endings[name]
        assert f"{100 * drawn.positions / drawn.all:.1f}" == share
        assert [decided(drawn, code) for code in (1, 3, 7)] == shares


def test_the_figures_of_ones_own_men_are_those_of_the_study() -> None:
    published = {
        each["material"]: each for each in json.loads(OWN.read_text())["endings"].values()
    } | {
        name.partition(",")[0]: each
        for name, each in json.loads(OWN.read_text())["endings"].items()
        if each["bishops"] == "both colours"
    }
    shown = rows(r"(K\w+) \| ([\w, ]+) \| ([a-z ]+) \| ([0-9.]+) % \| ([0-9.]+) % \| (none|[0-9]+)")
    assert len(shown) == 10
    for name, _, rule, mates, stalemates, longest in shown:
        each = published[name]
        shares = [
            f"{100 * each['shares']['white_to_move']['white'][score]:.1f}"
            for score in ("G0.0", "G0.5")
        ]
        assert [rule, mates, stalemates, longest] == [
            each["rule"],
            *shares,
            str(each["longest_mate"] or "none"),
        ]
    assert own_men(re.findall(r"--man (\w=\w+)", RESEARCH)) == MEN


def test_longest_wins_of_others_stand_beside_ours() -> None:
    """Ours are in the study's file, but for men that it has not (tests/library/test_own_men.py)."""
    published = {row["material"]: row for row in golden_rows("fairy_endings.csv")}
    study = {
        each["material"]: each["longest_mate"]
        for each in json.loads(OWN.read_text())["endings"].values()
    }
    shown = re.findall(r"^\* (K\w+)(?:, \w+)?: \[(\d+)( c)?\]\((\S+)\), (\d+)$", PAGE, re.MULTILINE)
    assert [name for name, *_ in shown] == list(published)
    for name, moves, mark, source, ours in shown:
        row = published[name]
        assert (moves, bool(mark), source) == (
            row["moves"],
            row["counted_to"] == "capture",
            row["source"],
        )
        assert 0 <= int(ours) - int(moves) <= 16 * bool(mark)
        assert (study.get(name, 2 * int(ours)) + 1) // 2 == int(ours)


def test_the_games_differ_as_often_as_their_tables() -> None:
    tables = json.loads((RECORDS / "two-games.json").read_text())["tables"]
    differing = sum(table["shares"]["differing"] * table["positions"] for table in tables)
    assert f"value {100 * differing / sum(table['positions'] for table in tables):.1f} %" in PAGE


def test_the_games_are_decided_as_the_pages_say() -> None:
    """The drawn ones on this page, two others on that about adjudication."""
    facts = [
        json.loads(fact)
        for part in adjudicate_file(str(S18), GamesTask(texts=False, facts=True))
        for fact in part.facts
    ]
    fields = ("round", "white", "black", "result", "final", "source")
    found = [(each["event"][-8:], *(each[name] for name in fields)) for each in facts]
    shown = re.findall(
        r"^\* \*(League \d), ([\d.]+), (\w+) - (\w+), (\S+)\*: `(\S+)`, `(\w+)`", ADJUDICATION, re.M
    )
    assert len(shown) == 2
    for event, number, white, black, result, final, source in shown:
        (game,) = (each for each in found if each[:2] == (event, number))
        assert (game[2].startswith(white), game[3].startswith(black)) == (True, True)
        assert (game[4] == "1/2-1/2") == (result == "drawn")
        assert game[5:] == (final, source)
    drawn = sorted(
        (Score(each["final"]) for each in facts if each["result"] == "1/2-1/2"),
        key=lambda score: score.code,
    )
    assert (len(facts), len(drawn), sum(each.holder is Color.WHITE for each in drawn)) == (
        20,
        12,
        8,
    )
    assert f"from `{drawn[0]}` (Nemorino" in PAGE
    assert f"to `{drawn[-1]}`" in PAGE
