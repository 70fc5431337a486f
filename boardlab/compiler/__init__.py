"""How plain Python becomes machine code: the only room that knows Numba's machinery.

`objects` lets kernels use games and other plain objects, `blocks` hands over large ones as one address, `helpers` says
how far their functions are compiled, `quick` by which steps, `later` what of it can wait, `branches`, `fences` and
`prints` what is left out of them or put around, `code_hash` by what compiled code is kept on disk, `errors` what is
wrong with rules that do not compile, `bits` what the processor does in one instruction, `garbage` how often Python
looks for some meanwhile, `processor` what LLVM does not use by itself. What others use is here.
"""

from __future__ import annotations

from boardlab.compiler.blocks import by_address
from boardlab.compiler.garbage import seldom_collected
from boardlab.compiler.objects import (
    Compilable,
    cache_folder,
    clear_record,
    compile_method,
    helper,
    hot_kernel,
    inlined,
    inlined_method,
    is_our_own,
    kernel,
    plain,
)
from boardlab.compiler.processor import use_wide_registers
from boardlab.compiler.quick import remember_calls

__all__ = [
    "Compilable",
    "by_address",
    "cache_folder",
    "clear_record",
    "compile_method",
    "helper",
    "hot_kernel",
    "inlined",
    "inlined_method",
    "is_our_own",
    "kernel",
    "plain",
]

seldom_collected()
remember_calls()
use_wide_registers()
