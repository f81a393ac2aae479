"""The steps of the Dockerfile, without Docker: in a folder that stands for the root of the container."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

from tbgen.compiled import folders

ROOT = Path(__file__).parent.parent
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
    left_out = {"tests", "docs", *(ROOT / ".dockerignore").read_text().split()}

    def ignored(folder: str, names: list[str]) -> set[str]:
        """What Docker leaves out, which is said of the project's own folder alone, and what no server needs."""
        at_top = left_out if Path(folder) == ROOT else set[str]()
        return {name for name in names if name.startswith(".") or name == "__pycache__" or name in at_top}

    environment, command = dict(os.environ), list[str]()
    for step, text in STEPS:
        if step == "COPY":
            assert text == ". /src"
            shutil.copytree(ROOT, tmp_path / "src", ignore=ignored)
        elif text.startswith("pip install"):
            extra = re.findall(r"/src\[(\w+)\]", text)
            project = tomllib.loads((tmp_path / "src" / "pyproject.toml").read_text())["project"]
            assert all(each in project["optional-dependencies"] for each in extra)
            environment["PYTHONPATH"] = str(tmp_path / "src")  # in place of what pip would fetch and build
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
