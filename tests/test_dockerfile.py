"""The steps of the Dockerfile, without Docker and but for what is copied and installed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

from tbgen.compiled import folders

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
STEPS = [
    line.split(maxsplit=1)
    for line in (ROOT / "Dockerfile").read_text().splitlines()
    if line and not line.startswith("#")
]


def test_the_dockerfile_serves_a_folder(table_folder: Path, tmp_path: Path) -> None:
    def inside(text: str) -> str:
        """A step with the paths of the container."""
        return re.sub(r"(?<![\w/.])/(?=src|var|tables)", f"{tmp_path}/", text)

    (tmp_path / "tables").symlink_to(table_folder)
    environment, command = {**os.environ, "PYTHONPATH": str(ROOT)}, list[str]()
    for step, text in STEPS:
        if text.startswith("pip install"):
            extra = re.findall(r"/src\[(\w+)\]", text)
            assert all(each in PROJECT["optional-dependencies"] for each in extra)
        elif step == "RUN":
            subprocess.run(["sh", "-ec", inside(text).replace("-o nobody ", "")], check=True)
        elif step == "ENV":
            name, value = text.split("=")
            environment[name] = inside(value)
        elif step in ("ENTRYPOINT", "CMD"):
            command += [inside(each) for each in json.loads(text)]
    assert folders.is_ours_alone(Path(environment["TBGEN_CACHE"]))
    environment["TBGEN_CACHE"] = str(folders.cache_folder("probe").parent)  # instead of compiling everything anew
    assert command.pop(0) == "tbgen"
    command = [sys.executable, "-m", "tbgen", *command, "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            tables, address = server.stdout.readline().split("; ")
            with urllib.request.urlopen(address.replace("explorer/\n", "health")) as reply:
                assert json.load(reply)["status"] == "ok"
        finally:
            server.send_signal(signal.SIGTERM)
    assert tables == "6 tables"
