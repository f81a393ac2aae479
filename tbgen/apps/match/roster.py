"""The engines of a match: processes made from their specifications, their names, and logs of what they say."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from tbgen.apps.match.engine import HANDSHAKE, Engine, EngineSpec, Fault, ForfeitError
from tbgen.apps.match.settings import MatchSettings
from tbgen.apps.match.uci import Listener
from tbgen.errors import EngineStartError
from tbgen.score import Color, Outcome

_MOST_FAILED_STARTS = 3


class Roster:
    """Makes and starts engines; a player is the number of a specification, from 0."""

    def __init__(self, settings: MatchSettings) -> None:
        self._settings = settings
        self._options = variant_options(settings)
        self._failed_starts: dict[int, int] = {}
        self._logs: dict[Path, TextIO] = {}
        self._open_files = contextlib.ExitStack()

    def engine(self, player: int) -> Engine:
        """A new engine, which has not been started."""
        spec = self._settings.engines[player]
        return Engine(spec, self._listener(spec))

    async def start_first(self, engine: Engine) -> None:
        """Start an engine before the match, where a failure ends the match."""
        await engine.start(self._options)

    async def start(self, player: int, engine: Engine) -> None:
        """Start an engine for a game, which a failure forfeits; repeated failures end the match."""
        try:
            await engine.start(self._options)
        except EngineStartError as error:
            self._failed_starts[player] = self._failed_starts.get(player, 0) + 1
            if self._failed_starts[player] >= _MOST_FAILED_STARTS:
                raise
            raise ForfeitError(Fault.CRASH, f"cannot be started again: {error.reason}") from None
        self._failed_starts.pop(player, None)

    def close(self) -> None:
        """Close the logs."""
        self._open_files.close()

    def _listener(self, spec: EngineSpec) -> Listener | None:
        """A function that takes each line between referee and engine, for its log and for -debug."""
        if spec.log is None and not self._settings.debug:
            return None
        begun, name = time.perf_counter(), spec.name or spec.command[0]
        if spec.log is not None and spec.log not in self._logs:
            opened = spec.log.open("a", encoding="utf-8", buffering=1)
            self._logs[spec.log] = self._open_files.enter_context(opened)
        log = None if spec.log is None else self._logs[spec.log]

        def listen(direction: str, line: str) -> None:
            text = f"{time.perf_counter() - begun:9.3f} {direction} {line}"
            if log is not None:
                log.write(text + "\n")
            if self._settings.debug:
                print(f"{name} {text}", file=sys.stderr)

        return listen


def variant_options(settings: MatchSettings) -> dict[str, str]:
    """The options of the variant for an engine that knows it; docs/uci.md."""
    return {
        f"{HANDSHAKE}Fifty": settings.fifty_moves.setting.value,
        f"{HANDSHAKE}Cutoff": str(Outcome(Color.WHITE, settings.scoring.cutoff_code)),
        f"{HANDSHAKE}Scoring": settings.scoring.scheme.value,
        f"{HANDSHAKE}Komi": str(settings.scoring.komi),
    }


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names, with a number behind each that was there before.

    >>> distinct(["Ann", "Bob", "Ann"])
    ('Ann', 'Bob', 'Ann (2)')
    """
    found: list[str] = []
    for name in names:
        number, unused = 2, name
        while unused in found:
            unused, number = f"{name} ({number})", number + 1
        found.append(unused)
    return tuple(found)
