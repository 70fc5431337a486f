"""`boardlab rules`: a list of the step-size rules, or the options of one."""

from __future__ import annotations

from boardlab.cli.options import tell_all, tell_options
from boardlab.learn.rules import rule_class, rule_classes

__all__ = ["run"]


def run(name: str | None) -> None:
    """List all step-size rules, or tell about the one with this name or of this file."""
    if name is None:
        tell_all("step-size rule", rule_classes())
    else:
        tell_options(name, rule_class(name))
