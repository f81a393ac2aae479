"""What is written down of kernels is true of those that there are."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from tbgen.compiled.groups import read
from tbgen.compiled.known import Purpose, groups, known
from tests.project import ROOT

SCRIPT = ROOT / "scripts" / "kernels.py"
ALL = sorted({each for purpose in Purpose for each in known(purpose)}, key=lambda each: (each.module, each.name))


def test_kernels_take_what_is_written() -> None:
    """If this fails, run scripts/kernels.py: kernels are compiled ahead for types that nobody calls them with."""
    for kernel in ALL:
        dispatcher = getattr(importlib.import_module(kernel.module), kernel.name)
        assert dispatcher.py_func.__code__.co_argcount == len(kernel.takes), kernel
        for text in kernel.takes:
            read(text, groups())


@pytest.mark.slow
def test_rehearsals_call_what_is_written() -> None:
    subprocess.run([sys.executable, SCRIPT, "--check"], check=True, timeout=600)
