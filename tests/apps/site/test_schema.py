"""Requests that schemathesis draws from the published description, sent to a running server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import ROOT


@pytest.mark.slow
def test_the_server_keeps_to_its_description_whatever_it_is_asked(
    server: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{server}/openapi.json"]
    command += ["--max-examples", "100", "--generation-database", "none"]
    # A text fits its schema and may still be no position.
    command += ["--exclude-checks", "positive_data_acceptance"]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.apps.site.bodies", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **hooks}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
