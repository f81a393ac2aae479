"""Endings are found as players write them, in the explorer and on pages of records alike."""

from __future__ import annotations

from tbgen.apps.pages.boards import ending_in_words
from tbgen.material import Material
from tests.apps.site import node

pytestmark = node.NEEDED

NAMES = (
    "KvK",
    "KBvK",
    "KNvK",
    "KPvK",
    "KPvKP",
    "KQvK",
    "KRvKB",
    "KBvKN",
    "KRvKN",
    "KBBvKN",
    "KRPvKR",
    "KRPvKRP.pairs",
)
FOUND = {
    "": NAMES,
    "kp": ("KPvK", "KPvKP"),
    "KvKB": ("KBvK",),
    "kkb": ("KBvK",),
    "knkr": ("KRvKN",),
    "Rook against knight": ("KRvKN",),
    "king against Bishops": ("KBvK",),
    "bishop ending": ("KBvK",),
    "pawns": ("KPvK", "KPvKP"),
    "queens": ("KQvK",),
    "two bare": ("KvK",),
    "elephant": (),
    "KRPvKRP": ("KRPvKRP.pairs",),
    "rook and pawn against rook and pawn": ("KRPvKRP.pairs",),
    "pairs": ("KRPvKRP.pairs",),
    "face to face": ("KRPvKRP.pairs",),
    "rook ending": ("KRPvKR", "KRPvKRP.pairs"),
    "knight against two bishops": ("KBBvKN",),
    "bishop v knight": ("KBvKN",),
    "RP v R": ("KRPvKR",),
    "K+R v K+B": ("KRvKB",),
}
"""[what is asked] -> the endings."""
FINDS = """import { endingInWords } from './chess.js';
import './finder.js';

({ names, asked }) => asked.map((text) => {
  const isAskedFor = globalThis.endingsAskedFor(text);
  return names.filter((name) => isAskedFor(name, endingInWords(name)));
})"""
WORDS = """import { endingInWords } from './chess.js';

(names) => names.map(endingInWords)"""


def test_an_ending_is_found_by_its_name_its_men_and_in_words() -> None:
    found = node.run(FINDS, {"names": NAMES, "asked": list(FOUND)})
    assert dict(zip(FOUND, map(tuple, found), strict=True)) == FOUND


def test_endings_have_the_names_that_python_gives_them() -> None:
    names = [*NAMES, "KQQQvK", "KBNPPvK", "KvKQR", "KPPPvKPP"]
    expected = [ending_in_words(Material.parse(name)) for name in names]
    assert node.run(WORDS, names) == expected
