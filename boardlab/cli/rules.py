"""`boardlab rules`: a list of the step-size rules, or the options of one."""

from __future__ import annotations

from boardlab.cli.options import tell_options
from boardlab.cli.output import console, table
from boardlab.components.component import short_doc
from boardlab.learn.rules import StepSizeRule, rule_class, rule_classes
from boardlab.registry import split_spec

__all__ = ["run"]


def run(spec: str | None) -> None:
    """List all step-size rules, or tell about the one with this name or of this file."""
    if spec is None:
        made = table("step-size rule", "outputs", "traces", "what it does")
        for found, cls in sorted(rule_classes().items()):
            made.add_row(found, _outputs(cls), _traces(cls), short_doc(cls))
        console().print(made)
    else:
        cls = rule_class(split_spec(spec)[0])
        tell_options(spec, cls)
        console().print(f"Outputs: {_outputs(cls)}. Eligibility traces: {_traces(cls)}.")


def _outputs(cls: type[StepSizeRule]) -> str:
    every = set(cls.outputs) == set(StepSizeRule.outputs)
    return "any" if every else ", ".join(cls.outputs)


def _traces(cls: type[StepSizeRule]) -> str:
    return "yes" if cls.with_traces else "no"
