"""Kernels on disk: those that this user has compiled and, failing that, those that came with the program.

numba's own cache has the processor in every key and the time of the source in every index; here the folder's name says
all that, so that a folder of kernels can be carried to where its sources are.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile


class _Naming(CompileResultCacheImpl):
    """How a kernel is written, without a search for a place to write to."""

    def __init__(self, function: Any) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = None
        self._filename_base = f"{function.__qualname__}-{self._lineno}.py{sys.version_info[0]}{sys.version_info[1]}"


class KernelCache(FunctionCache):
    """The files of one kernel, in a folder that is named after its module."""

    def __init__(self, function: Any, folder: Path, shipped: Path | None) -> None:
        self._name = repr(function)
        self._py_func = function
        self._impl = _Naming(function)
        self._cache_path = str(folder / function.__module__)
        self._cache_file = self._files(folder)
        self._shipped = None if shipped is None else self._files(shipped)
        self.enable()

    def _files(self, folder: Path) -> IndexDataCacheFile:
        return IndexDataCacheFile(str(folder / self._py_func.__module__), self._impl.filename_base, source_stamp=None)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        signature, _, code = super()._index_key(sig, codegen)
        return signature, code

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super()._load_overload(sig, target_context)
        if found is None and self._shipped is not None and self._enabled:
            data = self._shipped.load(self._index_key(sig, target_context.codegen()))
            found = None if data is None else self._impl.rebuild(target_context, data)
        return found

    def _save_overload(self, sig: Any, data: Any) -> None:
        if self._enabled and self._impl.check_cachable(data):
            Path(self._cache_path).mkdir(parents=True, exist_ok=True)
            self._cache_file.save(self._index_key(sig, data.codegen), self._impl.reduce(data))
