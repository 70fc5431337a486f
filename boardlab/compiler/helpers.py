"""How helpers are compiled: only as far as their callers need it.

Numba makes machine code of every function that another one calls, once for itself and once as part of the caller.
With a hundred helpers the first is a third of the time. `HelperCompiler` leaves it out: a helper stays in LLVM's
language and is linked into the kernels that use it. It is optimised there, too: a helper of a helper of a helper would
otherwise be optimised once for each of them, which was a third of what remained.
"""

from __future__ import annotations

from typing import Any, ClassVar

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder, Flags, _LowerResult
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering
from numba.core.untyped_passes import FixupArgs

from boardlab.compiler.branches import DropDeadBranches
from boardlab.compiler.quick import QUICK_STEPS, QuickManager

__all__ = ["HelperCompiler", "KernelCompiler"]


class _QuickFlags(Flags):
    """The flags of a function as those it calls see them. Numba looks into its tables of overloads by the flags of
    whoever asks, a hundred thousand times for one learner: to compare them one by one took an eighth of all compiling.
    And a helper was compiled anew for callers that differ in flags which are nothing to it."""

    _own: ClassVar[frozenset[str]] = frozenset(
        {"forceinline", "no_cfunc_wrapper", "no_compile", "no_cpython_wrapper", "release_gil"}
    )
    """About the function alone. Helpers say themselves whether they are inlined; methods do as their first caller."""
    _defaults: ClassVar[dict[str, Any]] = {name: option.default for name, option in Flags.options.items()}
    _hash: ClassVar[int] = hash(Flags())  # Numba's is the same for all flags, and these shall be found among them

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _QuickFlags):
            return bool(super().__eq__(other))
        mine, theirs, defaults = self._values, other._values, self._defaults
        return all(
            mine.get(name, defaults[name]) == theirs.get(name, defaults[name])
            for name in (mine.keys() | theirs.keys()) - self._own
        )


class _LinkedLibrary(JITCodeLibrary):
    """Code for other libraries to link in. It is never handed to the machine."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Numba looks at functions that are only declared, too."""
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        """Left to the kernel that links it in."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerForCallers(NativeLowering):
    _name = "lower_for_callers"

    def run_pass(self, state: Any) -> bool:
        name = state.func_id.func_qualname
        state.library = _LinkedLibrary(state.targetctx.codegen(), name)
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        super().run_pass(state)
        done = state["cr"]
        nowhere = 0  # the address of the machine code, if it had any
        entry = _dynfunc.make_function(
            done.fndesc.lookup_module(), name.split(".")[-1], "a helper", nowhere, done.env, (state.library,)
        )
        state.targetctx.insert_user_function(entry, done.fndesc, [state.library])
        state["cr"] = _LowerResult(done.fndesc, done.call_helper, cfunc=entry, env=done.env)
        return True


class KernelCompiler(Compiler):
    """Numba's own steps, with flags that are compared quickly, and without branches that are never taken."""

    def __init__(
        self, typing_context: Any, target: Any, library: Any, args: Any, returns: Any, flags: Any, local: Any
    ) -> None:
        super().__init__(typing_context, target, library, args, returns, _QuickFlags(flags), local)

    _steps: ClassVar[dict[Any, Any]] = QUICK_STEPS
    _managers: ClassVar[dict[type, PassManager]] = {}

    def define_pipelines(self) -> list[PassManager]:
        if type(self) not in self._managers:
            self._managers[type(self)] = self._make_manager()
        return [self._managers[type(self)]]

    def _make_manager(self) -> PassManager:
        """The steps are the same for all functions."""
        usual = DefaultPassBuilder.define_nopython_pipeline(self.state)
        usual.add_pass_after(DropDeadBranches, FixupArgs)
        manager = QuickManager(usual.pipeline_name)
        manager.passes = [(self._steps.get(step, step), why) for step, why in usual.passes]
        manager.finalize()
        return manager


class HelperCompiler(KernelCompiler):
    """The same, except for the step that makes the machine code."""

    _steps: ClassVar[dict[Any, Any]] = {**QUICK_STEPS, NativeLowering: _LowerForCallers}
