"""A real browser, where the system has one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--allow-file-access-from-files",
)


def browser() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def document_after(page: Path, profile: Path, *flags: str) -> str:
    """The page as it stands once its scripts have run."""
    program = browser()
    assert program is not None
    command = [program, *FLAGS, f"--user-data-dir={profile}", *flags, "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=180).stdout
