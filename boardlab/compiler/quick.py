"""The steps of compiling, without what Numba does around each of them, and without finding out twice what is known.

A learner is some hundred and fifty functions, and each goes through some twenty-five steps. Before and after each step
Numba describes it to whoever may listen, takes three times, and looks whether it has left everything as it should;
before each function it puts the steps together anew. Where types are found out, it asks for the type of every call
and operation until nothing changes any more, twice at least, and tries all candidates each time.
"""

from __future__ import annotations

import operator
from types import CodeType
from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

__all__ = ["QUICK_STEPS", "QuickManager", "remember_calls"]


class QuickManager(PassManager):
    """Runs one step after the other, and nothing else."""

    def _runPass(self, index: int, step: Any, state: Any) -> None:
        step.analysis = self._analysis
        step.run_initialization(state)
        step.run_pass(state)
        step.run_finalizer(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _InlineClosures(InlineClosureLikes):
    """Only where there are any, or what else Numba does here: reductions, stencils, and arrays made of lists."""

    _name = "inline_closures_if_any"
    _others = frozenset({"array", "reduce", "stencil"})

    def run_pass(self, state: Any) -> bool:
        code = state.func_id.code
        if any(isinstance(part, CodeType) for part in code.co_consts) or self._others & set(code.co_names):
            return bool(super().run_pass(state))
        return False


@register_pass(mutates_CFG=True, analysis_only=False)
class _RewriteArrays(NopythonRewrites):
    """Only where an array or a text comes out of an operation: nothing else is rewritten when types are known."""

    _name = "rewrite_arrays_if_any"

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            for line in block.body:
                if isinstance(line, ir.Assign) and _may_be_rewritten(line.value, state.typemap[line.target.name]):
                    return bool(super().run_pass(state))
        return False


def _may_be_rewritten(value: Any, kind: types.Type) -> bool:
    if isinstance(kind, types.Array):
        return isinstance(value, ir.Expr) and value.op not in _READS
    return isinstance(kind, types.Literal) and isinstance(kind.literal_value, str)


_READS = frozenset({"cast", "getattr", "getitem", "static_getitem"})

QUICK_STEPS = {InlineClosureLikes: _InlineClosures, NopythonRewrites: _RewriteArrays}
"""What stands for which step of Numba."""


# ---------------------------------------------------------------- types that are known already

_PLAIN = frozenset(
    getattr(operator, name)
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "lshift", "rshift", "and_", "or_", "xor"),
        *("iadd", "isub", "imul", "ilshift", "irshift", "iand", "ior", "ixor"),
        *("eq", "ne", "lt", "le", "gt", "ge", "neg", "invert", "not_"),
    )
)


def remember_calls() -> None:
    """From now on, an operation on numbers is looked up once, and any call once for a function that is compiled."""
    context = cpu_target.typing_context
    resolve = context.resolve_function_type
    operations: dict[Any, Any] = {}

    def remembered(function: Any, arguments: Any, keywords: Any) -> Any:
        of_values = isinstance(function, str)  # as `static_setitem`, whose index is no type
        if not context.callstack._stack or keywords or of_values:
            return resolve(function, arguments, keywords)
        is_plain = isinstance(function, types.Function) and function.typing_key in _PLAIN
        if is_plain and all(isinstance(kind, (types.Number, types.Boolean)) for kind in arguments):
            known = operations
        else:
            known = vars(context.callstack._stack[-1]).setdefault("_calls", {})
        key = function, arguments
        found = known.get(key)
        if found is None:
            found = resolve(function, arguments, keywords)
            if found is not None and found.return_type.is_precise():
                known[key] = found
        return found

    context.resolve_function_type = remembered
