"""What the lists of agents, evaluators and step-size rules have in common: all of a kind, or the options of one."""

from __future__ import annotations

from collections.abc import Mapping

from boardlab.cli.output import console, table
from boardlab.components.component import checked_text, parameters_of, short_doc
from boardlab.registry import split_spec

__all__ = ["tell_all", "tell_options"]


def tell_all(kind: str, classes: Mapping[str, type]) -> None:
    """A table of all components of a kind."""
    made = table(kind, "what it does")
    for name in sorted(classes):
        made.add_row(name, short_doc(classes[name]))
    console().print(made)


def tell_options(spec: str, cls: type) -> None:
    """What a component of this class does, and its options. A specification that has some is checked."""
    name, given = split_spec(spec)
    if given:
        checked_text(cls, given, name)
    out = console()
    out.print(short_doc(cls))
    declared = parameters_of(cls)
    if not declared:
        out.print("It has no options.")
        return
    made = table("option", "default", "values", "meaning")
    for key, parameter in declared.items():
        made.add_row(key, parameter.default_text, parameter.range_text(), parameter.doc)
    out.print(made)
    out.print(f"Options are given with the name: {name}:{next(iter(declared))}=VALUE,...", soft_wrap=True)
