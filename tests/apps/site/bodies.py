"""How schemathesis sends lines of JSON and games in PGN: as text."""

from __future__ import annotations

from typing import Any

import schemathesis

TEXTS = ("application/x-ndjson", "application/x-chess-pgn", "text/plain")


def filter_case(context: Any, case: Any) -> bool:
    """Leave out bodies that are to break `type: string`: whatever is sent as text is one."""
    return case.media_type not in TEXTS or isinstance(case.body, str)


def as_text(context: Any, value: str) -> bytes:
    return value.encode("utf-8", "replace")


schemathesis.hook(filter_case)
schemathesis.serializer(*TEXTS)(as_text)
