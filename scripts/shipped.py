#!/usr/bin/env python3
"""Make what comes with the program beside its sources: compiled kernels and small tables.

    shipped.py wheel FOLDER    a wheel that has them, of the files that git knows
    shipped.py here            make them in this tree: tbgen/_shipped
    shipped.py kernels         compile all kernels for this machine into the user's folder, as a set-up does

Nothing of it is kept in git: both are named by a digest of the sources, so that what was made of others is not used.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def compile_kernels() -> None:
    from tbgen.cli.first_use import compile_for
    from tbgen.compiled.known import Purpose

    compile_for(*Purpose)


def here() -> None:
    """Kernels for any processor of the baseline, and tables of two and three men."""
    from tbgen.compiled.folders import BASELINES, SHIPPED, source_digest

    shutil.rmtree(SHIPPED, ignore_errors=True)
    processor = BASELINES.get((sys.platform, platform.machine()))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment["TBGEN_CACHE"] = str(SHIPPED / "kernels")
    if processor is not None:
        again = {**environment, "NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
        subprocess.run([sys.executable, __file__, "kernels"], check=True, env=again)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tbgen", "build", "--men", "3", "--data", folder, "-q"]
        subprocess.run(command, check=True, cwd=ROOT, env={**environment, "TBGEN_CACHE": f"{folder}/kernels"})
        tables = SHIPPED / "tables" / source_digest()
        tables.mkdir(parents=True)
        for path in Path(folder).iterdir():
            if path.is_file() and not path.name.startswith("."):
                shutil.copyfile(path, tables / path.name)


def wheel(target: Path) -> None:
    """A wheel of a copy of what git knows, in which nothing lies about."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, Path(folder) / name)
        environment = {**os.environ, "PYTHONPATH": folder}
        subprocess.run(
            [sys.executable, f"{folder}/scripts/shipped.py", "here"], check=True, env=environment, cwd=folder
        )
        pip = [sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--wheel-dir", str(target), folder], check=True)


def main(what: str, target: str = "dist") -> None:
    if what == "wheel":
        wheel(Path(target).resolve())
    else:
        {"here": here, "kernels": compile_kernels}[what]()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(*sys.argv[1:])
