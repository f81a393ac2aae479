"""The commands of the Dockerfile, without Docker."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.project import ROOT

STEPS = (ROOT / "Dockerfile").read_text()


def serve_as_it_says(program: Sequence[str], folder: Path) -> None:
    """Start the server of three men's tables with the words of the last lines."""
    words = list[str]()
    for step in re.findall(r"^(?:ENTRYPOINT|CMD) (.+)$", STEPS, re.M):
        words += json.loads(step)
    _, *arguments = [word.replace("/tables", str(folder)) for word in words]
    command = [*program, *arguments, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            tables, address = server.stdout.readline().split("; ")
            with urllib.request.urlopen(address.replace("explorer/\n", "health")) as reply:
                assert json.load(reply)["status"] == "ok"
        finally:
            server.send_signal(signal.SIGTERM)
    assert tables == "6 tables"


def test_the_dockerfile_serves_a_folder(table_folder: Path) -> None:
    serve_as_it_says([sys.executable, "-m", "tbgen"], table_folder)


def test_the_dockerfile_asks_the_server_of_its_port_and_name() -> None:
    (check,) = re.findall(r"^HEALTHCHECK .*?CMD (.+)$", STEPS, re.M)
    (port,) = re.findall(r"^EXPOSE (\d+)$", STEPS, re.M)
    _, _, code = json.loads(check)
    assert f"http://localhost:{port}/health" in code
    assert "localhost" in STEPS.splitlines()[-1], "the server answers to this name"


@pytest.mark.slow
def test_what_the_dockerfile_installs_without_constraints_builds_and_serves(tmp_path: Path) -> None:
    (install,) = re.findall(r"^RUN pip (install .+) && rm -r /src$", STEPS, re.M)
    assert "/src[serve]" in install
    source = tmp_path / "src"
    programs = tmp_path / "venv" / "bin"
    tables = tmp_path / "tables"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "data", "tests"))
    subprocess.run([sys.executable, "-m", "venv", programs.parent], check=True)
    pip = [str(programs / "python"), "-m", "pip", *install.replace("/src", str(source)).split()]
    build = [str(programs / "tbgen"), "build", "--men", "3", "--data", str(tables)]
    for command in (pip, build):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    serve_as_it_says([str(programs / "tbgen")], tables)
