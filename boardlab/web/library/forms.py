"""Forms from what is declared anyway: the parameters of a component."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from boardlab.components.component import Component, parameters_of, short_doc
from boardlab.parameters import Parameter
from boardlab.registry import split_spec
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import FormField

__all__ = ["are_plain", "component_field", "form_of", "is_installed", "refuse_paths"]

_PLAIN_TEXT = re.compile(r"[A-Za-z0-9_:,+-]*|[0-9]+\.[0-9]+")


def form_of(cls: type, without: tuple[str, ...] = ()) -> list[FormField]:
    """The parameters of a component; those in `without` are left out."""
    return [_field(name, parameter) for name, parameter in parameters_of(cls).items() if name not in without]


def refuse_paths(options: Mapping[str, object]) -> None:
    """A text from a client names a thing of boardlab, never a file: no dots and no slashes in it."""
    for name, value in options.items():
        if not are_plain({name: value}):
            raise Problem(422, f"{name} cannot be {value!r}: in the browser it has letters, digits and _ : , + - only")


def are_plain(options: Mapping[str, object]) -> bool:
    """Whether no text among the options can name a file, or an agent with options."""
    return all(_PLAIN_TEXT.fullmatch(value) for value in options.values() if isinstance(value, str))


def is_installed(spec: str, classes: Mapping[str, type[Component]]) -> bool:
    """Whether a text names one of these components, for which no file has to be imported."""
    origin = split_spec(spec)[0]
    return origin in classes or any(origin in cls.former_names for cls in classes.values())


def component_field(field: FormField, classes: Mapping[str, type[Component]]) -> FormField:
    """The field of a parameter whose text is one of these components with parameters of its own: their names to choose
    from, and help with the parameters of each."""
    helps = {name: _component_help(name, cls) for name, cls in classes.items()}
    doc = f"{field.doc.partition(':')[0]}, with parameters of its own after a colon where it has some"
    return field.model_copy(update={"kind": "component", "choices": list(classes), "helps": helps, "doc": doc})


def _component_help(name: str, cls: type[Component]) -> str:
    declared = parameters_of(cls)
    if not declared:
        return short_doc(cls)
    lines = [f"{key} ({p.range_text()}; {p.default_text}): {p.doc}" for key, p in declared.items()]
    example = f"{name}:{next(iter(declared))}={next(iter(declared.values())).default_text}"
    return "\n".join([short_doc(cls), f"Parameters, as {example}:", *lines])


def _field(name: str, parameter: Parameter) -> FormField:
    return FormField(
        name=name,
        kind=_kind(parameter),
        default=parameter.default,
        low=parameter.low,
        high=parameter.high,
        choices=list(parameter.choices),
        nullable=parameter.nullable,
        doc=parameter.doc,
    )


def _kind(parameter: Parameter) -> Literal["integer", "number", "boolean", "choice", "text"]:
    if parameter.choices:
        return "choice"
    return "text" if parameter.kind == "list" else parameter.kind
