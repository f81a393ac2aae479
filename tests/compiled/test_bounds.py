"""Kernels with numba's bounds checks, compiled into a folder of their own: nothing reads or writes
outside an array.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import ROOT

pytestmark = pytest.mark.slow

PARTS = [
    f"tests/{name}" for name in ("board", "index", "retro", "position", "probe", "verify", "laws")
]
OUTSIDE = """
import numpy as np
from tbgen.compiled.jit import kernel

def outside(array):
    return array[3]

outside.__module__ = "tbgen.index.outside"
kernel(outside)(np.zeros(3))
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process whose kernels check bounds."""
    kernels = tmp_path_factory.mktemp("kernels")
    return {
        **os.environ,
        "NUMBA_BOUNDSCHECK": "1",
        "TBGEN_CACHE": str(kernels),
        "PYTHONPATH": str(ROOT),
    }


def run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_a_kernel_that_leaves_an_array_is_found(checked: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text(OUTSIDE)
    assert "IndexError: index is out of bounds" in run(checked, str(tmp_path / "outside.py")).stderr


def test_tables_of_four_men_are_as_known_with_bounds_checks(
    checked: dict[str, str], tmp_path: Path
) -> None:
    built = run(checked, "-m", "tbgen", "build", "--men", "4", "-q", "--data", str(tmp_path))
    assert (built.returncode, built.stderr) == (0, "")
    assert (
        run(checked, "-m", "tbgen", "verify", "--digest", "--data", str(tmp_path)).stdout.count(
            "as known"
        )
        == 36
    )


def test_tests_of_kernels_pass_with_bounds_checks(checked: dict[str, str]) -> None:
    done = run(checked, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *PARTS)
    assert done.returncode == 0, done.stdout[-3000:]
