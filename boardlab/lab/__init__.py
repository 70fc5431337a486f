"""Experiments: presets, training runs, their curves; sweeps over settings and what came of them.

>>> from boardlab.lab import Sweep, results
>>> Sweep(game="tictactoe", preset="paper", episodes=2000, seeds=5, grid={"alpha": [0.1, 1.0]}).run("alphas")
>>> results("alphas").to_pandas()
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boardlab.lab.sweeps.results import Results as Results
    from boardlab.lab.sweeps.results import RunResult as RunResult
    from boardlab.lab.sweeps.results import results as results
    from boardlab.lab.sweeps.sweep import Sweep as Sweep

__all__ = ["Results", "RunResult", "Sweep", "results"]

_HOME = {"Results": "results", "RunResult": "results", "Sweep": "sweep", "results": "results"}


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used: whoever wants a training needs no sweeps."""
    if name not in _HOME:
        raise AttributeError(f"module 'boardlab.lab' has no attribute {name!r}")
    return getattr(importlib.import_module(f"boardlab.lab.sweeps.{_HOME[name]}"), name)
