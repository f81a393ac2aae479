"""Comments of ours behind the moves of a game: they go in and out, and every other byte stays."""

from __future__ import annotations

import pytest
from hypothesis import given

from tbgen.apps.games.edits import commented, tagged
from tbgen.apps.games.text import Chunk
from tests.apps.games.test_batch import OWN_LINE, files

PLAIN = (
    '[White "a"]\n\n'
    "{start} 1. e4! $1 $14 {best} e5 (1... c5 2. Nf3 {tbgen}) 2. Nf3?! Nc6 3.Bb5 a6 ; Ruy\n"
    "4. Ba4 *\n\n"
)
COMMENTS = {
    0: "G1.5 in 2 plies",
    1: "G1.5 in 1 ply",
    4: "-G0.5, reached; gives G1.5 away; Nf6 kept it",
    7: "x",
}


def with_comments(text: bytes, comments: dict[int, str]) -> bytes:
    chunk = Chunk(text)
    return b"".join([*(commented(game, comments) for game in chunk.games), chunk.rest()])


@pytest.mark.parametrize(
    "text", [PLAIN, PLAIN.replace("\n", "\r\n"), "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4", "1.e4 *"]
)
def test_comments_stand_behind_their_plies(text: str) -> None:
    once = with_comments(text.encode(), COMMENTS)
    assert once.count(b"{tbgen: ") == (4 if "Ba4" in text else 2)
    assert with_comments(once, {}) == text.encode()


@given(files())
def test_a_file_of_several_games_commented_twice_and_stripped_is_as_it_was(text: bytes) -> None:
    once = with_comments(text, COMMENTS)
    assert with_comments(once, COMMENTS) == once
    assert with_comments(once, {}) == text


@given(files())
def test_our_tags_follow_the_last_result_or_else_the_last_tag_and_every_other_byte_stays(
    text: bytes,
) -> None:
    for game in Chunk(text).games:
        once = tagged(game, {"RMobilityResult": "G3.5", "Points": "1/2-1/2"})
        assert OWN_LINE.sub(b"", once) == OWN_LINE.sub(b"", text[game.span])
        names = [
            line[1:].split()[0].decode() for line in once.splitlines() if line.startswith(b"[")
        ]
        first = names.index("RMobilityResult")
        assert names[first : first + 2] == ["RMobilityResult", "Points"]
        assert [
            name for name in names[first + 2 :] if "Result" not in names or name == "Result"
        ] == []
