"""The one owner of numba: the decorators, where compiled kernels are kept, and at which level they are compiled.

numba keeps a stale machine-code file when a constant in an imported module changes, so the folder is
keyed by a digest of the sources that kernels are made from. Its settings are those of the whole process;
ours are in force only while a kernel of ours is declared or compiled, and then put back.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import config, types
from numba.core.cgutils import true_bit
from numba.core.compiler_lock import global_compiler_lock
from numba.core.types.misc import unliteral
from numba.extending import intrinsic

P = ParamSpec("P")
R = TypeVar("R")

LINKED_ONCE = ("0.68",)
"""The versions of numba that `_linking` was tried with; any other compiles in its own way, which takes longer."""

_linking: Any = None
if ".".join(numba.__version__.split(".")[:2]) in LINKED_ONCE:
    with contextlib.suppress(ImportError, AttributeError):
        _linking = importlib.import_module("tbgen._linking")

SOLVER = ("index", "retro")
"""The packages that tables come from."""

SHARED = ("_jit.py", "material.py", "score.py", "table.py")
"""What packages with kernels import beside each other."""

LEVEL = 1
"""How hard the compiler tries, unless NUMBA_OPT says: short inner loops only get slower and fatter above it."""

_UNUSED_SECONDS = 30 * 24 * 3600.0
"""Kernels of other sources are removed when nobody has used them for so long."""

_FOLDER_NAME = re.compile(r"[0-9a-f]{16}")


def source_digest(packages: Sequence[str] = SOLVER) -> str:
    """A digest of the sources of some packages and of what they all share; tables carry the solver's."""
    digest, root = hashlib.sha256(), Path(__file__).parent
    folders = (path for package in sorted(packages) for path in sorted((root / package).rglob("*.py")))
    for path in (*(root / name for name in SHARED), *folders):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def kernel_digest(package: str) -> str:
    """What names the folder of a package's compiled kernels: its sources, the compiler, its level, our part."""
    level = os.environ.get("NUMBA_OPT", str(LEVEL))
    linking = (Path(__file__).parent / "_linking.py").read_text() if _linking else "by numba"
    facts = f"{source_digest(('index', package))} {numba.__version__} {level} {linking}"
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def cache_home() -> Path:
    """Where compiled kernels of any version of tbgen are kept."""
    if override := os.environ.get("TBGEN_CACHE"):
        return Path(override)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "tbgen" / "kernels"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tbgen" / "kernels"


@cache
def cache_folder(package: str = "retro") -> Path:
    """Where the kernels of a package, compiled from these very sources, are kept: in a place that can be written.

    The folder is made here if need be, and then those that have not been used for a month are removed.
    """
    digest, user = kernel_digest(package), os.getuid() if hasattr(os, "getuid") else 0
    for home in (cache_home(), Path(tempfile.gettempdir()) / f"tbgen-kernels-{user}"):
        with contextlib.suppress(OSError):
            folder = home / digest
            is_new = not folder.is_dir()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.access(folder, os.W_OK) and folder.stat().st_uid == user:
                os.utime(folder)  # says that it is in use
                if is_new:
                    remove_unused(home, time.time() - _UNUSED_SECONDS)
                return folder
    return Path(tempfile.mkdtemp(prefix="tbgen-kernels-"))


def remove_unused(home: Path, before: float) -> None:
    """Remove folders of kernels that were last used before a moment; what was not made here stays.

    A folder is renamed first, so that another process sees it whole or not at all.
    """
    for folder in home.iterdir():
        with contextlib.suppress(OSError):
            if _FOLDER_NAME.fullmatch(folder.name) and folder.is_dir() and folder.stat().st_mtime < before:
                doomed = folder.rename(folder.with_name(f"{folder.name}.removed-{os.getpid()}"))
                shutil.rmtree(doomed, ignore_errors=True)


def is_compiled(name: str) -> bool:
    """Whether the machine code of one of the solver's kernels is on disk."""
    return any(cache_folder().rglob(f"*.{name}-*.nbc"))


@contextlib.contextmanager
def _settings(**settings: Any) -> Iterator[None]:
    """numba's settings for a moment in which no other thread compiles."""
    with global_compiler_lock:
        config.reload_config()  # else the compiler does it in between
        before = {name: getattr(config, name) for name in settings}
        vars(config).update(settings)
        try:
            yield
        finally:
            vars(config).update(before)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """What Python calls: compiled on first use, kept on disk, run without the interpreter lock."""
    return _declared(function)


def borrowing(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that makes no array, nor does what it calls: references to those it is given are not counted.

    Counting them, array by array of a group at every call, took most of the time of thin layers, and the
    counters are what two threads would share.
    """
    return _declared(function, _nrt=False)


def _declared(function: Callable[P, R], **flags: bool) -> Callable[P, R]:
    package = function.__module__.partition(".")[2].partition(".")[0]
    with _settings(CACHE_DIR=str(cache_folder(package))):
        dispatcher: Any = numba.njit(cache=True, nogil=True, **_compiler("WholeCompiler"), **flags)(function)
    if "NUMBA_OPT" not in os.environ:
        compile_as_set = dispatcher.compile

        def compile_at_level(signature: Any) -> Any:
            with _settings(OPT=type(config.OPT)(LEVEL)):
                return compile_as_set(signature)

        dispatcher.compile = compile_at_level
    return cast("Callable[P, R]", _once_for_all_constants(dispatcher))


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """What only kernels call. It has no way in from Python, which for groups of arrays costs a second to compile."""
    return _helper(function)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """An inner kernel written into its callers, for loops that would spend their time passing arrays."""
    return _helper(function, forceinline=True)


def _helper(function: Callable[P, R], **flags: bool) -> Callable[P, R]:
    without_entries = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher = numba.njit(nogil=True, **without_entries, **_compiler("PartCompiler"), **flags)(function)
    return cast("Callable[P, R]", _once_for_all_constants(dispatcher))


def small(function: Callable[P, R]) -> Callable[P, R]:
    """A few instructions on plain numbers, called from anywhere."""
    dispatcher = numba.njit(nogil=True, forceinline=True, **_compiler("WholeCompiler"))(function)
    return cast("Callable[P, R]", _once_for_all_constants(dispatcher))


def _compiler(name: str) -> dict[str, Any]:
    """What makes numba link a kernel's parts once; nothing where its insides are not those that we know."""
    return {} if _linking is None else {"pipeline_class": getattr(_linking, name)}


def _once_for_all_constants(dispatcher: Any) -> Any:
    """Have a function that is called with constants compiled for any number: else once more for each of them."""
    find_template = dispatcher.get_call_template

    def without_constants(args: Any, kws: Any) -> Any:
        return find_template([unliteral(a) for a in args], {k: unliteral(a) for k, a in kws.items()})

    dispatcher.get_call_template = without_constants
    return dispatcher


def _of_a_word(word: Any, emit: Callable[[Any, Any], Any]) -> Any:
    """An integer from 64 bits, by an instruction of the processor or what the compiler has in its place."""
    if not isinstance(word, types.Integer):  # such as a word less a signed number, which numba takes for a fraction
        return None
    return types.int64(types.uint64), lambda _context, builder, _signature, words: emit(builder, words[0])


def _ones(_typing: Any, word: Any) -> Any:
    return _of_a_word(word, lambda builder, bits: builder.ctpop(bits))


def _trailing_zeros(_typing: Any, word: Any) -> Any:
    return _of_a_word(word, lambda builder, bits: builder.cttz(bits, true_bit))


ones: Callable[[Any], Any] = intrinsic(_ones)
"""How many bits of 64 are set; for kernels."""

trailing_zeros: Callable[[Any], Any] = intrinsic(_trailing_zeros)
"""How many bits of 64 lie below the lowest that is set; one must be, or the answer is anything. For kernels."""
