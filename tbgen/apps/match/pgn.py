"""A game of a match as PGN: its tags and the comments behind its moves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise, takewhile
from typing import Final

from tbgen.apps.games.tags import write_tags
from tbgen.apps.games.writing import format_game, numbered
from tbgen.apps.match.info import Info
from tbgen.apps.match.sheet import ADJUDICATION, Sheet
from tbgen.rules.game import Ply
from tbgen.text import cleaned

TAG_LENGTH = 255
"""The longest value of a tag that the PGN standard asks programs to read."""


_NUMBERS: Final = {
    "nodes": "n",
    "nps": "nps",
}
"""Number of an `info` line -> its name in a comment, as fastchess writes it."""
_VARIATION = "pv"
COMMENT_FACTS: Final = (*_NUMBERS, _VARIATION)
"""What a comment may have of an engine's line besides its evaluation."""
_MOVE = re.compile("[0-9A-Za-z@]{2,8}")
"""A move that may stand in a comment. An engine may write anything."""


def to_pgn(sheet: Sheet, shared: Mapping[str, str], comment_facts: Collection[str] = ()) -> str:
    """The game as it is appended to the file, with the tags that only the match knows.

    An empty line ends it. `comment_facts` are those of `COMMENT_FACTS` that comments have.
    """
    tags = {**_tags(sheet), **shared, "MatchGame": str(sheet.pairing.number)}
    clean_tags = {name: cleaned(value, TAG_LENGTH) for name, value in tags.items()}
    moves = list[tuple[str, str]]()
    for before, ply in pairwise(sheet.game.plies):
        moves.append((ply.san, _comment(sheet, before, ply, comment_facts)))
    root = sheet.game.board.root()
    return format_game(clean_tags, numbered(root.fullmove_number, root.turn, moves)) + "\n\n"


def _tags(sheet: Sheet) -> dict[str, str]:
    ending = sheet.ending
    accrued = sheet.opening.accrued
    root = sheet.game.board.root()
    fen = root.fen(shredder=root.chess960, en_passant="fen")
    tags = {"Date": f"{sheet.started:%Y.%m.%d}", "Round": str(sheet.pairing.round)}
    fifty_moves = sheet.game.fifty_moves.setting
    tags.update(write_tags(ending.outcome, sheet.rules.scoring, fifty_moves=fifty_moves))
    tags["RMobilitySource"] = ending.source.value
    if ending.table is not None:
        tags["RMobilityTablebase"] = ending.table
    tags["Termination"] = ending.termination
    tags["TerminationDetails"] = ending.details
    if root.chess960:
        tags["Variant"] = "Chess960"
    elif root.uci_variant != "chess":
        tags["Variant"] = str(root.uci_variant).capitalize()
    if fen != root.starting_fen or root.chess960:
        tags["SetUp"] = "1"
        tags["FEN"] = fen
    if accrued is not None:
        tags["RMobilityAccrued"] = str(accrued)
    tags.update(_time_tags(sheet))
    tags["GameStartTime"] = f"{sheet.started:%Y-%m-%dT%H:%M:%S%z}"
    tags["GameDuration"] = _clock_text(sheet.seconds)
    tags["PlyCount"] = str(sheet.game.last.number)
    return tags


def _time_tags(sheet: Sheet) -> dict[str, str]:
    white, black = (str(clock.control) for clock in sheet.clocks)
    if white == black:
        return {"TimeControl": white}
    return {"WhiteTimeControl": white, "BlackTimeControl": black}


def _comment(sheet: Sheet, before: Ply, ply: Ply, comment_facts: Collection[str]) -> str:
    """The clock, the evaluation, the time of the move, and the accrued score if it changes."""
    answer = sheet.answers.get(ply.number)
    if answer is None:
        parts = ["book"]
    else:
        parts = [f"{answer.evaluation} {answer.seconds:.3f}s".strip()]
        if answer.info is not None:
            parts.extend(_facts_in(answer.info, comment_facts))
    if ply.accrued != before.accrued or ply.since != before.since:
        parts.append(f"accrued {ply.accrued}")
    if ply is sheet.game.last and sheet.ending.termination == ADJUDICATION:
        parts.append(sheet.ending.details)
    if ply.end is not None:
        parts.append(ply.end.value)
    comment = ", ".join(parts)
    if answer is None or answer.remaining is None:
        return comment
    return f"[%clk {_clock_text(answer.remaining)}] {comment}"


def _facts_in(info: Info, comment_facts: Collection[str]) -> Iterator[str]:
    """The wanted facts of an engine's line, as a comment has them."""
    for name, short in _NUMBERS.items():
        number = info.number(name) if name in comment_facts else None
        if number is not None:
            yield f"{short}={number}"
    if _VARIATION in comment_facts:
        moves = takewhile(_MOVE.fullmatch, info.variation)
        yield f'{_VARIATION}="{" ".join(moves)}"'


def _clock_text(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _clock_text(3725.25)
    '1:02:05.250'
    """
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}.{milliseconds:03}"
