"""The sources that a long run is about: if they change meanwhile, its results count for nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


class Sources:
    """The sources of the program and of its tests, as they are now."""

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._begun = self._digest()

    def check(self) -> None:
        """SystemExit if they have changed: a table names the digest of the solver's, so even its bytes are others."""
        if self._digest() != self._begun:
            raise SystemExit("the sources have changed since the run began: its results count for nothing")

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for path in sorted(path for part in ("tbgen", "tests") for path in (self._root / part).rglob("*.py")):
            digest.update(path.relative_to(self._root).as_posix().encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()
