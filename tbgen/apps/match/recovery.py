"""What a file of games holds of a match: its finished games, and the beginning of one that was being written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tbgen.apps.games.chunks import Chunk, ScannedChunk, scanned
from tbgen.apps.games.writer import format_game
from tbgen.apps.match.record import TAG_LENGTH, Heading, StoredGame
from tbgen.errors import MatchError, TbgenError
from tbgen.score import parse_score
from tbgen.text import cleaned

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WRITTEN = ("MatchId", "MatchGame", "RMobilityResult", "Termination", "TerminationDetails", "PlyCount")
"""The tags of a game that standings are made from."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """The finished games of a match, and what stands behind the last whole game of its file."""

    games: list[StoredGame]
    kept_bytes: int
    """The bytes of the file that stay."""
    is_known: bool
    """Whether what is cut off is surely one of the match's own games, which will be played again."""


def recovered(path: Path, heading: Heading) -> Recovered:
    """Read back a match. A game counts if its result stands behind its moves; lines may end with CR LF.

    Only a last game that this match was writing is cut off. Games of others stay, finished or not.
    """
    data = path.read_bytes()
    start = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    chunk = scanned(Chunk(data, start, in_line=False, number=1))
    if chunk.binary_at >= 0:
        raise MatchError(f"{path} is a binary file, not PGN; give another file with -pgnout")
    games, last_end = list[StoredGame](), start
    for place in range(len(chunk.games)):
        if chunk.result_of(place) is not None:
            last_end, tags = chunk.bounds(place)[1], chunk.tags_of(place)
            if tags.get("MatchId") == heading.match and chunk.problem_of(place) is None:
                games.append(_stored(path, place + 1, tags))
    _refuse_twice(path, games)
    rest = data[last_end:]
    blank = len(rest) - len(rest.lstrip())
    tail = rest[blank:]
    if not tail or not _is_own_beginning(tail, heading):
        return Recovered(games, len(data), is_known=True)
    return Recovered(games, last_end + blank, is_known=_match_of(chunk) == heading.match)


def _match_of(chunk: ScannedChunk) -> str | None:
    """The match that the last game of a file belongs to, if it is not finished and says so."""
    last = len(chunk.games) - 1
    return None if last < 0 or chunk.result_of(last) is not None else chunk.tags_of(last).get("MatchId")


def _is_own_beginning(tail: bytes, heading: Heading) -> bool:
    """Whether a text can be the beginning of a game of the match: the whole beginning, or as much as there is of it."""
    text = tail.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    tags_before = {"Event": cleaned(heading.event, TAG_LENGTH), "Site": cleaned(heading.site, TAG_LENGTH)}
    known = format_game(tags_before, ()).partition("????")[0].encode()
    if len(text) <= len(known):
        return known.startswith(text)
    if not text.startswith(known):
        return False
    tags, blank_line, _ = text.partition(b"\n\n")
    if not blank_line:
        return True
    return f'[MatchId "{heading.match}"]'.encode() in tags.split(b"\n")


def _stored(path: Path, number: int, tags: dict[str, str]) -> StoredGame:
    missing = [name for name in _WRITTEN if name not in tags]
    if missing:
        raise MatchError(f"{path}, game {number}: it is one of the match, but its tag {missing[0]} is gone")
    try:
        return StoredGame(
            number=int(tags["MatchGame"]),
            outcome=parse_score(tags["RMobilityResult"]).outcome,
            termination=tags["Termination"],
            details=tags["TerminationDetails"],
            plies=int(tags["PlyCount"]),
        )
    except (ValueError, TbgenError) as error:
        raise MatchError(f"{path}, game {number}: it is one of the match, but was changed: {error}") from None


def _refuse_twice(path: Path, games: list[StoredGame]) -> None:
    seen = set[int]()
    for game in games:
        if game.number in seen:
            raise MatchError(f"{path} has game {game.number} of the match twice; take one out")
        seen.add(game.number)
