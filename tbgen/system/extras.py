"""Extras of an installation: how you add what only some commands need."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from importlib import metadata
from urllib.parse import unquote, urlsplit

PROJECT = "tbgen"


def how_to_install(extra: str) -> str:
    """The command that adds an extra to this installation: with its Python, from its source."""
    python = shlex.quote(sys.executable or "python3")
    return f"{python} -m pip install {shlex.quote(f'{_source()}[{extra}]')}"


def _source() -> str:
    """The folder or file that tbgen was installed from; its name if it came from a registry."""
    text = None
    with contextlib.suppress(metadata.PackageNotFoundError):
        text = metadata.distribution(PROJECT).read_text("direct_url.json")
    if text is None:
        return PROJECT
    address: str = json.loads(text)["url"]
    parts = urlsplit(address)
    if parts.scheme == "file":
        return unquote(parts.path)
    return address
