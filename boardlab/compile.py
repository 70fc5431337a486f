"""Where `helper` was found before; games of users still import it from here. It is `boardlab.helper` now."""

from __future__ import annotations

from boardlab.compiler import helper

__all__ = ["helper"]
