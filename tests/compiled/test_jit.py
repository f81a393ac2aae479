"""The decorators: what is compiled, how often, and what numba's settings are meanwhile and
afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tbgen.compiled import jit


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
        "from tbgen.compiled import jit\n"
        "def twice(n): return 2 * n\n"
        "twice.__module__ = 'tbgen.retro.nothing'\n"
        "assert jit.kernel(twice)(2) == numba.njit(lambda n: n + 2)(2) == 4\n"
        "from tbgen.compiled import folders\n"
        "assert [*folders.cache_folder('retro').rglob('*twice*.nbc')]\n"
        "assert levels == [1, int(before[1])] == [1, 3], levels\n"
        "assert before == (dict(os.environ), config.OPT, config.CACHE_DIR)\n"
    )
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")
    }
    environment["TBGEN_CACHE"] = str(tmp_path)
    (tmp_path / "code.py").write_text(code)
    root = Path(jit.__file__).parents[2]
    subprocess.run(
        [sys.executable, tmp_path / "code.py"],
        env={**environment, "PYTHONPATH": str(root)},
        check=True,
    )


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
    sys.modules["tbgen.compiled.linking"] = None
from tbgen.compiled import jit

assert (jit._linking is None) == ("plain" in sys.argv)
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
add, fold, tiny = jit.inlined(add), jit.inner(fold), jit.small(tiny)
low = jit.kernel(low)
high = jit.borrowing(high)
print(high(7, 9), low(7, 9), high(-7, 9), low(0, 1), *compiled)
assert tiny(7, 9) == 224, "what is small is called from anywhere"
"""


def run_deep(folder: Path, *arguments: str) -> list[str]:
    """What kernels answer that call helpers and each other, and what was compiled for it."""
    (folder / "deep.py").write_text(DEEP)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    kept |= {"TBGEN_CACHE": str(folder), "PYTHONPATH": str(Path(jit.__file__).parents[2])}
    command = [sys.executable, str(folder / "deep.py"), *arguments]
    return subprocess.run(
        command, env=kept, check=True, capture_output=True, text=True
    ).stdout.split()


@pytest.mark.slow
def test_a_helper_is_compiled_once_whatever_constants_it_is_called_with(tmp_path: Path) -> None:
    answers = [str(16 * 14 + 12 * 10 + 9 * 14 + 1 - 12 * 8), str(16 * 14 + 12 * 10 + 9 * 14 + 1)]
    answers += [str(-1 - 1 + 9 * 14 + 1 - 12 * 8), str(1 * 6 + 5 * 10 + 1 * 6 + 1)]
    assert run_deep(tmp_path) == [*answers, "high", "low", "tiny", "fold", "add"]
    assert run_deep(tmp_path) == answers, "nothing is compiled that is on disk"
    (next(tmp_path.rglob("*high*.nbc"))).unlink()
    assert run_deep(tmp_path) == [*answers, "high", "fold", "add"], "a kernel on disk is built upon"
    assert run_deep(tmp_path, "plain")[:4] == answers, (
        "the same where the compiler's insides are unknown"
    )
    assert len(list(tmp_path.rglob("*high*.nbc"))) == 2, "either way has a folder of its own"
