"""What lies in the current directory is no part of the program, whoever put it there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.project import ROOT


def test_workers_import_nothing_from_the_current_directory(tmp_path: Path) -> None:
    """Called as the installed script calls it: the path begins with the script's folder."""
    words = ["build", "-q", "KNvK", "--jobs", "2", "--threads", "2", "--data", "made"]
    here = tmp_path / "here"
    script = tmp_path / "bin" / "tbgen"
    here.mkdir()
    script.parent.mkdir()
    script.write_text("from tbgen.cli import main\nif __name__ == '__main__':\n    main()\n")
    for name in ("multiprocessing", "numpy", "tbgen"):
        (here / f"{name}.py").write_text("open('ran', 'w')\nraise SystemExit('foreign code')\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONSAFEPATH", None)
    done = subprocess.run(
        [sys.executable, script, *words],
        cwd=here,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, (here / "ran").exists()) == (0, False), done.stderr.decode()
