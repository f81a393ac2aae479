"""Link once: helpers are kept as instructions, unlinked, until a kernel includes them.

numba links, optimises and emits every compiled function with all that it calls, and again for each
caller above it. For deep kernels that is two thirds of the compiler's work, thrown away. Here a
helper (a *part*) is only lowered. A kernel (the *whole*) links every part once, optimises once and
emits once. This uses numba's internals, so it is on only for versions that it was tested with
(`jit`). Any other version compiles the same code in its own way, more slowly.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core.caching import _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from tbgen.compiled.folders import cache_folder, package_of


class _Library(JITCodeLibrary):
    """Instructions whose functions are not optimised one by one."""

    counts_references = True

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout


class Part(_Library):
    """The instructions of one helper, not yet linked, optimised or emitted."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._final_module.verify()
        self._finalized = True


class Whole(_Library):
    """A kernel with all that it calls, each function once."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        libraries = dict.fromkeys(self._linking_libraries)
        waiting = list(libraries)
        while waiting:
            library = waiting.pop()
            if isinstance(library, Part):
                for other in library._linking_libraries:
                    if other not in libraries:
                        libraries[other] = None
                        waiting.append(other)
        self._linking_libraries = list(libraries)
        super().finalize()

    # numba removes pairs of reference counts within a function only. So where references are
    # counted, helpers are inlined first, as numba does: without that, `number_placements` took four
    # times as long.
    def _optimize_final_module(self) -> None:
        if self.counts_references:
            self._run_passes(
                "Module passes (inlining before references are pruned)",
                slp_vectorize=False,
                cost="cheap",
            )
        self._run_passes("Module passes (full optimization)")

    def _run_passes(self, name: str, **settings: Any) -> None:
        passes, builder = self._codegen._module_pass_manager(**settings)
        with self._recorded_timings.record(name, builder):
            passes.run(self._final_module, builder)


class _Lower(NativeLowering):
    """Lowering into a library of tbgen's class."""

    library_class: type[JITCodeLibrary]

    def run_pass(self, state: Any) -> bool:
        state.library = self.library_class(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.counts_references = bool(state.flags.nrt)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerWhole(_Lower):
    _name = "tbgen_lower_whole"
    library_class = Whole


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(_Lower):
    """Like numba's step for code that is to run, but without an address: a part has none."""

    _name = "tbgen_lower_part"
    library_class = Part

    def run_pass(self, state: Any) -> bool:
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        library = state.library
        description = lowered.fndesc
        _, _, name = description.qualname.rpartition(".")
        library._ensure_finalized()
        module = description.lookup_module()
        entry = _dynfunc.make_function(module, name, "", 0, lowered.env, (library,))
        state.targetctx.insert_user_function(entry, description, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class _Compiler(CompilerBase):
    """numba's own steps, with another lowering."""

    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes = []
        for step, reason in manager.passes:
            if step is NativeLowering:
                step = self.lowering
            passes.append((step, reason))
        manager.passes = passes
        manager.finalize()
        return [manager]


class WholeCompiler(_Compiler):
    lowering = LowerWhole


class PartCompiler(_Compiler):
    lowering = LowerPart


class Locator(_CacheLocator):
    """Where numba keeps a kernel: in its package's folder, named after sources and processor."""

    def __init__(self, function: Any) -> None:
        self._function = function

    @classmethod
    def from_function(cls, py_func: Any, _py_file: str) -> Locator:
        return cls(py_func)

    def get_cache_path(self) -> str:
        module = self._function.__module__
        return str(cache_folder(package_of(module)) / module)

    def get_source_stamp(self) -> None:
        return None

    def get_disambiguator(self) -> str:
        return str(self._function.__code__.co_firstlineno)
