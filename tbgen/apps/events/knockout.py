"""The rounds of a knockout, and how a tie between two players is decided."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Generic, NamedTuple

from tbgen.apps.events.tiebreaks import Entrant
from tbgen.apps.games.event_game import EventGame, is_bye
from tbgen.apps.games.results import UNFINISHED
from tbgen.apps.games.tags import KNOCKOUT, number_in
from tbgen.facts import facts_of
from tbgen.rules.points import Scoring
from tbgen.score import Color
from tbgen.text import in_decimals, small_difference

MORE_GAMES: Final = 2
"""The number of games that extend a tie with equal points."""
MOST_EXTENSIONS: Final = 4
"""After so many extensions the holder of the last score goes on."""


class Tie(NamedTuple, Generic[Entrant]):
    """Two players in a round of a knockout, the second None for a bye.

    `winner` goes on, if the tie is decided.
    """

    players: tuple[Entrant, Entrant]
    points: tuple[Fraction, Fraction]
    winner: Entrant | None
    decided_by: str | None
    """The decision: `bye`, `points`, `r-mobility` for equal points, or `last game`."""


def tie_of(
    players: tuple[Entrant, Entrant], games: Sequence[tuple[Entrant, EventGame]], length: int
) -> Tie[Entrant]:
    """Two players of a knockout after some games, each given with its White; a tie begins with
    `length` games.

    Equal points are decided by the points of the same games under `exponential`; then two more
    games follow, and after four such extensions the holder of the last score goes on.
    """
    first, second = players
    points, other_points = _sums(first, games)
    undecided = Tie(players, (points, other_points), None, None)
    if second is None:
        return undecided._replace(winner=first, decided_by="bye")
    extensions, games_of_next = divmod(len(games) - length, MORE_GAMES)
    if extensions < 0 or games_of_next:
        return undecided
    if points != other_points:
        winner = first if points > other_points else second
        return undecided._replace(winner=winner, decided_by="points")
    exponential = [(white, game._replace(scoring=Scoring())) for white, game in games]
    points, other_points = _sums(first, exponential)
    if points != other_points:
        winner = first if points > other_points else second
        return undecided._replace(winner=winner, decided_by="r-mobility")
    on_the_board = [(white, game) for white, game in games if game.is_on_the_board]
    if extensions >= MOST_EXTENSIONS and on_the_board:
        white, last_game = on_the_board[-1]
        winner = first if last_game.final.holder is _side_of(first, white) else second
        return undecided._replace(winner=winner, decided_by="last game")
    return undecided


def _sums(player: Entrant, games: Iterable[tuple[Entrant, EventGame]]) -> tuple[Fraction, Fraction]:
    """The points of a player and of the other one, who need not share a whole point a game."""
    own = Fraction(0)
    others = Fraction(0)
    for white, game in games:
        side = _side_of(player, white)
        own += game.points(side)
        others += game.points(side.other)
    return own, others


def _side_of(player: Entrant, white: Entrant) -> Color:
    return Color.WHITE if player == white else Color.BLACK


@dataclass(frozen=True)
class Knockout:
    """What the games of a knockout say of its bracket."""

    rounds: dict[int, list[Tie[str]]]
    """Round -> its ties. Those without a game so far are missing."""
    byes: dict[int, list[str]]
    """Round -> the players who had no tie in it, and went on."""
    winner: str | None
    """Who has won; None as long as that is not certain."""

    def facts(self) -> dict[str, Any]:
        """The bracket as JSON has it."""
        ties = []
        for number, ties_of_round in self.rounds.items():
            for tie in ties_of_round:
                facts = facts_of(tie, "players", "points", "winner", "decided_by")
                ties.append({"round": number, **facts})
        byes = []
        for number, names in self.byes.items():
            byes += [{"round": number, "player": name} for name in names]
        return {"winner": self.winner, "ties": ties, "byes": byes}


def knockout_of(games: Sequence[EventGame], *, is_over: bool) -> Knockout | None:
    """The bracket of a knockout; None for other events.

    Nobody knows from the games alone whether a tie, or the knockout, goes on. A tie is over if the
    tag `MeetingGames` says so, or if one of its players has a game in a later round. The knockout
    is over if all but one of as many players as the tag `MatchPlayers` says have lost a tie. All of
    it is over if `is_over`: then those who are in no game of the last round have gone out, as two
    players do who both stay away.
    """
    number_of = _rounds_in_order(games)
    meetings: dict[tuple[int, frozenset[str]], list[EventGame]] = {}
    rounds_of_player: dict[str, set[int]] = {}
    byes: dict[int, set[str]] = {}
    for game in games:
        if game.tags.get("EventType") != KNOCKOUT:
            continue
        number = number_of(game)
        names = [name for name in game.players if not (game.is_bye and is_bye(name))]
        for name in names:
            rounds_of_player.setdefault(name, set()).add(number)
        if game.is_bye:
            byes.setdefault(number, set()).update(names)
        else:
            meetings.setdefault((number, frozenset(names)), []).append(game)
    if not meetings:
        return None
    last_round = {name: max(numbers) for name, numbers in rounds_of_player.items()}
    rounds: dict[int, list[Tie[str]]] = {}
    for (number, _), meeting in meetings.items():
        meeting.sort(key=lambda game: (not game.round_number, _number_of(game)))
        tie = _tie_of_meeting(meeting, number, last_round, is_over=is_over)
        rounds.setdefault(number, []).append(tie)
    rounds = _with_those_who_went_on(rounds)
    lost_in = _losers(rounds)
    left = rounds_of_player.keys() - lost_in.keys()
    if is_over and len(left) > 1:
        last = max(last_round.values())
        left = {name for name in left if last_round[name] == last}
    is_complete = is_over or len(rounds_of_player) == _players_in_tags(games)
    for number, name in _days_of_rest(rounds_of_player, lost_in):
        byes.setdefault(number, set()).add(name)
    return Knockout(
        rounds,
        {number: sorted(names) for number, names in sorted(byes.items())},
        next(iter(left)) if is_complete and len(left) == 1 else None,
    )


def _rounds_in_order(games: Iterable[EventGame]) -> Callable[[EventGame], int]:
    """The number of a game's round. Games of rounds without a number, such as a play-off, belong to
    the last round in which their players have met; others follow all rounds.
    """
    last_meeting = dict[frozenset[str], int]()
    for game in games:
        if game.round_number:
            pair = frozenset(game.players)
            last_meeting[pair] = max(game.round_number, last_meeting.get(pair, 0))
    after_all = max(last_meeting.values(), default=-1) + 1

    def number_of(game: EventGame) -> int:
        return game.round_number or last_meeting.get(frozenset(game.players), after_all)

    return number_of


def _tie_of_meeting(
    games: Sequence[EventGame], number: int, last_round: Mapping[str, int], *, is_over: bool
) -> Tie[str]:
    players = games[0].players
    finished = [game for game in games if game.result != UNFINISHED]
    whites = [(game.players[Color.WHITE], game) for game in finished]
    gone_on = [name for name in players if last_round[name] > number]
    length = number_in(games[0].tags.get("MeetingGames", ""))
    # As long as nobody knows the length of a tie, no game has decided it.
    tie = tie_of(players, whites, length or len(finished) + 1)
    if tie.winner is None and (is_over or gone_on):
        tie = tie_of(players, whites, len(finished))
    # Until the end, a later game of one player may be the game for the third place.
    is_open = tie.winner is None or is_over
    if len(gone_on) == 1 and is_open and gone_on[0] != tie.winner:
        tie = tie._replace(winner=gone_on[0], decided_by=None)
    return tie


def _losers(rounds: Mapping[int, Iterable[Tie[str]]]) -> dict[str, int]:
    """Player -> the round in which the player lost a tie."""
    lost_in = dict[str, int]()
    for number, ties in sorted(rounds.items()):
        for tie in ties:
            for name in tie.players:
                if tie.winner is not None and name != tie.winner:
                    lost_in.setdefault(name, number)
    return lost_in


def _with_those_who_went_on(rounds: Mapping[int, list[Tie[str]]]) -> dict[int, list[Tie[str]]]:
    """The rounds in order. A beaten player who meets an unbeaten one later has gone on after all,
    whatever the points say; two beaten players meet for the third place.
    """
    mended = dict(sorted(rounds.items()))
    for number, ties in mended.items():
        lost_in = _losers({earlier: mended[earlier] for earlier in mended if earlier < number})
        for tie in ties:
            beaten = [name for name in tie.players if name in lost_in]
            if len(beaten) == 1:
                (name,) = beaten
                mended[lost_in[name]] = [_won_by(name, each) for each in mended[lost_in[name]]]
    return mended


def _won_by(name: str, tie: Tie[str]) -> Tie[str]:
    """A tie that a player has won, whatever its points say; the same tie if it is of others."""
    return tie._replace(winner=name, decided_by=None) if name in tie.players else tie


def _days_of_rest(
    rounds_of_player: Mapping[str, Collection[int]], lost_in: Mapping[str, int]
) -> Iterator[tuple[int, str]]:
    """A round and a player without a game in it who had lost no tie, and played later."""
    for number in set().union(*rounds_of_player.values()):
        for name, played in rounds_of_player.items():
            has_lost = lost_in.get(name, number) < number
            if number not in played and number < max(played) and not has_lost:
                yield number, name


def _players_in_tags(games: Iterable[EventGame]) -> int:
    """The number of players of the knockout; 0 if no tag has it."""
    return max((number_in(game.tags.get("MatchPlayers", "")) for game in games), default=0)


def tie_in_words(tie: Tie[str]) -> tuple[str, str]:
    """The winner of a tie, empty without one, and the rest of the sentence."""
    points = [in_decimals(points) for points in tie.points]
    if tie.winner is None:
        return "", f"{' – '.join(tie.players)}, {' to '.join(points)}, undecided"
    loser = next(name for name in tie.players if name != tie.winner)
    if tie.winner != tie.players[0]:
        points.reverse()
    if tie.decided_by is None:
        return tie.winner, f" – {loser}, {' to '.join(points)}: {tie.winner} went on"
    told = f" beats {loser}, {' to '.join(points)}"
    if tie.decided_by != "points":
        told += f", by {tie.decided_by}"
    elif points[0] == points[1]:
        told += f", by {small_difference(abs(tie.points[0] - tie.points[1]))} of a point"
    return tie.winner, told


def round_in_words(number: int) -> str:
    """The name of a round of a knockout."""
    return f"Round {number}" if number else "Rounds without a number"


def _number_of(game: EventGame) -> int:
    return number_in(game.tags.get("MatchGame", ""))
