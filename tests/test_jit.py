"""Where compiled kernels are kept, and what numba's settings are meanwhile and afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from tbgen import _jit


def test_what_a_table_says_of_its_maker_does_not_depend_on_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    source, kernels = _jit.source_digest(), _jit.kernel_digest("retro")
    monkeypatch.setattr(numba, "__version__", "99.0")
    assert _jit.source_digest() == source
    assert _jit.kernel_digest("retro") != kernels


def test_a_module_counts_wherever_it_lies_in_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_jit.py", "material.py", "score.py", "table.py", "retro/words/marks.py", "index/a.py", "pgn/a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(_jit, "__file__", str(tmp_path / "_jit.py"))
    before = _jit.source_digest()
    (tmp_path / "pgn" / "a.py").write_text("of another package")
    assert _jit.source_digest() == before
    (tmp_path / "retro" / "words" / "marks.py").write_text("changed")
    changed = _jit.source_digest()
    assert changed != before
    (tmp_path / "retro" / "words" / "marks.py").rename(tmp_path / "retro" / "marks.py")
    assert _jit.source_digest() not in (before, changed), "a name is part of what is digested"


def test_kernels_of_another_level_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_OPT", raising=False)
    ours = _jit.kernel_digest("retro")
    monkeypatch.setenv("NUMBA_OPT", "3")
    assert _jit.kernel_digest("retro") != ours


def test_numba_is_as_before_for_everybody_else(tmp_path: Path) -> None:
    code = (
        "import os, numba\n"
        "from numba.core import config, event\n"
        "before = dict(os.environ), config.OPT, config.CACHE_DIR\n"
        "levels = []\n"
        "class Listener(event.Listener):\n"
        "    def on_start(self, event): levels.append(int(config.OPT))\n"
        "    def on_end(self, event): pass\n"
        "event.register('numba:compile', Listener())\n"
        "from tbgen import _jit\n"
        "def twice(n): return 2 * n\n"
        "twice.__module__ = 'tbgen.retro.nothing'\n"
        "assert _jit.kernel(twice)(2) == numba.njit(lambda n: n + 2)(2) == 4\n"
        "assert _jit.is_compiled('twice')\n"
        "assert levels == [1, int(before[1])] == [1, 3], levels\n"
        "assert before == (dict(os.environ), config.OPT, config.CACHE_DIR)\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment["TBGEN_CACHE"] = str(tmp_path)
    (tmp_path / "code.py").write_text(code)
    root = Path(_jit.__file__).parent.parent
    subprocess.run([sys.executable, tmp_path / "code.py"], env={**environment, "PYTHONPATH": str(root)}, check=True)


DEEP = """
import sys
import numba
from numba.core import event

compiled = []


class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass


event.register("numba:compile", Listener())
if "plain" in sys.argv:
    sys.modules["tbgen._linking"] = None
from tbgen import _jit

assert (_jit._linking is None) == ("plain" in sys.argv)
KNOWN, MASK = 5, (1 << 60) + 1


def add(n, m):
    return n + m


def fold(n, m):
    if n < 0:
        return -1
    return add(n, m) * add(m, KNOWN)


def tiny(n, m):
    return fold(n, m)


def low(n, m):
    return tiny(n, m) + fold(n, KNOWN) + fold(0, m) + (m & MASK)


def high(n, m):
    return low(n, m) - fold(m, 3)


for function in (add, fold, tiny, low, high):
    function.__module__ = "tbgen.retro.nothing"
sys.modules["tbgen.retro.nothing"] = sys.modules["__main__"]
add, fold, tiny = _jit.inlined(add), _jit.inner(fold), _jit.small(tiny)
low = _jit.kernel(low)
high = _jit.borrowing(high)
print(high(7, 9), low(7, 9), high(-7, 9), low(0, 1), *compiled)
assert tiny(7, 9) == 224, "what is small is called from anywhere"
"""


def run_deep(folder: Path, *arguments: str) -> list[str]:
    """What kernels answer that call helpers and each other, and what was compiled for it."""
    (folder / "deep.py").write_text(DEEP)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"TBGEN_CACHE": str(folder), "PYTHONPATH": str(Path(_jit.__file__).parent.parent)}
    command = [sys.executable, folder / "deep.py", *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split()


def test_a_helper_is_compiled_once_whatever_constants_it_is_called_with(tmp_path: Path) -> None:
    answers = [str(16 * 14 + 12 * 10 + 9 * 14 + 1 - 12 * 8), str(16 * 14 + 12 * 10 + 9 * 14 + 1)]
    answers += [str(-1 - 1 + 9 * 14 + 1 - 12 * 8), str(1 * 6 + 5 * 10 + 1 * 6 + 1)]
    assert run_deep(tmp_path) == [*answers, "high", "low", "tiny", "fold", "add"]
    assert run_deep(tmp_path) == answers, "nothing is compiled that is on disk"
    (next(tmp_path.rglob("*high*.nbc"))).unlink()
    assert run_deep(tmp_path) == [*answers, "high", "fold", "add"], "a kernel on disk is built upon"


def test_kernels_are_the_same_where_the_compilers_insides_are_unknown(tmp_path: Path) -> None:
    assert run_deep(tmp_path, "plain")[:4] == run_deep(tmp_path)[:4]
    assert len(list(tmp_path.rglob("*high*.nbc"))) == 2, "either way has a folder of its own"


def test_kernels_that_nobody_uses_are_removed_and_nothing_else(tmp_path: Path) -> None:
    old, recent, foreign = tmp_path / ("0" * 16), tmp_path / ("1" * 16), tmp_path / "photographs"
    for folder in (old, recent, foreign):
        (folder / "retro").mkdir(parents=True)
        (folder / "retro" / "a.nbc").write_bytes(b"code")
    (tmp_path / ("2" * 16)).write_text("a file of this name")
    for path in (old, foreign, tmp_path / ("2" * 16)):
        os.utime(path, (1e9, 1e9))
    _jit.remove_unused(tmp_path, time.time() - 3600)
    assert {path.name for path in tmp_path.iterdir()} == {recent.name, foreign.name, "2" * 16}
    assert (recent / "retro" / "a.nbc").read_bytes() == b"code"


def test_a_new_version_makes_its_folder_and_clears_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / ("0" * 16)
    old.mkdir()
    os.utime(old, (1e9, 1e9))
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path))
    folder = _jit.cache_folder.__wrapped__("retro")
    assert [path.name for path in tmp_path.iterdir()] == [folder.name] == [_jit.kernel_digest("retro")]
    os.utime(folder, (1e9, 1e9))
    _jit.cache_folder.__wrapped__("retro")
    assert time.time() - folder.stat().st_mtime < 3600, "a folder that is used says so"
