"""The command of the Dockerfile, without Docker."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.project import ROOT

STEPS = (ROOT / "Dockerfile").read_text()


def test_the_dockerfile_serves_a_folder(table_folder: Path) -> None:
    words = [
        word.replace("/tables", str(table_folder))
        for step in re.findall(r"^(?:ENTRYPOINT|CMD) (.+)$", STEPS, re.M)
        for word in json.loads(step)
    ]
    with subprocess.Popen([sys.executable, "-m", *words, "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            tables, address = server.stdout.readline().split("; ")
            with urllib.request.urlopen(address.replace("explorer/\n", "health")) as reply:
                assert json.load(reply)["status"] == "ok"
        finally:
            server.send_signal(signal.SIGTERM)
    assert tables == "6 tables"
    assert "/src[serve]" in STEPS
