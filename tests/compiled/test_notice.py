"""Who hears that kernels are being compiled, and when."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tbgen.compiled import jit
from tbgen.compiled.folders import PACKAGE, package_of
from tbgen.compiled.notice import PACKAGES, Notice, give, heard_by


def test_every_package_with_kernels_has_a_notice() -> None:
    with_kernels = set[str]()
    for path in PACKAGE.rglob("*.py"):
        if "from tbgen.compiled.jit import" in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            with_kernels.add(package_of(name))
    assert with_kernels - {"compiled"} == set(PACKAGES)


FIRST_CALL = """
import chess
from tbgen.board.board import words_of
from tbgen.board.moves import code_on
from tbgen.compiled import notice

with notice.heard_by(print):
    assert code_on(words_of(chess.Board())) == 41
"""


def test_the_first_compiled_kernel_gives_a_notice_a_loaded_one_none(
    tmp_path: Path,
) -> None:
    (tmp_path / "first_call.py").write_text(FIRST_CALL)
    environment = dict(os.environ)
    environment["TBGEN_CACHE"] = str(tmp_path / "kernels")
    environment["PYTHONPATH"] = str(Path(jit.__file__).parents[2])
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, tmp_path / "first_call.py"],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        said.append(done.stdout)
    assert said == [f"{PACKAGES['board']}\n", ""]


def test_the_last_listener_hears() -> None:
    heard = list[Notice]()
    unheard = list[Notice]()
    notice = Notice("a test", 1)
    with heard_by(unheard.append), heard_by(heard.append):
        give(notice)
        give(notice)
    assert (heard, unheard) == ([notice], [])
