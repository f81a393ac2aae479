"""The log of a server, which stays short whatever its clients send."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable
from typing import Any, Final

from uvicorn.config import LOGGING_CONFIG

from tbgen.text import cleaned

_QUIET_SECONDS: Final = 10
_MOST_CHARACTERS: Final = 300


class Calm:
    """A filter that limits a cause of log lines to one line in ten seconds.

    Only the first has a traceback.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = dict[object, float]()
        self._left_out = dict[object, int]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record passes; its text then says how many were left out before it."""
        error = record.exc_info[1] if record.exc_info else None
        cause = (record.pathname, record.lineno, type(error), _place_of(error))
        now = self._clock()
        is_known = cause in self._last
        if is_known and now - self._last[cause] < _QUIET_SECONDS:
            self._left_out[cause] += 1
            return False
        text = cleaned(record.getMessage(), _MOST_CHARACTERS)
        if is_known and error is not None:
            text += f": {cleaned(repr(error), _MOST_CHARACTERS)}"
            record.exc_info = None
        if left_out := self._left_out.get(cause, 0):
            text += f" ({left_out} times more since the last line)"
        self._last[cause] = now
        self._left_out[cause] = 0
        record.msg = text
        record.args = ()
        return True


def _place_of(error: BaseException | None) -> str:
    """Where an error was raised."""
    if error is None:
        return ""
    return str(traceback.extract_tb(error.__traceback__)[-1:])


_HANDLERS: Final[dict[str, Any]] = LOGGING_CONFIG["handlers"]
LOG: Final = {
    **LOGGING_CONFIG,
    "filters": {"calm": {"()": Calm}},
    "handlers": {**_HANDLERS, "default": {**_HANDLERS["default"], "filters": ["calm"]}},
    "root": {"handlers": ["default"], "level": "WARNING"},
}
"""The settings of the log of uvicorn and of all others, through `Calm`."""
