"""Branches that an object never takes are left out before anybody looks at them.

What is constant of an object (whole numbers and switches) is known when a function is compiled for it: where a learner
has `distinct = False`, `if values.distinct: ...` does nothing. LLVM finds that out, too, but at the end, when Numba has
given types to the branch and translated it, with every function that is called in it. For Connect Four that was a
seventh of all functions.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np
from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import build_definitions

__all__ = ["DropDeadBranches", "Known"]

_COMPARISONS = {operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge}
_NUMBERS = (bool, int, np.bool_, np.integer)


class Known(NamedTuple):
    """A value that is known when a function is compiled."""

    value: Any


@register_pass(mutates_CFG=True, analysis_only=False)
class DropDeadBranches(FunctionPass):
    """A step of compiling, before types are found out."""

    _name = "drop_dead_branches"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        function, found = state.func_ir, False
        for block in function.blocks.values():
            branch = block.body[-1]
            if isinstance(branch, ir.Branch):
                condition = _look(function, state.args, branch.cond)
                if isinstance(condition, Known):
                    taken = branch.truebr if condition.value else branch.falsebr
                    block.body[-1] = ir.Jump(taken, branch.loc)
                    found = True
        if found:
            for label in compute_cfg_from_blocks(function.blocks).dead_nodes():
                del function.blocks[label]
            function._definitions = build_definitions(function.blocks)
        return found


def _look(function: Any, arguments: Any, variable: Any) -> Known | types.Type | None:
    """What is known of a variable: its value, or at least its type; None where it is neither."""
    try:
        definition = function.get_definition(variable)
    except KeyError:  # it has several
        return None
    if isinstance(definition, ir.Arg):
        return arguments[definition.index]
    if isinstance(definition, (ir.Const, ir.Global, ir.FreeVar)):
        return Known(definition.value) if isinstance(definition.value, _NUMBERS) else None
    if not isinstance(definition, ir.Expr):
        return None
    if definition.op == "getattr":
        return _attribute(_look(function, arguments, definition.value), definition.attr)
    if definition.op == "binop" and definition.fn in _COMPARISONS:
        left, right = (_look(function, arguments, side) for side in (definition.lhs, definition.rhs))
        both = isinstance(left, Known) and isinstance(right, Known)
        return Known(definition.fn(left.value, right.value)) if both else None  # type: ignore[union-attr]
    if definition.op == "call" and _is_bool(function, definition.func) and len(definition.args) == 1:
        asked = _look(function, arguments, definition.args[0])
        return Known(bool(asked.value)) if isinstance(asked, Known) else None
    return None


def _attribute(owner: Any, name: str) -> Known | types.Type | None:
    """What is known of an attribute of an object, or of a named tuple, of a known type."""
    if hasattr(owner, "known"):
        found: Known | types.Type | None = owner.known(name)
        return found
    fields = getattr(owner, "fields", None)
    return owner.types[fields.index(name)] if isinstance(fields, tuple) and name in fields else None


def _is_bool(function: Any, variable: Any) -> bool:
    try:
        return getattr(function.get_definition(variable), "value", None) is bool
    except KeyError:
        return False
