"""`boardlab evaluators`: the procedures that measure strength, all or those for one game."""

from __future__ import annotations

from boardlab.cli.output import console, table
from boardlab.matches.evaluators.registry import evaluator_classes, suitable_evaluators
from boardlab.registry import make

__all__ = ["run"]


def run(spec: str | None) -> None:
    """Print a table; for a game the usual evaluator comes first."""
    made = table("evaluator", "opponent", "procedure")
    for name in suitable_evaluators(make(spec)) if spec else sorted(evaluator_classes()):
        cls = evaluator_classes()[name]
        made.add_row(name, cls.opponent or "-", " ".join((cls.__doc__ or "").split()))
    console().print(made)
