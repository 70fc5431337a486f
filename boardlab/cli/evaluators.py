"""`boardlab evaluators`: the procedures that measure strength, all or those for one game, or the options of one."""

from __future__ import annotations

from collections.abc import Mapping

from boardlab.cli.options import tell_options
from boardlab.cli.output import console, table
from boardlab.components.component import parameters_of, short_doc
from boardlab.errors import UnknownName
from boardlab.matches.evaluators.base import Evaluator
from boardlab.matches.evaluators.registry import (
    evaluator_class,
    evaluator_classes,
    evaluator_classes_for,
    suitable_evaluators,
)
from boardlab.registry import make, split_spec

__all__ = ["run"]


def run(spec: str | None) -> None:
    """Print a table; for a game the usual evaluator comes first. The text may also name an evaluator."""
    if spec is None:
        _tell_all(dict(sorted(evaluator_classes().items())))
        return
    try:
        cls = evaluator_class(split_spec(spec)[0])
    except UnknownName:
        game = make(spec)
        classes = evaluator_classes_for(game)
        _tell_all({name: classes[name] for name in suitable_evaluators(game)})
    else:
        tell_options(spec, cls)


def _tell_all(classes: Mapping[str, type[Evaluator]]) -> None:
    made = table("evaluator", "opponent", "options", "procedure")
    for name, cls in classes.items():
        made.add_row(name, cls.opponent or "-", " ".join(parameters_of(cls)) or "-", short_doc(cls))
    console().print(made)
