"""Files of games, with progress: how much of a file is read, and how long the rest takes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

from tbgen.apps.games.files import plain_size
from tbgen.cli.terminal import progress


@contextlib.contextmanager
def reading(name: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show how a file is read; the function that it yields is told of bytes and of games, as they come."""
    title, games = os.path.basename(name), 0
    with progress(title, plain_size(name), quiet=quiet, as_share=True) as shown:

        def tell(size: int, more: int) -> None:
            nonlocal games
            games += more
            shown.advance(size, title=f"{title}: {games:,} games")

        yield tell
