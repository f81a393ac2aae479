"""The one owner of numba: the decorators. `folders` chooses where compiled kernels are kept.

numba's settings apply to the whole process. tbgen's are in force only while one of its kernels is
declared or compiled.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, ParamSpec, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import config, types
from numba.core.cgutils import get_item_pointer, true_bit, unpack_tuple, voidptr_t
from numba.core.compiler_lock import global_compiler_lock
from numba.core.types.containers import UniTuple
from numba.core.types.misc import unliteral
from numba.extending import intrinsic

from tbgen.compiled.folders import LEVEL, cache_folder, package_of
from tbgen.compiled.groups import by_address as by_address
from tbgen.compiled.notice import PACKAGES, give

_logger = logging.getLogger("tbgen")

P = ParamSpec("P")
R = TypeVar("R")

KNOWN = ("0.68",)
"""Versions of numba whose internals tbgen uses.

Others compile and cache in numba's own way, which takes longer.
"""

_linking: Any = None
if ".".join(numba.__version__.split(".")[:2]) in KNOWN:
    with contextlib.suppress(ImportError, AttributeError):
        _linking = importlib.import_module("tbgen.compiled.linking")


@contextlib.contextmanager
def _settings(**settings: Any) -> Iterator[None]:
    """Apply numba's settings while this thread holds the compiler lock."""
    with global_compiler_lock:
        config.reload_config()  # else numba reloads its configuration while compiling
        before = {name: getattr(config, name) for name in settings}
        vars(config).update(settings)
        try:
            yield
        finally:
            vars(config).update(before)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A function for Python, compiled at its first call and cached on disk.

    It runs without the interpreter lock.
    """
    return _declared(function)


def borrowing(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that makes no array, and calls nothing that does: numba counts no references in it.

    Counting the arrays of groups at each call would take most of the time of thin steps, and two
    threads would share the counters.
    """
    return _declared(function, _nrt=False)


@cache
def _is_new(package: str) -> bool:
    """Whether no kernel of a package was compiled before this process declared the first."""
    is_new = not any(cache_folder(package).iterdir())
    if is_new and _linking is None:
        _say_slow()
    return is_new


@cache
def _say_slow() -> None:
    """Say once that compiling takes a while."""
    known = ", ".join(f"{version}.*" for version in KNOWN)
    _logger.warning("compiling takes longer with numba %s than with %s", numba.__version__, known)


def _declared(function: Callable[P, R], **flags: bool) -> Callable[P, R]:
    package = package_of(function.__module__)
    is_new = _is_new(package)
    if _linking:
        place = {"CACHE_LOCATOR_CLASSES": f"{_linking.__name__}.Locator"}
    else:
        place = {"CACHE_DIR": str(cache_folder(package))}
    with _settings(**place):
        dispatcher = _compiled(function, "WholeCompiler", cache=True, **flags)
    compile_as_set = dispatcher.compile
    settings = {} if "NUMBA_OPT" in os.environ else {"OPT": type(config.OPT)(LEVEL)}

    def compile_at_level(signature: Any) -> Any:
        if is_new and package in PACKAGES:
            give(PACKAGES[package])
        with _settings(**settings):
            return compile_as_set(signature)

    dispatcher.compile = compile_at_level
    return cast("Callable[P, R]", _once_for_all_constants(dispatcher))


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """A function for kernels alone.

    An entry from Python would take a second to compile for groups of arrays. numba would write it
    into its callers if an inlined function were the first to call it.
    """
    return _helper(function, forceinline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """An inner kernel written into its callers.

    Small loops would spend their time on passing arrays.
    """
    return _helper(function, forceinline=True)


def _helper(function: Callable[P, R], **flags: bool) -> Callable[P, R]:
    dispatcher = _compiled(function, "PartCompiler", no_cpython_wrapper=True, **flags)
    return cast("Callable[P, R]", _once_for_all_constants(dispatcher))


def small(function: Callable[P, R]) -> Callable[P, R]:
    """A few instructions on plain numbers, for callers of any kind.

    Kernels include it as a part of theirs. Its entry from Python is compiled when Python first
    calls it, which is rare: an entry took as long to compile as a helper of ten times the size.
    """
    dispatcher = _compiled(function, "WholeCompiler", forceinline=True)
    part = cast("Any", inlined(function))
    dispatcher.get_call_template = part.get_call_template
    dispatcher.get_overload = part.get_overload
    return cast("Callable[P, R]", dispatcher)


def _compiled(function: Callable[P, R], compiler: str, **flags: bool) -> Any:
    """A function as numba has it.

    If numba's internals are known, a class of `linking` links a kernel's parts once.
    """
    options: dict[str, Any] = dict(flags)
    if _linking:
        options["pipeline_class"] = getattr(_linking, compiler)
    decorate = numba.njit(nogil=True, no_cfunc_wrapper=True, **options)  # nobody calls it from C
    return decorate(function)


def _once_for_all_constants(dispatcher: Any) -> Any:
    """Compile a function that receives constants once for all their values."""
    find_template = dispatcher.get_call_template

    def without_constants(args: Any, kws: Any) -> Any:
        types_of_args = [unliteral(arg) for arg in args]
        types_of_kws = {name: unliteral(arg) for name, arg in kws.items()}
        return find_template(types_of_args, types_of_kws)

    dispatcher.get_call_template = without_constants
    return dispatcher


def _of_a_word(emit: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """A function for kernels: an integer from a word, by one instruction or a substitute."""

    def typed(_typing: Any, word: Any) -> Any:
        # A word minus a signed number is no integer: numba types it as a float.
        if not isinstance(word, types.Integer):
            return None

        def emit_for_word(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return emit(builder, values[0])

        return types.int64(types.uint64), emit_for_word

    function: Callable[[Any], Any] = intrinsic(typed)
    return function


def _prefetch(_typing: Any, array: Any, item: Any) -> Any:
    if not isinstance(array, types.Array):
        return None
    if not all(isinstance(index, types.Integer) for index in item):
        return None

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[0]
        described = context.make_array(kind)(context, builder, values[0])
        index = unpack_tuple(builder, values[1])
        address = get_item_pointer(context, builder, kind, described, index)
        number = ir.IntType(32)
        parameters = ir.FunctionType(ir.VoidType(), [voidptr_t, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", (voidptr_t,), parameters)
        how = [number(_TO_READ), number(_INTO_EVERY_CACHE), number(_AS_DATA)]
        builder.call(fetch, [builder.bitcast(address, voidptr_t), *how])
        return context.get_dummy_value()

    return types.none(array, UniTuple(types.int64, array.ndim)), emit


# The arguments of LLVM's instruction to prefetch.
_TO_READ = 0
_INTO_EVERY_CACHE = 3
_AS_DATA = 1


def _count_ones(builder: Any, bits: Any) -> Any:
    return builder.ctpop(bits)


def _count_trailing_zeros(builder: Any, bits: Any) -> Any:
    return builder.cttz(bits, true_bit)


def _count_leading_zeros(builder: Any, bits: Any) -> Any:
    return builder.ctlz(bits, true_bit)


ones = _of_a_word(_count_ones)
"""The number of set bits of 64."""

trailing_zeros = _of_a_word(_count_trailing_zeros)
"""The number of bits of 64 below the lowest set bit. At least one must be set."""

leading_zeros = _of_a_word(_count_leading_zeros)
"""The number of bits of 64 above the highest set bit. At least one must be set."""

prefetch: Callable[[Any, tuple[Any, ...]], None] = intrinsic(_prefetch)
"""Prefetch an item that is needed soon; a hint that changes nothing. For kernels."""
