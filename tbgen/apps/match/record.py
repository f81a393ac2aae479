"""A game of a match as PGN: its tags and the comments behind its moves."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from tbgen.apps.games.tags import write_tags
from tbgen.apps.games.writing import format_game, numbered
from tbgen.apps.match.sheet import Sheet
from tbgen.rules.game import Ply
from tbgen.text import cleaned

TAG_LENGTH = 255
"""The longest value of a tag that the PGN standard asks programs to read."""


def to_pgn(sheet: Sheet, shared: Mapping[str, str]) -> str:
    """The game as it is appended to the file, with the tags that only the match knows.

    An empty line ends it.
    """
    tags = {**_tags(sheet), **shared, "MatchGame": str(sheet.pairing.number)}
    clean_tags = {name: cleaned(value, TAG_LENGTH) for name, value in tags.items()}
    moves = [(ply.san, _comment(sheet, before, ply)) for before, ply in pairwise(sheet.game.plies)]
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


def _comment(sheet: Sheet, before: Ply, ply: Ply) -> str:
    """The clock, the evaluation, the time of the move, and the accrued score if it changes."""
    answer = sheet.answers.get(ply.number)
    if answer is None:
        parts = ["book"]
    else:
        parts = [f"{answer.evaluation} {answer.seconds:.3f}s".strip()]
    if ply.accrued != before.accrued or ply.since != before.since:
        parts.append(f"accrued {ply.accrued}")
    seen = sheet.seen_by_tables
    if seen is not None and seen.plies == ply.number:
        parts.append(seen.details)
    if ply.end is not None:
        parts.append(ply.end.value)
    comment = ", ".join(parts)
    if answer is None or answer.remaining is None:
        return comment
    return f"[%clk {_clock_text(answer.remaining)}] {comment}"


def _clock_text(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _clock_text(3725.25)
    '1:02:05.250'
    """
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}.{milliseconds:03}"
