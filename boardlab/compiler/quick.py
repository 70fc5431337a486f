"""The steps of compiling, without what Numba does around each of them, and without finding out twice what is known.

A learner is some hundred and fifty functions, and each goes through some twenty-five steps. Before and after each step
Numba describes it to whoever may listen, takes three times, and looks whether it has left everything as it should;
before each function it puts the steps together anew. Where types are found out, it asks for the type of every call
and operation until nothing changes any more, twice at least, and tries all candidates each time. And what it tells of
every call of LLVM, what it looks up in all its modules for every function, and what it finds out for other ways of
compiling was a seventh of what remained (`_undisturbed`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, ClassVar

from llvmlite.binding import ffi
from numba.core import base, ir, postproc, transforms, types
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

__all__ = ["QUICK_STEPS", "QuickManager", "remember_calls"]


class QuickManager(PassManager):
    """Runs one step after the other, and nothing else."""

    _running: ClassVar[bool] = False
    """Whether a function is being compiled, which may need others; Numba's lock lets no second thread in."""

    def run(self, state: Any) -> None:
        if QuickManager._running:
            super().run(state)
            return
        QuickManager._running = True
        try:
            with _undisturbed():
                super().run(state)
        finally:
            QuickManager._running = False

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


# ---------------------------------------------------------------- what Numba does beside it


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Within it, Numba leaves out what nobody needs who compiles functions of ours."""
    target = cpu_target.target_context
    with _silent_llvm(), _lifetimes_on_demand(), _refreshed_if_new(target), _refreshed_if_new(target.typing_context):
        yield


@contextmanager
def _silent_llvm() -> Iterator[None]:
    """Nobody is told of the thirty thousand calls of LLVM: each function that waits for another one would listen."""
    callbacks = getattr(getattr(ffi.lib, "_lock", None), "_cblist", ())  # another version may keep them elsewhere
    told = [pair for pair in callbacks if pair[0].__module__ == base.__name__]
    for pair in told:
        ffi.unregister_lock_callback(*pair)
    try:
        yield
    finally:
        for pair in told:
            ffi.register_lock_callback(*pair)


@contextmanager
def _lifetimes_on_demand() -> Iterator[None]:
    """Which variables live where a block begins is only for generators and for code that Python carries out; it was
    found out anew after each of five steps."""
    thorough = postproc.PostProcessor.run

    def run(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = processor.func_ir
        if function.is_generator or emit_dels:
            thorough(processor, emit_dels, extend_lifetimes)
            return
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime = postproc.VariableLifetime(function.blocks)
        function.generator_info = None

    with _replaced(postproc.PostProcessor, "run", run):
        yield


@contextmanager
def _refreshed_if_new(context: Any) -> Iterator[None]:
    """Numba looks for new functions and types in all its modules, for each function several times; here it does so only
    where there are more than before."""
    thorough, seen = context.refresh, -1

    def refresh() -> None:
        nonlocal seen
        if _registered() != seen:
            thorough()
            seen = _registered()

    with _replaced(context, "refresh", refresh):
        yield


def _registered() -> int:
    """How many functions, attributes and so on Numba has been told of."""
    target = cpu_target.target_context
    loaders = {**target._registries, **target.typing_context._registries}
    return sum(len(getattr(registry, items)) for registry, loader in loaders.items() for items in loader.registry_items)


@contextmanager
def _replaced(owner: Any, name: str, function: Callable[..., None]) -> Iterator[None]:
    """Within it, a method is another one."""
    own = vars(owner).get(name)
    setattr(owner, name, function)
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)


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
