"""Forms from what is declared anyway: the parameters of a game class and the parameter model of an agent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from boardlab.models import Model
from boardlab.parameters import parameters_of
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import FormField

__all__ = ["game_form", "model_form", "refuse_paths"]

_KINDS = {bool: "boolean", int: "integer", float: "number"}
_PLAIN_TEXT = re.compile(r"[A-Za-z0-9_:,+-]*")


def game_form(cls: type) -> list[FormField]:
    """The parameters of a game class."""
    fields = []
    for name, parameter in parameters_of(cls).items():
        kind: Any = "choice" if parameter.choices else _KINDS[type(parameter.default)]
        fields.append(
            FormField(
                name=name,
                kind=kind,
                default=parameter.default,
                low=parameter.low,
                high=parameter.high,
                choices=list(parameter.choices),
                doc=parameter.doc,
            )
        )
    return fields


def model_form(model: type[Model], without: tuple[str, ...] = ()) -> list[FormField]:
    """The parameters of an agent, from the JSON schema of their model; those in `without` are left out."""
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    return [
        _model_field(name, _resolved(part, definitions), definitions)
        for name, part in schema.get("properties", {}).items()
        if name not in without
    ]


def refuse_paths(options: Mapping[str, object]) -> None:
    """A text from a client names a thing of boardlab, never a file: no dots and no slashes in it."""
    for name, value in options.items():
        if isinstance(value, str) and not _PLAIN_TEXT.fullmatch(value):
            raise Problem(422, f"{name} cannot be {value!r}: in the browser it has letters, digits and _ : , + - only")


def _model_field(name: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> FormField:
    options = [_resolved(option, definitions) for option in schema.get("anyOf", [schema])]
    nullable = any(option.get("type") == "null" for option in options)
    main = next(option for option in options if option.get("type") != "null")
    choices = main.get("enum") or ([main["const"]] if "const" in main else [])
    return FormField(
        name=name,
        kind="choice" if choices else main.get("type", "text").replace("string", "text"),
        default=schema.get("default"),
        low=main.get("minimum", main.get("exclusiveMinimum")),
        high=main.get("maximum", main.get("exclusiveMaximum")),
        choices=list(choices),
        nullable=nullable,
        doc=schema.get("description", ""),
    )


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema with the definition that it refers to, if it does."""
    if "$ref" not in schema:
        return schema
    return {**definitions[schema["$ref"].rpartition("/")[2]], **schema}
