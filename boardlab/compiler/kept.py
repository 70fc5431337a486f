"""Machine code that is kept on disk, and loaded without what only compiling needs.

Before Numba looks for machine code on disk, it imports all its modules that know how to compile something, SciPy among
them where it is installed, and tells its contexts of every function in them. That was more than half of what a second
training waited for. Machine code needs none of it, and where nothing is found, compiling begins with it anyway.
"""

from __future__ import annotations

from typing import Any

from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

__all__ = ["KeptCode"]


class KeptCode(FunctionCache):
    """The machine code of a kernel on disk."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)  # what allocates memory calls functions of these names
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)
