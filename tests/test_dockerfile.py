"""The command of the Dockerfile, without Docker."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

WORDS = re.findall(
    r"^(?:ENTRYPOINT|CMD) (.+)$", (Path(__file__).parent.parent / "Dockerfile").read_text(), re.MULTILINE
)


def test_the_dockerfile_serves_a_folder(table_folder: Path) -> None:
    words = [word.replace("/tables", str(table_folder)) for line in WORDS for word in json.loads(line)]
    with subprocess.Popen([sys.executable, "-m", *words, "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        server.send_signal(signal.SIGTERM)
    assert said.startswith("6 tables; ")
