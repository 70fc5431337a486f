"""How helpers are compiled: only as far as their callers need it.

Numba makes machine code of every function that another one calls, once for itself and once as part of the caller.
With a hundred helpers the first is a third of the time. `HelperCompiler` leaves it out: a helper stays in LLVM's
language and is linked into the kernels that use it. It is optimised there, too: a helper of a helper of a helper would
otherwise be optimised once for each of them, which was a third of what remained.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering

__all__ = ["HelperCompiler"]


class _LinkedLibrary(JITCodeLibrary):
    """Code for other libraries to link in. It is never handed to the machine."""

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


class HelperCompiler(CompilerBase):
    """Numba's own steps, except for the one that makes the machine code."""

    def define_pipelines(self) -> list[PassManager]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(_LowerForCallers if step is NativeLowering else step, why) for step, why in manager.passes]
        manager.finalize()
        return [manager]
