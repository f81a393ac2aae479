"""Files of games: new tags, old bytes, the same order, and the same again."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.games.batch import (
    ChunkReport,
    GamesDecider,
    GamesTask,
    adjudicate_file,
    total,
)
from tbgen.apps.games.decide import Ground
from tbgen.apps.games.read import PgnGame
from tbgen.apps.games.rules import Continue, Rules
from tbgen.apps.games.tags import OWN_TAGS
from tbgen.apps.games.text import chunks_of
from tbgen.errors import InputFileError, PgnError
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import Scheme
from tests.apps.games.plain import pieces_of, plain
from tests.apps.games.test_compiled_reader import texts
from tests.project import S18, golden_rows
from tests.strategies import examples

OWN_LINE = re.compile(
    rb"(?:(?<=[\r\n])|\A)\[(?:" + "|".join(OWN_TAGS).encode() + rb') "[^"]*"\](?:\r\n|\n|\r)'
)


def decided(text: bytes, task: GamesTask | None = None, chunk_bytes: int = 1 << 20) -> bytes:
    """The text with the games in it decided; what is no text at all is not looked at."""
    written = list[bytes]()
    with (
        contextlib.suppress(PgnError),
        contextlib.closing(GamesDecider(GamesTask() if task is None else task)) as desk,
    ):
        chunks = chunks_of(pieces_of(text, chunk_bytes), "test.pgn")
        written.extend(desk.decide(chunk, "test.pgn").text for chunk in chunks)
    return b"".join(written)


def told(game: PgnGame | PgnError) -> object:
    """All that is not ours to change."""
    if isinstance(game, PgnError):
        return str(game), game.number, game.ply
    tags = {name: value for name, value in game.tags.items() if name not in OWN_TAGS}
    return tags, game.result, [ply.san for ply in game.replayed.plies], game.last


@examples(120)
@given(texts, st.sampled_from([1, 50, 1 << 20]))
def test_any_text_that_is_decided_tells_the_same_games_and_deciding_it_again_changes_nothing(
    text: bytes, chunk_bytes: int
) -> None:
    once = decided(text, chunk_bytes=chunk_bytes)
    before = plain(text)
    assert decided(once) == once
    if not (before and isinstance(before[-1], PgnError) and before[-1].number is None):
        assert [told(game) for game in plain(once)] == [told(game) for game in before]


LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
TAGS = {
    "RMobilityResult": "G3.5",
    "Points": "1-0",
    "RMobilityScoring": "harmonic",
    "Komi": "G2.25",
    "RMobilitySource": "game",
    "RMobilityTablebase": "KBvK 5",
    "White": "Åsa [1]",
    "Result": "1/2-1/2",
    "Annotator": "x",
}
OLD_TAGS = st.lists(
    st.sampled_from([f'[{name} "{value}"]' for name, value in TAGS.items()]), max_size=6
)
MOVES = st.sampled_from(
    [
        "1. e4 e5 {a [%clk 1] comment} 2. Nf3 $1 (2. f4 exf4) Nc6 *",
        "1/2-1/2",
        "% note\n1. d4 ; rest\n1-0",
        "1. Zz 1-0",
    ]
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Games with tags, ours among them, in any order and with any line ends."""
    written = []
    for number in range(draw(st.integers(1, 4))):
        tags = [f'[Event "game {number}"]', *draw(OLD_TAGS)]
        written.append(
            "\n".join(tags) + "\n" + draw(st.sampled_from(["", "\n", "\n\n"])) + draw(MOVES)
        )
    text = draw(st.sampled_from(["\n", "\n\n", "\n\n\n"])).join(written) + draw(
        st.sampled_from(["", "\n", "\n\n% end"])
    )
    return text.replace("\n", draw(LINE_ENDS)).encode(draw(st.sampled_from(["utf-8", "latin-1"])))


@examples(80)
@given(files())
def test_all_bytes_but_the_tags_of_a_decision_stay(text: bytes) -> None:
    once = decided(text)
    readable = [game for game in plain(text) if isinstance(game, PgnGame)]
    if len(readable) == len(plain(text)):
        assert OWN_LINE.sub(b"", once) == OWN_LINE.sub(b"", text)
    assert decided(once) == once
    for before, after in zip(plain(text), plain(once), strict=True):
        if isinstance(after, PgnGame) and not after.last.number:
            assert not set(OWN_TAGS) & after.tags.keys()  # nobody has moved: the sheet counts
        elif isinstance(after, PgnGame) and isinstance(before, PgnGame):
            assert after.tags["RMobilityResult"] == str(before.final)
            names = [name for name in after.tags if name in OWN_TAGS or name == "Result"]
            assert names[0] == ("Result" if "Result" in after.tags else "RMobilityResult")
        else:
            assert str(after) == str(before)


def moves_in(text: bytes) -> list[list[str]]:
    """The moves of every game of a text, all of which can be read."""
    moves = []
    for game in plain(text):
        assert isinstance(game, PgnGame)
        moves.append([ply.san for ply in game.replayed.plies])
    return moves


def tags_of(text: bytes, task: GamesTask) -> dict[str, str]:
    """The tags of the only game of a text when it has been decided, which it then stays."""
    once = decided(text, task)
    (game,) = plain(once)
    assert isinstance(game, PgnGame)
    assert decided(once, task) == once
    return dict(game.tags)


def test_new_tags_end_as_the_lines_of_their_game_do() -> None:
    _, second = decided(b'[Event "a"]\n\n1. e4 *\n\n[Event "b"]\r\n\r\n1. d4 *\r\n').split(
        b'[Event "b"]'
    )
    assert second.count(b"\n") == second.count(b"\r\n") > 3


def test_komi_and_the_fifty_move_rule_are_written_where_they_matter() -> None:
    text = b'[Event "a"]\n[Komi "G2.25"]\n[Legacy "1"]\n\n1. e4 *\n'
    tags = tags_of(text, GamesTask(Rules(scheme=Scheme.KOMI)))
    assert (tags["Komi"], tags["RMobilityScoring"], tags["Points"]) == ("G2.25", "komi", "0-1")
    assert "RMobilityFifty" not in tags
    assert "Komi" not in tags_of(text, GamesTask(Rules(scheme=Scheme.HARMONIC)))
    assert (
        tags_of(text, GamesTask(Rules(fifty_moves=FiftyMoveSetting.FIDE)))["RMobilityFifty"]
        == "fide"
    )


HELD = (
    b'[Event "held"]\n[Result "1/2-1/2"]\n[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]\n\n'
    b"30. Bh3 Kg6 1/2-1/2\n"
)


def test_a_game_is_continued_by_best_play_and_the_tags_say_so(table_folder: Path) -> None:
    tags = tags_of(HELD, GamesTask(tables=table_folder))
    assert (tags["RMobilityResult"], tags["RMobilitySource"]) == ("G1.5", "tablebase")
    assert re.fullmatch(r"KBvK [1-9]\d*", tags["RMobilityTablebase"])
    never = tags_of(HELD, GamesTask(rules=Rules(continued=Continue.NEVER), tables=table_folder))
    assert (never["RMobilitySource"], "RMobilityTablebase" in never) == ("game", False)


@pytest.mark.usefixtures("unbundled")
def test_what_is_skipped_and_what_lacks_a_table_is_counted(
    table_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(HELD.replace(b"G4.0", b"-G3.0") + HELD)
    whole = total(list(adjudicate_file(str(path), GamesTask(tables=table_folder))))
    assert (whole.games, [str(error) for error in whole.skipped]) == (
        1,
        [f"{path}, game 1: impossible accrued score '-G3.0': Black's king alone gives no check"],
    )
    path.write_bytes(HELD * 3 + b'\n[Event "b"]\n\n1. e4 *\n' + HELD.replace(b"1/2-1/2", b"1-0"))
    whole = total(list(adjudicate_file(str(path), GamesTask(tables=tmp_path, texts=False))))
    assert (whole.games, whole.size, whole.missing) == (5, path.stat().st_size, {"KBvK": 3})
    assert whole.grounds == {Ground.PROVISIONAL: 3, Ground.RESULT: 1}
    assert whole.unfinished == 1


def test_an_error_of_the_whole_file_comes_after_its_games(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(gzip.compress((b"1. d4 {" + b"b" * 5000 + b"} *\n") * 60)[:-4])
    parts: list[ChunkReport] = []
    with pytest.raises(InputFileError, match="cut short"):
        parts.extend(adjudicate_file(str(path), GamesTask()))
    assert total(parts).games > 20


def test_the_published_games_keep_their_published_scores() -> None:
    facts = [
        json.loads(fact)
        for part in adjudicate_file(str(S18), GamesTask(texts=False, facts=True))
        for fact in part.facts
    ]
    for game, row in zip(facts, golden_rows("tcec_s18.csv"), strict=True):
        assert [game["event"], game["round"], game["white"], game["black"]] == list(row.values())[
            :4
        ]
        assert (game["accrued"], str(game["reached_at_ply"])) == (
            row["accrued_at_end"],
            row["reached_at_ply"],
        )
        winner = {"1-0": "G0.0", "0-1": "-G0.0"}.get(game["result"])
        assert game["final"] == (winner or row["accrued_at_end"])
        assert game["source"] == ("game" if winner is None else "result")


FIFTY = """[White "a"]
[Black "b"]
[Result "1/2-1/2"]
[TerminationDetails "Fifty moves rule"]
[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - {clock} 30 G5.5"]

30. Ke5 Kh4 1/2-1/2
"""


@pytest.mark.parametrize(
    ("clock", "setting", "final", "source", "written"),
    [
        (98, None, "G3.5", "game", "fide"),
        (98, FiftyMoveSetting.FIDE, "G3.5", "game", "fide"),
        (98, FiftyMoveSetting.RESET, "G1.5", "tablebase", None),
        (90, None, "G1.5", "tablebase", None),  # the tag does not hold under any rule
    ],
)
def test_a_draw_by_the_fifty_move_rule_is_scored_by_it_where_the_tags_say_so(
    table_folder: Path,
    clock: int,
    setting: FiftyMoveSetting | None,
    final: str,
    source: str,
    written: str | None,
) -> None:
    task = GamesTask(Rules(fifty_moves=setting), tables=table_folder)
    tags = tags_of(FIFTY.format(clock=clock).encode(), task)
    found = tags["RMobilityResult"], tags["RMobilitySource"], tags.get("RMobilityFifty")
    assert found == (final, source, written)


class Uncopied(list[str]):
    """A list that is added to nothing, for each sum would copy all before it."""

    __add__ = __radd__ = None  # type: ignore[assignment]


def test_figures_of_parts_are_added_in_one_pass() -> None:
    parts = [
        ChunkReport(
            contradicted=Uncopied([str(number)]), games=1, grounds=Counter({Ground.BOARD: 1})
        )
        for number in range(3)
    ]
    whole = total(iter(parts))
    assert (whole.contradicted, whole.games, whole.grounds) == (
        ["0", "1", "2"],
        3,
        {Ground.BOARD: 3},
    )
    assert [part.contradicted for part in parts] == [["0"], ["1"], ["2"]]


ENDED = """[White "a"]
[Black "b"]
[Result "1-0"]
[RMobilityResult "G0.0"]
[RMobilitySource "tablebase"]
{table}[FEN "8/8/8/8/8/1k6/7Q/1K6 w - - 3 30"]

1-0
"""


@pytest.mark.parametrize("table", ['[RMobilityTablebase "KQvK 3"]\n', ""])
@pytest.mark.parametrize("folder", [True, False])
def test_a_game_that_the_tables_of_a_match_ended_keeps_its_source(
    table_folder: Path, table: str, folder: bool
) -> None:
    tags = tags_of(
        ENDED.format(table=table).encode(), GamesTask(tables=table_folder if folder else None)
    )
    assert tags["RMobilitySource"] == "tablebase"
    assert tags.get("RMobilityTablebase") == ("KQvK 3" if table else None)


def test_a_win_that_contradicts_the_tags_of_a_match_is_the_result(table_folder: Path) -> None:
    text = (
        ENDED.format(table='[RMobilityTablebase "KQvK 3"]\n').replace('"G0.0"', '"G0.5"').encode()
    )
    tags = tags_of(text, GamesTask(tables=table_folder))
    assert (tags["RMobilityResult"], tags["RMobilitySource"], tags.get("RMobilityTablebase")) == (
        "G0.0",
        "result",
        None,
    )
